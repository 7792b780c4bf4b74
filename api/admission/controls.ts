import type { Redis, Result } from "ioredis";
import {
  type QuietWorker,
  type UpstreamControl,
  quietWorkersKey,
  upstreamControlsKey,
} from "../../runtime/controls.ts";
import { GatewayError } from "../../contract/errors.ts";
import { queuePrefix, upstreamControlsChannel } from "../../runtime/redis/keys.ts";
import { type Operation, type Pool, pools } from "../../contract/operation.ts";
import type { Database } from "../../db/client.ts";
import { type Latest, latestControls } from "../../db/controls.ts";
import type { Caller } from "../auth.ts";
import { Poller } from "../poller.ts";
import { EndedWorkers } from "./ended-workers.ts";

declare module "ioredis" {
  interface RedisCommander<Context> {
    takeCapped(key: string, intervalMs: number, burst: number): Result<number, Context>;
  }
}

/**
 * Rate limit (GCRA) of so many calls a minute, with a second's worth at once. Returns 0, or milliseconds until
 * the next call is allowed.
 */
const takeScript = `
local t = redis.call('TIME')
local now = t[1] * 1000 + t[2] / 1000
local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local tat = math.max(now, tonumber(redis.call('GET', KEYS[1]) or '0')) + interval
local wait = tat - now - burst * interval
if wait > 0.001 then return math.ceil(wait) end
redis.call('SET', KEYS[1], tat, 'PX', math.ceil(tat - now) + 1000)
return 0`;

/** The longest Retry-After in seconds: an operator may take a decision back early. */
const mostRetryAfter = 30;

/** The part of BullMQ that pauses pools. */
export interface Pausing {
  isPaused(pool: Pool): Promise<boolean>;
  pause(pool: Pool, paused: boolean): Promise<void>;
}

/** Operators' decisions as this process knows them: at most a second old while the database answers. */
export class Controls {
  #standing = new Map<string, Latest>();
  /** Both on this process's steady clock. */
  #readAt = 0;
  readonly #poller = new Poller(() => this.#read());
  readonly #stores: { db: Database; redis: Redis; pausing: Pausing };
  readonly #ended: EndedWorkers;

  constructor(stores: { db: Database; redis: Redis; pausing: Pausing }) {
    this.#stores = stores;
    this.#ended = new EndedWorkers(stores);
    stores.redis.defineCommand("takeCapped", { numberOfKeys: 1, lua: takeScript });
  }

  close(): void {
    this.#poller.close();
  }

  /** Reads the decisions in effect and applies them in Redis. While a store is away the known ones stay. */
  poll(): Promise<void> {
    return this.#poller.poll();
  }

  async #read(): Promise<void> {
    try {
      const latest = await latestControls(this.#stores.db);
      this.#standing = new Map(
        latest.filter(({ effect }) => effect !== "none").map((one) => [nameOf(one), one]),
      );
      this.#readAt = performance.now();
      await Promise.all([this.#keepPools(latest), this.#publishForWorkers(latest)]);
      await this.#ended.look(latest);
    } catch {
      // Calls report outages.
    }
  }

  /**
   * Repeats a pause that Redis has lost and ends one that has expired. Pools without a decision are left alone.
   */
  async #keepPools(latest: readonly Latest[]): Promise<void> {
    const { pausing } = this.#stores;
    for (const { kind, target, effect } of latest) {
      if (kind !== "pool" || !pools.includes(target as Pool)) continue;
      const pool = target as Pool;
      const paused = effect === "pause";
      if ((await pausing.isPaused(pool)) !== paused) await pausing.pause(pool, paused);
    }
  }

