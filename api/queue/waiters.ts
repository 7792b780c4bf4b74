import type { Redis, Result } from "ioredis";
import { decodeHints, decodeOutcome } from "../../runtime/queue.ts";
import { queueOf, queuePrefix, resultKey } from "../../runtime/redis/keys.ts";
import type { JobOutcome } from "../../runtime/queue.ts";
import type { Metrics } from "../../runtime/metrics.ts";
import type { Pool } from "../../contract/operation.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import { bestEffort } from "../stores.ts";
import { Stall, seeClosed } from "./stall.ts";
import { type Waiter as WaiterOf, WaiterRegistry } from "./waiter-registry.ts";

/** How a wait ends: with the job's outcome, at its deadline, because the caller left, or because the job is gone. */
export type Waited =
  | { kind: "outcome"; outcome: JobOutcome; data: Buffer }
  | { kind: "deadline" }
  | { kind: "gone" }
  | { kind: "lost" };

interface WaitOptions {
  jobId: string;
  pool: Pool;
  /** Unix time in milliseconds. */
  deadline: number;
  gone?: AbortSignal | undefined;
  eager?: boolean;
}

interface Waiting {
  pool: Pool;
  since: number;
  /** Polls at every tick, because no hint will reach this process. */
  eager: boolean;
  /** The job is known to be in its queue; before that it cannot be missing. */
  added: boolean;
  /** Polls in a row that found the job missing or ended without a result. */
  misses: number;
}

/** Its key is the id of the job. */
type Waiter = WaiterOf<string, Waited, Waiting>;

const left: Waited = { kind: "gone" };
const tickMs = 250;
const patienceMs = 1000;
/** A job missing this many times in a row is lost; a single poll may fall between two writes of the worker. */
const missesBelieved = 2;

/**
 * Which of these jobs have an outcome (their number, from 1) and which are gone or ended without one
 * (their number, negative): one command for hundreds of calls, of which most simply still run.
 */
const lookScript = `
local found = {}
for i = 1, #KEYS, 2 do
  local number = (i + 1) / 2
  if redis.call('EXISTS', KEYS[i]) == 1 then
    found[#found + 1] = number
  else
    local job = redis.call('HMGET', KEYS[i + 1], 'timestamp', 'finishedOn')
    if not job[1] or job[2] then found[#found + 1] = -number end
  end
end
return found`;

/** Jobs looked at by one command, so that Redis serves others in between. */
const lookedAtOnce = 500;

declare module "ioredis" {
  interface RedisCommander<Context> {
    lookAtJobs(keyCount: number, ...keys: string[]): Result<number[], Context>;
  }
}

/**
 * Calls of this process that wait for a job. The result key in Redis is the only truth; hints on the reply
 * channel make it fast, and polling makes it certain.
 */
export class Waiters {
  readonly #redis: Redis;
  readonly #metrics: Metrics;
  readonly #waiting = new WaiterRegistry<string, Waited, Waiting>();
  readonly #timer: NodeJS.Timeout;
  readonly #stall = new Stall();
  #lastSweep = 0;
  #looking = false;

  constructor(redis: Redis, subscriber: Redis, metrics: Metrics) {
    redis.defineCommand("lookAtJobs", { lua: lookScript });
    this.#redis = redis;
    this.#metrics = metrics;
    subscriber.on("messageBuffer", (_channel: Buffer, message: Buffer) => this.#hinted(message));
    redis.on("ready", () => void this.#look(true));
    subscriber.on("ready", () => void this.#look(true));
    this.#timer = setInterval(() => {
      this.#stall.turned();
      void this.#look(false);
    }, tickMs);
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Register before the job is added: its result may come first. */
  wait(options: WaitOptions): Promise<Waited> {
    return this.open(options).result;
  }

  /** A wait that `end` ends where the job is not added after all. */
  open({ jobId, pool, deadline, gone, eager = false }: WaitOptions): Waiter {
    const since = monotonicNow();
    return this.#waiting.open(
      jobId,
      { pool, since, eager, added: false, misses: 0 },
      { withinMs: Math.max(0, deadline - since), expired: this.#lastLook, gone, left },
    );
  }

  /** Marks the job as added: if it is not found from now on, it is lost. */
  added(jobId: string): void {
    for (const { state } of this.#waiting.of(jobId) ?? []) state.added = true;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #hinted(message: Buffer): void {
    const { hints, rest } = decodeHints(message);
    // A later release wrote part of the message: poll to find the waiters it is for.
    if (rest) void this.#look(true);
    for (const { jobId, stored } of hints) {
      const waiters = this.#waiting.of(jobId);
      if (!waiters) continue;
      if (stored) this.#finish([...waiters], stored, "hint");
      else void this.#fetch([...waiters], "hint");
    }
  }

  #finish(waiters: Waiter[], stored: Buffer, source: "hint" | "poll"): void {
    let decoded: ReturnType<typeof decodeOutcome>;
    try {
      decoded = decodeOutcome(stored);
    } catch {
      // A later release wrote the outcome. The process that sent the job reads it, and its stored answer is
      // found then.
      return;
    }
    this.#metrics.count("gateway_results_received_total", { source });
    const end = () => {
      for (const waiter of waiters) waiter.end({ kind: "outcome", ...decoded });
    };
    if (this.#stall.isRecent) void seeClosed().then(end);
    else end();
  }

  /** Reads an outcome that is too large for its hint. The next poll makes up for a failed read. */
  async #fetch(waiters: Waiter[], source: "hint" | "poll"): Promise<void> {
    const stored = await this.#redis
      .getBuffer(resultKey((waiters[0] as Waiter).key))
      .catch(() => null);
    if (stored) this.#finish(waiters, stored, source);
  }

  readonly #lastLook = (waiter: Waiter): void => {
    const look = this.#redis.getBuffer(resultKey(waiter.key)).then((stored) => {
      if (stored) this.#finish([waiter], stored, "poll");
    });
    void bestEffort(look).then(() => waiter.end({ kind: "deadline" }));
  };

  async #look(all: boolean): Promise<void> {
    if (this.#looking || this.#waiting.size === 0) return;
    const now = monotonicNow();
    const sweep = all || now - this.#lastSweep >= patienceMs;
    const due = [...this.#waiting.groups()].filter((waiters) =>
      [...waiters].some(
        ({ state }) => all || state.eager || (sweep && now - state.since >= patienceMs),
      ),
    );
    if (due.length === 0) return;
    if (sweep) this.#lastSweep = now;
    this.#looking = true;
    try {
      for (let at = 0; at < due.length; at += lookedAtOnce) {
        await this.#reconcile(due.slice(at, at + lookedAtOnce).map((waiters) => [...waiters]));
      }
    } catch {
      // Redis is away: the next tick or `ready` looks again.
    } finally {
      this.#looking = false;
    }
  }

  async #reconcile(groups: Waiter[][]): Promise<void> {
    const keys = (groups as [Waiter][]).flatMap(([{ key: jobId, state }]) => [
      resultKey(jobId),
      `${queuePrefix}:${queueOf(state.pool)}:${jobId}`,
    ]);
    const found = new Set(await this.#redis.lookAtJobs(keys.length, ...keys));
    const stored = groups.filter((_, index) => found.has(index + 1));
    for (const [index, waiters] of groups.entries()) {
      const gone = found.has(-index - 1);
      for (const waiter of waiters) {
        const { state } = waiter;
        state.misses = gone && state.added ? state.misses + 1 : 0;
        if (state.misses >= missesBelieved) waiter.end({ kind: "lost" });
      }
    }
    await Promise.all(stored.map((waiters) => this.#fetch(waiters, "poll")));
  }
}
