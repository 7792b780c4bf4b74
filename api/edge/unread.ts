import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { GatewayError } from "../../contract/errors.ts";
import { type Caller, ownerName } from "../auth.ts";

/** Of an answer that is being written bytes must move within this time. */
export const usualStallMs = 15_000;

/** Ends a connection whose reader has stopped. Node's timer of a socket starts anew while a write moves. */
export function endWhenStalled(response: ServerResponse, stallMs: number): void {
  // Most answers are written at once and need no timer.
  setImmediate(() => {
    const { socket } = response;
    // An answer that waits its turn on the same connection may wait as long as its call.
    if (!socket || response.writableFinished) return;
    socket.setTimeout(stallMs);
    response.once("finish", () => {
      if (socket.timeout === stallMs) socket.setTimeout(0);
    });
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

function tooMuch(message = "Read the answers of earlier calls first"): GatewayError {
  return new GatewayError("rate_limited", message, { retryAfter: 1 });
}

/** The answers that are being written: whoever does not read them must not fill the memory of all. */
export class Unread {
  readonly #writing = new Map<ServerResponse, Writing>();
  readonly #ending = new WeakMap<Socket, Set<ServerResponse>>();
  readonly #byScope = new Map<string, number>();
  readonly #limits: UnreadLimits;
  #total = 0;

  constructor(limits: UnreadLimits = usualLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#total;
  }

  /** Throws when this caller has too much to read already. */
  check(who: Who): void {
    if (this.#bytesOf(who) > this.#limits.account) throw tooMuch();
  }

  /**
   * Counts an answer that can be asked for again, before its bytes are read from a store; throws where
   * the caller has others to read and this one is too much. Asked again for the same response, the
   * larger size counts.
   */
  take(who: Who, response: ServerResponse, bytes: number): void {
    if (response.req.socket.destroyed) throw tooMuch("The connection was closed");
    const counted = this.#writing.get(response)?.bytes ?? 0;
    if (bytes <= counted) return;
    const others = this.#bytesOf(who) - counted;
    if (others > 0 && others + bytes > this.#limits.account) throw tooMuch();
    this.add(who, response, bytes);
  }

  /** Counts an answer until it is written or its connection has ended. */
  add(who: Who, response: ServerResponse, bytes: number): void {
    // An answer that waits behind another one of its connection has no socket of its own yet.
    const { socket } = response.req;
    if (bytes < countedFromBytes || socket.destroyed) return;
    const known = this.#writing.get(response);
    const scope = ownerName(who);
    this.#writing.set(response, { scope, bytes, socket });
    this.#move(scope, bytes - (known?.bytes ?? 0));
    if (!known) {
      response.once("close", () => this.#remove(response));
      this.#endWith(socket).add(response);
    }
    while (this.#total > this.#limits.process) {
      const oldest = this.#oldestOfLargest();
      if (!oldest) return;
      this.#remove(oldest);
      oldest.req.socket.destroy();
    }
  }

  #bytesOf(who: Who): number {
    return this.#byScope.get(ownerName(who)) ?? 0;
  }

  #oldestOfLargest(): ServerResponse | undefined {
    const [largest] = [...this.#byScope].reduce((one, other) => (other[1] > one[1] ? other : one));
    for (const [response, { scope }] of this.#writing) if (scope === largest) return response;
    return undefined;
  }

  /** What ends with this connection: only the answer whose turn it is hears of its end by itself. */
  #endWith(socket: Socket): Set<ServerResponse> {
    let ending = this.#ending.get(socket);
    if (!ending) {
      const responses = (ending = new Set<ServerResponse>());
      this.#ending.set(socket, responses);
      socket.once("close", () => responses.forEach((response) => this.#remove(response)));
    }
    return ending;
  }

  #remove(response: ServerResponse): void {
    const one = this.#writing.get(response);
    if (!one) return;
    this.#writing.delete(response);
    this.#ending.get(one.socket)?.delete(response);
    this.#move(one.scope, -one.bytes);
  }

  #move(scope: string, bytes: number): void {
    this.#total += bytes;
    const left = (this.#byScope.get(scope) ?? 0) + bytes;
    if (left > 0) this.#byScope.set(scope, left);
    else this.#byScope.delete(scope);
  }
}
