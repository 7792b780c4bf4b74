import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { GatewayError } from "../../contract/errors.ts";
import type { Owner } from "../../db/owner.ts";
import { ownerName } from "../auth.ts";

/** While an answer is written, some bytes must move within this time, in milliseconds. */
export const defaultStallMs = 15_000;

/**
 * Ends a connection whose reader has stopped (slow-reader limit). Node restarts the timer of a socket while a
 * write moves.
 */
export function endWhenStalled(response: ServerResponse, stallMs: number): void {
  // Most answers are written at once and need no timer.
  setImmediate(() => {
    const { socket } = response;
    // An answer queued behind another one on its connection may wait as long as its call.
    if (!socket || response.writableFinished) return;
    socket.setTimeout(stallMs);
    response.once("finish", () => {
      if (socket.timeout === stallMs) socket.setTimeout(0);
    });
  });
}

/** Smaller answers fit the buffers of the operating system and are not counted. */
const countedFromBytes = 16 * 1024;

export interface UnreadLimits {
  /** Bytes of answers being written for one account and mode; beyond it the caller must read first. */
  account: number;
  /** Bytes for all accounts; beyond it the account with the most bytes loses its oldest connection. */
  process: number;
}

const defaultLimits = { account: 64 * 1024 * 1024, process: 256 * 1024 * 1024 };

interface Writing {
  scope: string;
  bytes: number;
  socket: Socket;
}

function tooMuch(message = "Read the answers of earlier calls first"): GatewayError {
  return new GatewayError("rate_limited", message, { retryAfter: 1 });
}

/** Back-pressure for answers: counts those being written, so that slow readers cannot fill the memory. */
export class Unread {
  readonly #writing = new Map<ServerResponse, Writing>();
  readonly #ending = new WeakMap<Socket, Set<ServerResponse>>();
  readonly #byScope = new Map<string, number>();
  readonly #limits: UnreadLimits;
  #total = 0;

  constructor(limits: UnreadLimits = defaultLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#total;
  }

  /** Throws when this caller has too much to read already. */
  check(owner: Owner): void {
    if (this.#bytesOf(owner) > this.#limits.account) throw tooMuch();
  }

  /**
   * Counts a repeatable answer before a store reads its bytes; throws when the caller has other answers to read
   * and this one is too much. A second call for the same response counts the larger size.
   */
  take(owner: Owner, response: ServerResponse, bytes: number): void {
    if (response.req.socket.destroyed) throw tooMuch("The connection was closed");
    const counted = this.#writing.get(response)?.bytes ?? 0;
    if (bytes <= counted) return;
    const others = this.#bytesOf(owner) - counted;
    if (others > 0 && others + bytes > this.#limits.account) throw tooMuch();
    this.add(owner, response, bytes);
  }

  /** Counts an answer until it is written or its connection has closed. */
  add(owner: Owner, response: ServerResponse, bytes: number): void {
    // An answer queued behind another one on its connection has no socket of its own yet.
    const { socket } = response.req;
    if (bytes < countedFromBytes || socket.destroyed) return;
    const known = this.#writing.get(response);
    const scope = ownerName(owner);
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

  #bytesOf(owner: Owner): number {
    return this.#byScope.get(ownerName(owner)) ?? 0;
  }

  #oldestOfLargest(): ServerResponse | undefined {
    const [largest] = [...this.#byScope].reduce((one, other) => (other[1] > one[1] ? other : one));
    for (const [response, { scope }] of this.#writing) if (scope === largest) return response;
    return undefined;
  }

  /**
   * Responses to remove when this connection closes: Node emits the close only on the response being written.
   */
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
