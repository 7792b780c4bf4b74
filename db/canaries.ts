import type { Database } from "./client.ts";
import { retried } from "./retry.ts";

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

/** Fault of a row whose run ended before the answer; its dollars count. */
export const interrupted = "interrupted";
const why = "The run ended before the answer.";

/** One call of a day, by an id of its own. */
interface CanaryCall {
  callId: string;
  operation: string;
  upstreams: readonly string[];
  routes: readonly string[];
  /** Dollars that it is expected to cost. */
  dollars: number;
}

/** A person or a timer waits this long for a database that comes back, in milliseconds. */
const patienceMs = 40_000;

/** Counts a call in the budget of today before it is made; once, however often it is repeated. */
export async function beginCanary(db: Database, call: CanaryCall): Promise<void> {
  const { callId, operation, upstreams, routes, dollars } = call;
  const { sql } = db;
  await retried(
    () =>
      db.answer(sql`
        insert into canaries (day, operation, at, upstreams, routes, verdict, fault, cause, paths, ms, dollars, call_id)
        values ((now() at time zone 'UTC')::date, ${operation}, clock_timestamp(), ${JSON.stringify(upstreams)}::text::jsonb, ${JSON.stringify(routes)}::text::jsonb,
          'unclear', ${interrupted}, ${why}, '[]', null, ${dollars}::float8, ${callId})
        on conflict (day, operation) do update set
          at = excluded.at, upstreams = excluded.upstreams, routes = excluded.routes, verdict = excluded.verdict,
          fault = excluded.fault, cause = excluded.cause, paths = excluded.paths, ms = null,
          dollars = canaries.dollars + excluded.dollars, call_id = excluded.call_id
        where canaries.call_id is distinct from excluded.call_id`),
    patienceMs,
  );
}

/** Keeps the result of a call that was begun, and its cost in place of the expected one; deletes rows of more than 30 days ago. */
export async function endCanary(
  db: Database,
  { callId, dollars: expected }: Pick<CanaryCall, "callId" | "dollars">,
  row: Omit<Canary, "day" | "at" | "routes">,
): Promise<void> {
  const { upstreams, verdict, fault, cause, paths, ms, dollars } = row;
  const { sql } = db;
  await retried(
    () =>
      db.answer(sql`
        update canaries set at = clock_timestamp(), upstreams = ${JSON.stringify(upstreams)}::text::jsonb,
          verdict = ${verdict}, fault = ${fault}, cause = ${cause}, paths = ${JSON.stringify(paths)}::text::jsonb,
          ms = ${ms ?? 0}::int, dollars = dollars + ${dollars - expected}::float8
        where call_id = ${callId} and ms is null`),
    patienceMs,
  );
  await db.answer(sql`
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

/** The results of one day in figures. */
export interface CanaryDay {
  /** Calendar day in UTC. */
  day: string;
  routes: number;
  calls: number;
  fails: number;
  worksBut: number;
  unclear: number;
  dollars: number;
}

/** The last days, newest first. */
export async function canaryDays(db: Database): Promise<CanaryDay[]> {
  return db.answer(
    db.sql<CanaryDay[]>`
      select to_char(c.day, 'YYYY-MM-DD') as day, r.routes, c.calls, c.fails, c."worksBut", c.unclear, c.dollars
      from (
        select day, count(*)::int as calls, count(*) filter (where verdict = 'fails')::int as fails,
          count(*) filter (where verdict = 'works_but')::int as "worksBut",
          count(*) filter (where verdict = 'unclear')::int as unclear, sum(dollars)::float8 as dollars
        from canaries where day > (now() at time zone 'UTC')::date - ${canariesKeptDays}::int group by day) c
      cross join lateral (
        select count(distinct route)::int as routes
        from canaries o, jsonb_array_elements_text(o.routes) route where o.day = c.day) r
      order by c.day desc`,
    5_000,
  );
}

/** The last result of each operation. */
export async function lastCanaries(db: Database): Promise<Canary[]> {
  return db.answer(
    db.sql<Canary[]>`
      select to_char(day, 'YYYY-MM-DD') as day, operation,
        (extract(epoch from at) * 1000)::float8 as at, upstreams, routes, verdict,
        fault, cause, paths, ms, dollars
      from canaries join (select operation, max(day) as day from canaries group by operation) last
        using (operation, day)
      order by operation`,
    5_000,
  );
}
