import { GatewayError } from "../../contract/errors.ts";
import { networkOf } from "../../runtime/network.ts";
import { type Caller, type ClaimedKey, ownerName } from "../auth.ts";
import type { Acquired } from "./call-limiter.ts";

/** Names that are remembered at once; idle ones are forgotten first. */
const mostNames = 10_000;

/** Calls taken under a name since the last `takenSince`. */
export interface Taken {
  count: number;
  perSecond: number;
  burst: number;
}

/** Rate limiter: a rate limit for each name (GCRA: a burst at once, then evenly). */
export class RateLimiter {
  readonly #nextAt = new Map<string, number>();
  #taken = new Map<string, Taken>();
  readonly #now: () => number;

  constructor(now: () => number = performance.now.bind(performance)) {
    this.#now = now;
  }

  /** Milliseconds until the next call is allowed; 0 when it is. */
  waitMs(name: string, perSecond: number, burst: number): number {
    const now = this.#now();
    const interval = 1000 / perSecond;
    const nextAt = Math.max(now, this.#nextAt.get(name) ?? 0);
    const wait = nextAt + interval - now - burst * interval;
    return wait > 1e-6 ? wait : 0;
  }

  take(name: string, perSecond: number, burst: number): number {
    const wait = this.waitMs(name, perSecond, burst);
    if (wait > 0) return wait;
    this.charge(name, perSecond, 1);
    const known = this.#taken.get(name);
    if (known) known.count += 1;
    else if (this.#taken.size < mostNames) this.#taken.set(name, { count: 1, perSecond, burst });
    return 0;
  }

  /** Takes `count` calls at once, whether they are allowed or not: the next call waits until all are paid off. */
  charge(name: string, perSecond: number, count: number): void {
    const now = this.#now();
    const nextAt = Math.max(now, this.#nextAt.get(name) ?? 0) + (count * 1000) / perSecond;
    if (this.#nextAt.size >= mostNames) this.#forget(now);
    this.#nextAt.set(name, nextAt);
  }

  /** Returns the calls taken here since the previous call of this method. */
  takenSince(): Map<string, Taken> {
    const taken = this.#taken;
    this.#taken = new Map();
    return taken;
  }

  /**
   * Counts calls that other processes took evenly over the last `overMs`; the wait that results is at most that
   * of a burst.
   */
  addOthers(name: string, { count, perSecond, burst }: Taken, overMs: number): void {
    const now = this.#now();
    const interval = 1000 / perSecond;
    const from = Math.max(now - overMs, this.#nextAt.get(name) ?? 0);
    const nextAt = Math.min(from + count * interval, now + 2 * burst * interval);
    if (nextAt > now) this.#nextAt.set(name, Math.max(nextAt, this.#nextAt.get(name) ?? 0));
  }

  #forget(now: number): void {
    for (const [name, nextAt] of this.#nextAt) if (nextAt <= now) this.#nextAt.delete(name);
    // Remove many at once: a scan of all names for every new name would be an attack of its own.
    for (const name of this.#nextAt.keys()) {
      if (this.#nextAt.size < mostNames * 0.9) return;
      this.#nextAt.delete(name);
    }
  }
}

/** Rate limit of refused keys per address: ten a second, and a hundred at once. */
const ofRefused = [10, 100] as const;

export interface EntryLimiter {
  /** Takes one call from the caller's rate, whatever becomes of the request; undefined when it is allowed. */
  enter(caller: Caller): { error: GatewayError; limits: Acquired } | undefined;
  /** Throws when this address has sent too many invalid keys, unless it claims a key that exists. */
  checkAddress(address: string, claimed?: ClaimedKey): Promise<void>;
  refused(address: string, claimed?: ClaimedKey): void;
}

/**
 * Rate limit before a body is read: an invalid call, a replay and the gateway's own endpoints cost the caller
 * as much as any other call. Each process counts by itself and learns the counts of the others a little later
 * (`shared-rate-limits.ts`); the limiter in Redis (`call-limiter.ts`) counts exactly.
 */
export function createEntryLimiter(rates = new RateLimiter()): EntryLimiter {
  return {
    enter(caller) {
      const { ratePerSecond } = caller;
      const waitMs = rates.take(ownerName(caller), ratePerSecond, ratePerSecond);
      if (waitMs === 0) return undefined;
      const error = new GatewayError("rate_limited", `More than ${ratePerSecond} calls a second`, {
        retryAfter: Math.max(1, Math.ceil(waitMs / 1000)),
      });
      return { error, limits: { kind: "rate", remaining: 0, waitMs, waiting: 0, priority: 0 } };
    },
    async checkAddress(address, claimed) {
      const waitMs = rates.waitMs(networkOf(address), ...ofRefused);
      if (waitMs === 0) return;
      // Strangers behind the address keep no caller out. Guesses of one key's secret have a limit of their own.
      const isFree = claimed && rates.waitMs(nameOf(address, claimed), ...ofRefused) === 0;
      if (isFree && (await claimed.exists())) return;
      throw new GatewayError("rate_limited", "Too many calls without a valid key", {
        retryAfter: Math.max(1, Math.ceil(waitMs / 1000)),
      });
    },
    refused(address, claimed) {
      if (rates.take(networkOf(address), ...ofRefused) > 0 && claimed)
        rates.take(nameOf(address, claimed), ...ofRefused);
    },
  };
}

const nameOf = (address: string, { id }: ClaimedKey) => `${networkOf(address)} ${id}`;
