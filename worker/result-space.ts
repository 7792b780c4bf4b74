import type { Redis, Result } from "ioredis";
import { infoOf } from "../runtime/redis/connection.ts";
import { resultKey } from "../runtime/redis/keys.ts";
import {
  resultSpaceBytesKey,
  resultSpaceKey,
  reserveSpaceScript,
} from "../runtime/redis/result-space.ts";

declare module "ioredis" {
  interface RedisCommander<Context> {
    reserveSpace(...keysAndArguments: (string | number)[]): Result<0 | 1, Context>;
  }
}

/** Shares of Redis's memory: storing and reading an outcome briefly holds up to three copies of it. */
const shares = { all: 0.3, pool: 0.2, tenant: 0.1 };
/** Assumed memory of a Redis without a limit. */
const unlimitedBytes = 4 * 1024 ** 3;
const memoryFreshMs = 10_000;

export interface LargeOutcome {
  jobId: string;
  bytes: number;
  pool: string;
  tenant: string;
  lifeMs: number;
}

/** Reserves result space: false when there is none. A job that holds space already takes no more. */
export function createResultSpace(redis: Redis): (outcome: LargeOutcome) => Promise<boolean> {
  redis.defineCommand("reserveSpace", { numberOfKeys: 3, lua: reserveSpaceScript });
  let memory = { bytes: unlimitedBytes, at: -Infinity };

  async function memoryBytes(): Promise<number> {
    if (performance.now() - memory.at > memoryFreshMs) {
      const limit = Number(/^maxmemory:(\d+)/m.exec(await infoOf(redis, "memory"))?.[1] ?? 0);
      memory = { bytes: limit > 0 ? limit : unlimitedBytes, at: performance.now() };
    }
    return memory.bytes;
  }

  return async ({ jobId, bytes, pool, tenant, lifeMs }) => {
    const total = await memoryBytes();
    const limits = [shares.all, shares.pool, shares.tenant].map((share) =>
      Math.floor(total * share),
    );
    const taken = await redis.reserveSpace(
      resultSpaceKey,
      resultSpaceBytesKey,
      resultKey(jobId),
      jobId,
      bytes,
      pool,
      tenant,
      lifeMs,
      ...limits,
    );
    return taken === 1;
  };
}
