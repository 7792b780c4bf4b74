import { createHash, randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { AccountTurns } from "../../runtime/account-turns.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import { upstreamLimitKey, upstreamLimitPrefix } from "../../runtime/latency-histograms.ts";
import { acquireScript, leaveScript, releaseScript, renewScript } from "./limits.lua.ts";
import type { Upstream } from "./upstream.ts";

/** Redis did not answer, so that the limits of an account cannot be checked. */
export class LimitsUnreachable extends Error {}

/** The account's limits granted no request within the time to wait. */
export class LimitTimeout extends Error {}

/** The account's limit of the last 24 hours is used up. */
export class DayLimitReached extends Error {}

export interface Patience {
  /** Account of the gateway that waits; accounts take turns. */
  account: string;
  signal: AbortSignal;
  /** Most milliseconds to wait. */
  waitMs: number;
  /** As how many requests the source counts this one; 1 by default. */
  units?: number | undefined;
}

export interface Limits {
  /**
   * Waits until the limits allow one more request with a credential. Returns the function that releases it.
   * Throws LimitsUnreachable, LimitTimeout, DayLimitReached, or the reason of the signal.
   */
  acquire(
    account: string,
    limits: NonNullable<Upstream["limits"]>,
    patience: Patience,
  ): Promise<() => void>;
  close(): void;
}

export interface LeaseTimes {
  /** A lease expires this long after its last renewal: its holder is lost. */
  leaseMs: number;
  renewEveryMs: number;
}

const defaultTimes: LeaseTimes = { leaseMs: 10_000, renewEveryMs: 3000 };
const commandTimeoutMs = 1500;
const leastPauseMs = 20;
const mostPauseMs = 500;

interface Wanted {
  lease: string;
  units: number;
}

/**
 * Rate and concurrency limits of upstream accounts, kept across all worker processes: a token bucket, the units
 * of each hour of a day, and a semaphore of leases in Redis.
 */
export function createLimits(
  redis: Redis,
  prefix = upstreamLimitPrefix,
  { leaseMs, renewEveryMs } = defaultTimes,
): Limits {
  const limiters = new Map<string, AccountLimiter>();
  const run = commandRunner(redis);
  const renewal = setInterval(() => {
    for (const limiter of limiters.values()) limiter.renew();
  }, renewEveryMs);
  renewal.unref();

  return {
    acquire(account, limits, patience) {
      const { simultaneous = 0, perSecond = 0, perDay = 0 } = limits;
      const shape = [simultaneous, perSecond, burstOf(limits), perDay] as const;
      const key = `${account} ${shape.join(" ")}`;
      let limiter = limiters.get(key);
      if (!limiter) {
        limiter = new AccountLimiter(run, { prefix, account }, shape, leaseMs);
        limiters.set(key, limiter);
      }
      return limiter.acquire(patience);
    },
    close() {
      clearInterval(renewal);
      for (const limiter of limiters.values()) limiter.close();
    },
  };
}

/** Without a stated burst, a tenth of a second's worth of requests may go out at once. */
function burstOf(limits: NonNullable<Upstream["limits"]>): number {
  return Math.max(1, limits.burst ?? Math.round((limits.perSecond ?? 0) / 10));
}

type Run = (script: string, keys: string[], args: (string | number)[]) => Promise<unknown>;

type Shape = readonly [simultaneous: number, perSecond: number, burst: number, perDay: number];

/**
 * Limiter of one upstream account in this process. Only one waiter polls Redis; the others wait for their turn, by
 * account of the gateway: calls of one account at its rate would hold a limit of one request a second for minutes.
 */
class AccountLimiter {
  readonly #run: Run;
  readonly #keys: string[];
  readonly #shape: Shape;
  readonly #leaseMs: number;
  readonly #id = randomUUID();
  readonly #held = new Set<string>();
  readonly #turns = new AccountTurns({ name: "limits of upstreams", slots: 1 });
  readonly #closed = new AbortController();
  #wake: () => void = () => {};
  #count = 0;

  constructor(
    run: Run,
    { prefix, account }: { prefix: string; account: string },
    shape: Shape,
    leaseMs: number,
  ) {
    this.#run = run;
    this.#keys = ["leases", "bucket", "queue", "seen", "hours"].map((part) =>
      upstreamLimitKey(prefix, account, part),
    );
    this.#shape = shape;
    this.#leaseMs = leaseMs;
  }

  async acquire({ account, signal, waitMs, units = 1 }: Patience): Promise<() => void> {
    signal.throwIfAborted();
    this.#count += 1;
    const lease = `${this.#id}:${this.#count}`;
    const start = monotonicNow();
    if (this.#isWaiting() || (await this.#request({ lease, units }, false)) !== granted) {
      const late = new AbortController();
      const leftMs = Math.max(0, waitMs - (monotonicNow() - start));
      const timer = setTimeout(() => late.abort(new LimitTimeout()), leftMs);
      try {
        const ends = AbortSignal.any([signal, late.signal, this.#closed.signal]);
        await this.#wait({ lease, units }, account, ends);
      } finally {
        clearTimeout(timer);
      }
    }
    const release = this.#hold(lease);
    if (signal.aborted) {
      release();
      throw signal.reason;
    }
    return release;
  }

  renew(): void {
    if (this.#held.size === 0) return;
    this.#run(renewScript, this.#keys, [this.#leaseMs, ...this.#held]).catch(() => {});
  }

  close(): void {
    for (const lease of this.#held) this.#release(lease);
    this.#closed.abort(new LimitsUnreachable("closed"));
  }

  #isWaiting(): boolean {
    return this.#turns.counts().running > 0;
  }

  async #wait(wanted: Wanted, account: string, ends: AbortSignal): Promise<void> {
    const turn = await this.#turns.take(account, ends);
    const wake = () => this.#wake();
    ends.addEventListener("abort", wake, { once: true });
    try {
      for (;;) {
        ends.throwIfAborted();
        const answer = await this.#request(wanted, true);
        if (answer === granted) break;
        await this.#pause(answer, ends);
      }
      if (!ends.aborted) return;
      this.#release(wanted.lease);
      throw ends.reason;
    } finally {
      ends.removeEventListener("abort", wake);
      turn.end();
      if (!this.#isWaiting()) this.#run(leaveScript, this.#keys, [this.#id]).catch(() => {});
    }
  }

  /**
   * `granted`, or milliseconds until the next request makes sense (0 when unknown). Throws DayLimitReached, as
   * hours may pass until the next one.
   */
  async #request({ lease, units }: Wanted, queued: boolean): Promise<number> {
    const [simultaneous, perSecond, burst, perDay] = this.#shape;
    const who = [lease, this.#leaseMs, this.#id, queued ? 1 : 0];
    const args = [simultaneous, perSecond, burst, ...who, perDay, units];
    const answer = Number(await this.#run(acquireScript, this.#keys, args));
    if (answer === dayIsUsed) throw new DayLimitReached();
    return answer;
  }

  #pause(hintMs: number, ends: AbortSignal): Promise<void> {
    if (ends.aborted) return Promise.resolve();
    const ms = hintMs > 0 ? hintMs : 25 + Math.random() * 25;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(mostPauseMs, Math.max(leastPauseMs, ms)));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #hold(lease: string): () => void {
    if (this.#shape[0] === 0) return () => {};
    this.#held.add(lease);
    return () => {
      if (this.#held.has(lease)) this.#release(lease);
    };
  }

  #release(lease: string): void {
    this.#held.delete(lease);
    if (this.#shape[0] === 0) return;
    this.#run(releaseScript, this.#keys, [lease]).then(
      () => this.#wake(),
      () => {},
    );
  }
}

const granted = -1;
const dayIsUsed = -2;

function commandRunner(redis: Redis): Run {
  const digests = new Map<string, string>();

  async function evaluate(
    script: string,
    keys: string[],
    args: (string | number)[],
  ): Promise<unknown> {
    let digest = digests.get(script);
    if (!digest) {
      digest = createHash("sha1").update(script).digest("hex");
      digests.set(script, digest);
    }
    try {
      return await redis.evalsha(digest, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
      return redis.eval(script, keys.length, ...keys, ...args);
    }
  }

  return async function run(script, keys, args) {
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error("no answer")), commandTimeoutMs);
    });
    try {
      return await Promise.race([evaluate(script, keys, args), tooLong]);
    } catch (error) {
      throw new LimitsUnreachable("Redis did not answer", { cause: error });
    } finally {
      clearTimeout(timer);
    }
  };
}