  async #publishForWorkers(latest: readonly Latest[]): Promise<void> {
    const controls = latest
      .filter(({ kind, effect }) => kind === "upstream" && effect !== "none")
      .map(({ target, effect, perMinute, until }): UpstreamControl => ({
        upstream: target,
        perMinute: effect === "off" ? 0 : (perMinute ?? 0),
        until: until === null ? undefined : Math.round(until),
      }))
      .toSorted((a, b) => a.upstream.localeCompare(b.upstream));
    const quiet = latest
      .filter(({ kind, effect }) => kind === "worker" && effect === "pause")
      .map(({ target, until }): QuietWorker => ({
        worker: target,
        until: until === null ? undefined : Math.round(until),
      }))
      .toSorted((a, b) => a.worker.localeCompare(b.worker));
    const changed = await Promise.all([
      this.#publish(upstreamControlsKey, controls),
      this.#publish(quietWorkersKey, quiet),
    ]);
    if (changed.some(Boolean)) await this.#stores.redis.publish(upstreamControlsChannel, "");
  }

  /** Returns whether the list was another before. */
  async #publish(key: string, list: readonly object[]): Promise<boolean> {
    const { redis } = this.#stores;
    const text = JSON.stringify(list);
    if ((await redis.get(key)) === text) return false;
    await redis.set(key, text);
    return true;
  }

  #of(kind: string, target: string): { one: Latest; retryAfter: number } | undefined {
    if (this.#standing.size === 0) return undefined;
    const one = this.#standing.get(nameOf({ kind, target }));
    if (!one) return undefined;
    const leftMs = one.leftMs === null ? Infinity : one.leftMs - (performance.now() - this.#readAt);
    if (leftMs <= 0) return undefined;
    return { one, retryAfter: Math.max(1, Math.min(mostRetryAfter, Math.ceil(leftMs / 1000))) };
  }

  /** Throws when this caller's account or key is switched off or above its cap. */
  async checkCaller({ accountName, keyId }: Caller): Promise<void> {
    for (const [kind, target] of [
      ["account", accountName],
      ["key", keyId],
    ] as const) {
      const found = this.#of(kind, target);
      if (!found) continue;
      const { one, retryAfter } = found;
      if (one.effect === "off") {
        throw new GatewayError("rate_limited", `The ${kind} is switched off for the moment`, {
          retryAfter,
        });
      }
      const waitMs = await this.#take(one);
      if (waitMs === 0) continue;
      throw new GatewayError(
        "rate_limited",
        `More than ${one.perMinute} calls a minute, to which the ${kind} is limited for the moment`,
        { retryAfter: seconds(waitMs) },
      );
    }
  }

  /** Whether an operator has switched this operation or upstream off. */
  isOff(kind: "operation" | "upstream", target: string): boolean {
    return this.#of(kind, target)?.one.effect === "off";
  }

  /** Whether an operator has stopped the pool. */
  stops(pool: Pool): boolean {
    return this.#of("pool", pool) !== undefined;
  }

  /** Throws when an operator has stopped the pool, or stopped or capped the operation. */
  async checkWork(op: Operation): Promise<void> {
    const pool = this.#of("pool", op.pool);
    if (pool) throw shut("Work of this kind is stopped for the moment", pool.retryAfter);
    const operation = this.#of("operation", op.id);
    if (!operation) return;
    const { one, retryAfter } = operation;
    if (one.effect === "off")
      throw shut("The operation is switched off for the moment", retryAfter);
    const waitMs = await this.#take(one);
    if (waitMs > 0) throw shut("The operation is limited for the moment", seconds(waitMs));
  }

  /**
   * Milliseconds until the cap allows a call; 0 when it does. While Redis is away nothing else works either.
   */
  #take(one: Latest): Promise<number> {
    const perMinute = one.perMinute ?? 1;
    return this.#stores.redis
      .takeCapped(
        `${queuePrefix}:cap:${one.kind}:${one.target}`,
        60_000 / perMinute,
        Math.max(1, Math.round(perMinute / 60)),
      )
      .catch(() => 0);
  }
}

const nameOf = ({ kind, target }: Pick<Latest, "kind" | "target">) => `${kind} ${target}`;
const seconds = (ms: number) => Math.max(1, Math.min(mostRetryAfter, Math.ceil(ms / 1000)));
const shut = (message: string, retryAfter: number) =>
  new GatewayError("upstream_unavailable", message, { retryAfter });
