import { GatewayError } from "../../contract/errors.ts";
import type { Owner } from "../../db/owner.ts";
import { ownerName } from "../auth.ts";
import { RateLimiter } from "./rate-limiter.ts";

/** Bytes of refused bodies in these units, so many at once, and then each second. */
const unit = 64 * 1024;
const atOnce = 1024;
const perSecond = 64;

/**
 * Rate limit for the bytes of refused bodies. A refusal is free and costs the API's thread as much as a call of
 * that size, so at an account's rate of calls megabytes of faults would leave little of the thread to others. Bodies
 * below a unit are neither counted nor refused.
 */
export class RefusedBytes {
  readonly #rates = new RateLimiter();

  /** Throws before a body of this length is read when too many bytes of its caller were refused. */
  check(owner: Owner, bytes: number): void {
    if (bytes < unit) return;
    const waitMs = this.#rates.waitMs(ownerName(owner), perSecond, atOnce);
    if (waitMs === 0) return;
    throw new GatewayError("rate_limited", "Large invalid bodies are sent too fast", {
      retryAfter: Math.max(1, Math.ceil(waitMs / 1000)),
    });
  }

  /** Counts a body that was refused. */
  refused(owner: Owner, bytes: number): void {
    if (bytes < unit) return;
    this.#rates.charge(ownerName(owner), perSecond, Math.floor(bytes / unit));
  }
}
