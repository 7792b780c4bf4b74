import { openRedis } from "../../runtime/redis/connection.ts";
import { readProcesses } from "../../runtime/processes.ts";
import { redisTime } from "../../runtime/store-clock.ts";
import { heartbeatFreshMs } from "../../runtime/queue.ts";
import { heartbeatKey } from "../../runtime/redis/keys.ts";
import type { Heartbeat } from "../../runtime/queue.ts";
import { pools } from "../../contract/operation.ts";
import type { Pool } from "../../contract/operation.ts";
import { checkClocks, skewsOf } from "./clocks.ts";
import { checkBuilds } from "./versions.ts";
import { fail, ok } from "./check.ts";
import type { Check } from "./check.ts";

const timeoutMs = 5000;

function isFresh(text: string, now: number): boolean {
  try {
    return now - (JSON.parse(text) as Heartbeat).at <= heartbeatFreshMs;
  } catch {
    return false;
  }
}

function checkPool(pool: Pool, beats: string[], now: number): Check {
  const name = `workers ${pool}`;
  const workers = beats
    .filter((text) => isFresh(text, now))
    .map((text) => JSON.parse(text) as Heartbeat);
  if (workers.length === 0)
    return fail(name, `No worker has a fresh heartbeat: start one with WORKER_POOLS=${pool}.`);
  const slots = workers.reduce((sum, worker) => sum + worker.slots, 0);
  const running = workers.reduce((sum, worker) => sum + worker.running, 0);
  const count = workers.length === 1 ? "1 process" : `${workers.length} processes`;
  return ok(name, `${count}, ${running} of ${slots} slots in use.`);
}

/** Checks the workers of each pool by their heartbeats. */
export async function checkWorkers(redisUrl: string): Promise<Check[]> {
  const redis = openRedis(redisUrl, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // The rejected promise reports the same error.
  redis.on("error", () => {});
  try {
    await redis.connect();
    const now = await redisTime(redis);
    const checks = await Promise.all(
      pools.map(async (pool) => checkPool(pool, await redis.hvals(heartbeatKey(pool)), now)),
    );
    const processes = await readProcesses(redis, now);
    return [...checks, checkBuilds(processes), ...checkClocks(skewsOf(processes))];
  } catch {
    return [fail("workers", "Redis does not answer, so the workers are unknown.")];
  } finally {
    redis.disconnect();
  }
}
