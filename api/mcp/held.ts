import { GatewayError } from "../../contract/errors.ts";

interface Owner {
  accountId: number;
  mode: string;
  maxInFlight: number;
}

/** Concurrency limit: a tool call may wait a minute for its operation, and holds two connections meanwhile. */
export class HeldCalls {
  readonly #held = new Map<string, number>();

  /** Counts a request of this account and mode until the returned function is called; throws beyond its limit. */
  hold({ accountId, mode, maxInFlight }: Owner): () => void {
    const name = `${accountId}:${mode}`;
    const held = this.#held.get(name) ?? 0;
    if (held >= maxInFlight) {
      const message = `More than ${maxInFlight} requests of tools at once`;
      throw new GatewayError("rate_limited", message, { retryAfter: 1 });
    }
    this.#held.set(name, held + 1);
    return () => {
      const left = (this.#held.get(name) ?? 1) - 1;
      if (left > 0) this.#held.set(name, left);
      else this.#held.delete(name);
    };
  }
}
