import { GatewayError } from "../../contract/errors.ts";
import { type Caller, ownerName } from "../auth.ts";

/** Results of one account and mode that this process streams at once. */
const mostStreams = 16;

/** How many streams of results each account and mode reads from this process. */
export class ResultStreams {
  readonly #open = new Map<string, number>();

  /** Throws where the caller has no room for another one. */
  check(caller: Caller): void {
    if ((this.#open.get(ownerName(caller)) ?? 0) < mostStreams) return;
    const message = `More than ${mostStreams} results are being read`;
    throw new GatewayError("rate_limited", message, { retryAfter: 1 });
  }

  /** Counts one more; the returned function ends it. */
  open(caller: Caller): () => void {
    const name = ownerName(caller);
    this.#open.set(name, (this.#open.get(name) ?? 0) + 1);
    return () => {
      const left = (this.#open.get(name) ?? 1) - 1;
      if (left > 0) this.#open.set(name, left);
      else this.#open.delete(name);
    };
  }
}
