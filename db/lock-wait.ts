import type { Fragment, Sql } from "./client.ts";

/** The longest wait for a lock in one statement: `from <lockWait> cross join lateral f(<afterLockWait>, …) f`. */

export const lockWait = (sql: Sql, ms: number): Fragment =>
  sql`set_config('lock_timeout', ${`${ms}ms`}, true) as wait (ms)`;

/** The function's JSON argument; it depends on the setting, so that Postgres sets that first. */
export const afterLockWait = (sql: Sql, json: string): Fragment =>
  sql`case when wait.ms is not null then ${json}::text::jsonb end`;
