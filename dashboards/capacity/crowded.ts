import type { Redis } from "ioredis";
import { type Pool, pools } from "../../contract/operation.ts";
import type { Database } from "../../db/client.ts";
import { redisTime } from "../../runtime/store-clock.ts";
import { refusedCalls } from "../calls/refused.ts";
import type { Sample } from "./sample.ts";

const lastMs = 60_000;
const mostRead = 2_000;

/** The account of each pool with most calls refused by its own concurrency limit in the last minute. */
export async function crowdedAccounts(
  redis: Redis,
  db: Database | undefined,
): Promise<Sample["crowdedBy"]> {
  const now = await redisTime(redis);
  const { calls } = await refusedCalls(
    redis,
    { from: now - lastMs, to: now + 1, now, limit: mostRead },
    ({ error }) => error?.type === "rate_limited" && (error.message ?? "").endsWith(" at once"),
  );
  const counts = new Map<string, Map<number, number>>();
  for (const { entry } of calls) {
    const { pool, account } = entry;
    if (pool === undefined || account === undefined) continue;
    const ofPool = counts.get(pool) ?? new Map<number, number>();
    ofPool.set(account, (ofPool.get(account) ?? 0) + 1);
    counts.set(pool, ofPool);
  }
  const most = pools.flatMap((pool): [Pool, number][] => {
    const [first] = [...(counts.get(pool) ?? [])].toSorted(([, a], [, b]) => b - a);
    return first ? [[pool, first[0]]] : [];
  });
  if (!db || most.length === 0) return undefined;
  const ids = most.map(([, id]) => id);
  const rows = await db.answer(
    db.sql<{ id: number; name: string }[]>`
      select id::float8 as id, name from accounts where id = any(${ids}::bigint[])`,
  );
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return Object.fromEntries(
    most.flatMap(([pool, id]) => {
      const name = names.get(id);
      return name === undefined ? [] : [[pool, name]];
    }),
  );
}
