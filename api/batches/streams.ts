import { GatewayError } from "../../contract/errors.ts";
import { type Caller, ownerName } from "../auth.ts";

/** Streams of results that one account and mode may read from this process at once. */
const mostStreams = 16;

/** Concurrency limit: counts the streams of results that each account and mode reads from this process. */
export class ResultStreams {
  readonly #open = new Map<string, number>();

  /** Throws when the caller has reached the limit. */
  check(caller: Caller): void {
    if ((this.#open.get(ownerName(caller)) ?? 0) < mostStreams) return;
    const message = `More than ${mostStreams} results are being read`;
    throw new GatewayError("rate_limited", message, { retryAfter: 1 });
  }

  /** Counts a stream; the returned function ends it. */
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
