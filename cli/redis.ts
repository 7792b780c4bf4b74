import type { Redis } from "ioredis";
import { openRedis } from "../runtime/redis/connection.ts";
import { CliProblem } from "./problem.ts";
import { findSystem } from "./system.ts";

/** Connects to the system's Redis while `use` runs. */
export async function withRedis<T>(use: (redis: Redis) => Promise<T>): Promise<T> {
  const { redisUrl } = findSystem();
  if (redisUrl === undefined) throw new CliProblem("setup", "REDIS_URL is not set.");
  const redis = openRedis(redisUrl, {
    connectTimeout: 2000,
    commandTimeout: 10_000,
    maxRetriesPerRequest: 1,
    retryStrategy: () => null,
  });
  redis.on("error", () => undefined);
  try {
    return await use(redis);
  } catch (error) {
    throw new CliProblem("unavailable", "Redis does not answer.", { cause: error });
  } finally {
    redis.disconnect();
  }
}
