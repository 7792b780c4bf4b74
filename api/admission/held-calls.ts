import { GatewayError } from "../../contract/errors.ts";

interface Owner {
  accountId: number;
  mode: string;
  maxInFlight: number;
}

/** Concurrency limit for requests that wait for up to a minute and hold a connection, or look at stores, meanwhile. */
export class HeldCalls {
  readonly #what: string;
  readonly #held = new Map<string, number>();

  /** `what` names the requests in the refusal. */
  constructor(what: string) {
    this.#what = what;
  }

  /** Counts a request of this account and mode until the returned function is called; throws beyond its limit. */
  hold({ accountId, mode, maxInFlight }: Owner): () => void {
    const name = `${accountId}:${mode}`;
    const held = this.#held.get(name) ?? 0;
    if (held >= maxInFlight) {
      const message = `More than ${maxInFlight} ${this.#what} at once`;
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
