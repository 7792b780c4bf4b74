import type { IncomingMessage } from "node:http";
import { partHeader } from "../../contract/field-selection.ts";
import { GatewayError } from "../../contract/errors.ts";
import { type Caller, ownerName } from "../auth.ts";
import { RateLimiter } from "./rate-limiter.ts";

/** Megabytes of kept answers that may be reduced at once, and then each second. */
const atOnce = 96;
const perSecond = 8;
const megabyte = 1024 * 1024;

type Who = Pick<Caller, "accountId" | "mode">;

/**
 * Rate limit for parts of kept answers. A part needs the whole to be read and parsed, 10 ms a megabyte, and
 * repeats are free; the small answer is soon written, so no other limit applies.
 */
export class PartialReadLimit {
  readonly #rates: RateLimiter;

  constructor(rates = new RateLimiter()) {
    this.#rates = rates;
  }

  /** Milliseconds until the limit allows another part; 0 when it does. */
  waitMs(who: Who): number {
    return this.#rates.waitMs(ownerName(who), perSecond, atOnce);
  }

  /**
   * Counts an answer before it is read; throws when its caller is over the limit. Answers below a megabyte are
   * not counted.
   */
  take(who: Who, bytes: number): void {
    const megabytes = Math.floor(bytes / megabyte);
    if (megabytes === 0) return;
    const name = ownerName(who);
    const waitMs = this.waitMs(who);
    if (waitMs > 0) {
      const message = "Parts of large answers are asked for too fast; ask for the whole";
      throw new GatewayError("rate_limited", message, { retryAfter: Math.ceil(waitMs / 1000) });
    }
    for (let count = 0; count < megabytes; count += 1) this.#rates.take(name, perSecond, atOnce);
  }
}

/** Whether the caller returns, or keeps, less than the whole answer. */
export const isPart = ({ headers }: IncomingMessage, fields: readonly string[] | undefined) =>
  fields !== undefined || [partHeader, "svc-fields"].some((name) => headers[name] !== undefined);
