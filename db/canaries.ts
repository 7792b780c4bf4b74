import type { Database } from "./client.ts";

/** Results of the daily calls of `gateway verify --daily`, one for each operation and day. */

export interface Canary {
  /** Calendar day in UTC. */
  day: string;
  operation: string;
  /** Unix time in milliseconds. */
  at: number;
  upstreams: string[];
  /** Upstream, method and path template of each route that it covers. */
  routes: string[];
  verdict: string;
  fault: string | null;
  cause: string | null;
  /** Paths of the members that differed. */
  paths: string[];
  ms: number | null;
  /** Dollars that it counts in the day's budget. */
  dollars: number;
}

export const canariesKeptDays = 30;

/** Keeps the result of today, in place of an earlier one, and deletes those of more than 30 days ago. */
export async function keepCanary(db: Database, row: Omit<Canary, "day" | "at">): Promise<void> {
  const { operation, upstreams, routes, verdict, fault, cause, paths, ms, dollars } = row;
  await db.answer(db.sql`
    insert into canaries (day, operation, at, upstreams, routes, verdict, fault, cause, paths, ms, dollars)
    values ((now() at time zone 'UTC')::date, ${operation}, clock_timestamp(), ${JSON.stringify(upstreams)}::text::jsonb, ${JSON.stringify(routes)}::text::jsonb,
      ${verdict}, ${fault}, ${cause}, ${JSON.stringify(paths)}::text::jsonb, ${ms}::int, ${dollars}::float8)
    on conflict (day, operation) do update set
      at = excluded.at, upstreams = excluded.upstreams, routes = excluded.routes, verdict = excluded.verdict,
      fault = excluded.fault, cause = excluded.cause, paths = excluded.paths, ms = excluded.ms,
      dollars = canaries.dollars + excluded.dollars`);
  await db.answer(db.sql`
    delete from canaries where day < (now() at time zone 'UTC')::date - ${canariesKeptDays}::int`);
}

/** The rows of the last days, newest first; of one day for `days` 1. */
export async function readCanaries(db: Database, days = canariesKeptDays): Promise<Canary[]> {
  return db.answer(
    db.sql<Canary[]>`
      select to_char(day, 'YYYY-MM-DD') as day, operation,
        (extract(epoch from at) * 1000)::float8 as at, upstreams, routes, verdict, fault, cause, paths, ms, dollars
      from canaries where day > (now() at time zone 'UTC')::date - ${days}::int
      order by canaries.day desc, canaries.at desc, operation`,
    5_000,
  );
}

/** The last result of each operation. */
export async function lastCanaries(db: Database): Promise<Canary[]> {
  return db.answer(
    db.sql<Canary[]>`
      select distinct on (operation) to_char(day, 'YYYY-MM-DD') as day, operation,
        (extract(epoch from at) * 1000)::float8 as at, upstreams, routes, verdict,
        fault, cause, paths, ms, dollars
      from canaries order by operation, canaries.day desc`,
    5_000,
  );
}
