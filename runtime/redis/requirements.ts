import type { Redis } from "ioredis";
import { retryUntil } from "../retry.ts";
import { infoOf, nextReady } from "./connection.ts";

/** Requirements on Redis, checked the same way by every process that uses it. */

/** The API refuses new calls from this share of Redis's maxmemory on: running calls may need the rest. */
export const redisFullAt = 0.9;

/** Between two questions that Redis has not answered. */
const pauseMs = 500;

export interface RedisFacts {
  version: string;
  /** Empty where the server does not report it. */
  policy: string;
  appendOnly: boolean;
}

/** Reads the answer of INFO. */
export function redisFactsOf(info: string): RedisFacts {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, "m").exec(info)?.[1] ?? "";
  return {
    version: field("redis_version"),
    policy: field("maxmemory_policy"),
    appendOnly: field("aof_enabled") === "1",
  };
}

/** One sentence when Redis is unfit for a queue, otherwise undefined. */
export function redisObjection({ version, policy }: RedisFacts): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < 6 || (major === 6 && minor < 2)) {
    return `Redis ${version} is too old: 6.2 or later is needed.`;
  }
  return policyObjection(policy);
}

/** One sentence when Redis may drop queued work once its memory is full, otherwise undefined. */
export const policyObjection = (policy: string): string | undefined =>
  policy === "noeviction"
    ? undefined
    : `Redis has maxmemory-policy ${policy}, which lets it drop queued work: set it to noeviction (redis-cli config set maxmemory-policy noeviction).`;

/** One sentence when Redis has no append-only file, otherwise undefined. */
export function redisWarning({ appendOnly }: RedisFacts): string | undefined {
  return appendOnly
    ? undefined
    : "The append-only file of Redis is off, so a restart of Redis loses the calls in its queues: set appendonly yes (redis-cli config set appendonly yes).";
}

/** Waits until Redis answers. Throws one sentence when it is unfit, and passes a warning to `warn`. */
export async function requireRedis(redis: Redis, warn: (message: string) => void): Promise<void> {
  const ask = async () => {
    if (redis.status !== "ready") await nextReady(redis);
    return infoOf(redis);
  };
  const facts = redisFactsOf(await retryUntil(ask, { pauseMs, isOver: () => false }));
  const objection = redisObjection(facts);
  if (objection !== undefined) throw new Error(objection);
  const warning = redisWarning(facts);
  if (warning !== undefined) warn(warning);
}
