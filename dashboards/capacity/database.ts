import type { Database } from "../../db/client.ts";
import type { DatabaseLoad } from "./sample.ts";

/** The load of the database against its limits. Rejects when it does not answer. */
export async function databaseLoad(db: Database): Promise<DatabaseLoad> {
  const started = performance.now();
  await db.answer(db.sql`select 1`);
  const milliseconds = performance.now() - started;
  const [row] = await db.answer(
    db.sql<{ connections: number; most: number; blocked: number }[]>`
      select count(*)::int as connections, current_setting('max_connections')::int as most,
        count(*) filter (where wait_event_type = 'Lock')::int as blocked
      from pg_stat_activity where backend_type = 'client backend'`,
  );
  const { connections = 0, most = 0, blocked = 0 } = row ?? {};
  return { milliseconds, connections, most, blocked };
}
