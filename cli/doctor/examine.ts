import { findSystem } from "../system.ts";
import type { System } from "../system.ts";
import { examined, fail } from "./check.ts";
import type { Check } from "./check.ts";
import { checkChromium } from "./chromium.ts";
import { checkEgress, workerFilter } from "./egress.ts";
import { checkPostgres } from "./postgres.ts";
import { checkRedis } from "./redis.ts";
import { checkUpstreams } from "./upstreams.ts";
import { checkWorkers } from "./workers.ts";

const noRedis = "REDIS_URL is not set: name the Redis of the system that DATABASE_URL belongs to.";

async function checkStores(system: System): Promise<Check[]> {
  const { databaseUrl, redisUrl } = system;
  const checks = await Promise.all([
    redisUrl === undefined
      ? [fail("redis", noRedis)]
      : examined("redis", () => checkRedis(redisUrl)),
    examined("postgres", () => checkPostgres(databaseUrl)),
    redisUrl === undefined ? [] : examined("workers", () => checkWorkers(redisUrl)),
  ]);
  return checks.flat();
}

/** Runs every check; never throws. */
export async function examine(env: NodeJS.ProcessEnv): Promise<Check[]> {
  const checks = await Promise.all([
    examined("system", () => checkStores(findSystem(env))),
    examined("chromium", () => checkChromium(env)),
    examined(workerFilter, () => checkEgress(env)),
    examined("upstreams", () => checkUpstreams(env)),
  ]);
  return checks.flat();
}
