import type { Redis } from "ioredis";
import type { StoreClock } from "../../runtime/store-clock.ts";
import { type Heartbeat, heartbeatFreshMs } from "../../runtime/queue.ts";
import { infoOf } from "../../runtime/redis/connection.ts";
import { policyObjection, redisFactsOf, redisFullAt } from "../../runtime/redis/requirements.ts";
import { heartbeatKey } from "../../runtime/redis/keys.ts";
import { type Pool, pools } from "../../contract/operation.ts";

const lookEveryMs = 1000;
/** Slots assumed for a pool while no worker reports. */
const assumedSlots = 4;

export interface PoolState {
  workers: number;
  slots: number;
  running: number;
  meanRunMs: number;
  /** Workers on whose machines items run one at a time, so that calls get the processors. */
  holdItemsBack: number;
}

const unknown: PoolState = {
  workers: 0,
  slots: assumedSlots,
  running: 0,
  meanRunMs: 0,
  holdItemsBack: 0,
};

/**
 * The latest heartbeats of workers by pool, how full Redis is, and whether it may drop work: polled once a second
 * until closed.
 */
export class PoolStates {
  readonly #redis: Redis;
  readonly #clock: StoreClock;
  readonly #states = new Map<Pool, PoolState>();
  readonly #timer: NodeJS.Timeout;
  #nearlyFull = false;
  #objection: string | undefined;
  readonly #onObjection: (objection: string) => void;
  #looking: Promise<void> | undefined;

  /** `onObjection` is called each time that Redis gets a setting that may lose work. */
  constructor(redis: Redis, clock: StoreClock, onObjection: (objection: string) => void) {
    this.#redis = redis;
    this.#clock = clock;
    this.#onObjection = onObjection;
    this.#timer = setInterval(() => void this.look(), lookEveryMs);
  }

  /** Last known figures of a pool; assumed ones while no worker has reported for a minute. */
  of(pool: Pool): PoolState {
    return this.#states.get(pool) ?? unknown;
  }

  /**
   * Figures that are no older than a missing worker's start: while no worker is known Redis is asked again, as one
   * may have started since the last look. Calls that ask at the same time share a look.
   */
  async known(pool: Pool): Promise<PoolState> {
    if (!this.#states.has(pool)) {
      this.#looking ??= this.look().finally(() => (this.#looking = undefined));
      await this.#looking;
    }
    return this.of(pool);
  }

  /** Redis is so full that running calls may need the rest. */
  get nearlyFull(): boolean {
    return this.#nearlyFull;
  }

  /** One sentence while Redis has a setting that may lose work. */
  get objection(): string | undefined {
    return this.#objection;
  }

  async look(): Promise<void> {
    const memory = await infoOf(this.#redis, "memory").catch(() => "");
    const bytes = (name: string) =>
      Number(new RegExp(`^${name}:(\\d+)`, "m").exec(memory)?.[1] ?? 0);
    const most = bytes("maxmemory");
    this.#nearlyFull = most > 0 && bytes("used_memory") > most * redisFullAt;
    const { policy } = redisFactsOf(memory);
    if (policy !== "") this.#judge(policyObjection(policy));
    await this.#clock.measure(this.#redis).catch(() => undefined);
    const fresh = this.#clock.now() - heartbeatFreshMs;
    const found = new Map<Pool, Heartbeat[]>();
    for (const pool of pools) {
      const beats = await this.#redis.hgetall(heartbeatKey(pool)).catch(() => undefined);
      if (!beats) return;
      const workers = Object.values(beats)
        .map((json) => JSON.parse(json) as Heartbeat)
        .filter((beat) => beat.at >= fresh && !beat.quiet);
      found.set(pool, workers);
    }
    const slowed = slowedHosts([...found.values()].flat());
    for (const [pool, workers] of found) {
      if (workers.length === 0) this.#states.delete(pool);
      else this.#states.set(pool, together(workers, slowed));
    }
  }

  #judge(objection: string | undefined): void {
    if (objection !== undefined && objection !== this.#objection) this.#onObjection(objection);
    this.#objection = objection;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/** Machines that slow down jobs whose callers wait: the items of every pool there take processors from them. */
function slowedHosts(beats: readonly Heartbeat[]): ReadonlySet<string> {
  return new Set(beats.flatMap((beat) => (beat.holds_items_back && beat.machine?.host) || []));
}

function together(workers: readonly Heartbeat[], slowed: ReadonlySet<string>): PoolState {
  const sum = (read: (beat: Heartbeat) => number) =>
    workers.reduce((total, beat) => total + read(beat), 0);
  return {
    workers: workers.length,
    slots: sum((beat) => beat.slots),
    running: sum((beat) => beat.running),
    meanRunMs: sum((beat) => beat.mean_run_ms) / workers.length,
    holdItemsBack: workers.filter(
      (beat) => beat.holds_items_back || (beat.machine && slowed.has(beat.machine.host)),
    ).length,
  };
}
