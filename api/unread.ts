import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { GatewayError } from "../contract/errors.ts";
import type { Caller } from "./auth.ts";

/** Of an answer that is being written bytes must move within this time. */
export const usualStallMs = 15_000;

/** Ends a connection whose reader has stopped. Node's timer of a socket starts anew while a write moves. */
export function endWhenStalled(response: ServerResponse, stallMs: number): void {
  const { socket } = response;
  if (!socket) return;
  socket.setTimeout(stallMs);
  // An answer that waits its turn on the same connection may wait as long as its call.
  response.once("finish", () => {
    if (socket.timeout === stallMs) socket.setTimeout(0);
  });
}

/** Smaller answers fit the buffers of the system. */
const countedFromBytes = 16 * 1024;

export interface UnreadLimits {
  /** Answers of one account and mode that are being written, in bytes; beyond it the caller has to read first. */
  account: number;
  /** Of all accounts; beyond it the account with most of them loses its oldest connection. */
  process: number;
}

const usualLimits = { account: 64 * 1024 * 1024, process: 256 * 1024 * 1024 };

interface Writing {
  scope: string;
  bytes: number;
  socket: Socket;
}

type Who = Pick<Caller, "accountId" | "mode">;

/** The answers that are being written: whoever does not read them must not fill the memory of all. */
export class Unread {
  readonly #writing = new Set<Writing>();
  readonly #byScope = new Map<string, number>();
  readonly #limits: UnreadLimits;
  #total = 0;

  constructor(limits: UnreadLimits = usualLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#total;
  }

  /** Throws when this caller has too much to read, `more` bytes included. */
  check({ accountId, mode }: Who, more = 0): void {
    const bytes = this.#byScope.get(`${accountId}:${mode}`) ?? 0;
    if (bytes === 0 || bytes + more <= this.#limits.account) return;
    const message = "Read the answers of earlier calls first";
    throw new GatewayError("rate_limited", message, { retryAfter: 1 });
  }

  /** Counts an answer until it is written or its connection has ended. */
  add({ accountId, mode }: Who, response: ServerResponse, bytes: number): void {
    const { socket } = response;
    if (bytes < countedFromBytes || !socket || socket.destroyed) return;
    const one = { scope: `${accountId}:${mode}`, bytes, socket };
    this.#writing.add(one);
    this.#move(one.scope, bytes);
    response.once("close", () => this.#remove(one));
    while (this.#total > this.#limits.process) {
      const oldest = this.#oldestOfLargest();
      if (!oldest) return;
      this.#remove(oldest);
      oldest.socket.destroy();
    }
  }

  #oldestOfLargest(): Writing | undefined {
    const [largest] = [...this.#byScope].reduce((one, other) => (other[1] > one[1] ? other : one));
    for (const one of this.#writing) if (one.scope === largest) return one;
    return undefined;
  }

  #remove(one: Writing): void {
    if (this.#writing.delete(one)) this.#move(one.scope, -one.bytes);
  }

  #move(scope: string, bytes: number): void {
    this.#total += bytes;
    const left = (this.#byScope.get(scope) ?? 0) + bytes;
    if (left > 0) this.#byScope.set(scope, left);
    else this.#byScope.delete(scope);
  }
}
