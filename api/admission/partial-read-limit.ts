import type { IncomingMessage } from "node:http";
import { partHeader } from "../../contract/field-selection.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { Owner } from "../../db/owner.ts";
import { ownerName } from "../auth.ts";
import { RateLimiter } from "./rate-limiter.ts";

/** Megabytes of stored answers of which parts may be read at once, and then each second. */
const atOnce = 96;
const perSecond = 8;
const megabyte = 1024 * 1024;

/**
 * Rate limit for reading parts of stored answers. Every part reads and parses the whole answer, 10 ms a megabyte,
 * and a repetition is free; a part is small and soon written, so no other limit applies.
 */
export class PartialReadLimit {
  readonly #rates: RateLimiter;

  constructor(rates = new RateLimiter()) {
    this.#rates = rates;
  }

  /** Milliseconds until the limit allows another part; 0 when it does. */
  waitMs(owner: Owner): number {
    return this.#rates.waitMs(ownerName(owner), perSecond, atOnce);
  }

  /**
   * Counts an answer before it is read; throws when its caller is over the limit. Answers below a megabyte are
   * not counted.
   */
  take(owner: Owner, bytes: number): void {
    const megabytes = Math.floor(bytes / megabyte);
    if (megabytes === 0) return;
    const waitMs = this.waitMs(owner);
    if (waitMs > 0) {
      const message = "Parts of large answers are requested too fast; request the whole answer";
      throw new GatewayError("rate_limited", message, { retryAfter: Math.ceil(waitMs / 1000) });
    }
    this.#rates.charge(ownerName(owner), perSecond, megabytes);
  }
}

/** Whether the request returns, or stores, less than the whole answer. */
export const isPart = ({ headers }: IncomingMessage, fields: readonly string[] | undefined) =>
  fields !== undefined || [partHeader, "svc-fields"].some((name) => headers[name] !== undefined);
