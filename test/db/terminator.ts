import { setTimeout as pause } from "node:timers/promises";
import postgres from "postgres";

interface Pace {
  /** Part of the backends to kill each time. */
  share: number;
  everyMs: number;
  /** With it, `calls` must have ended since the last time, however slow the machine is. */
  every?: { calls: number; ended: () => number };
}

/** Kills backends of a database at a steady pace until stopped; at least one each time. */
export function terminateBackends(
  url: string,
  { share, everyMs, every }: Pace,
): { stop: () => Promise<number> } {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  let running = true;
  const loop = (async () => {
    let killed = 0;
    let next = 0;
    while (running) {
      if (every && every.ended() < next) {
        await pause(1);
        continue;
      }
      if (every) next = every.ended() + every.calls;
      const rows = await sql`
        select pg_terminate_backend(pid) from (
          select pid from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
          order by random()
          limit (select greatest(1, ceil(count(*) * ${share}::float8)) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid())
        ) victim`;
      killed += rows.length;
      await pause(everyMs);
    }
    await sql.end();
    return killed;
  })();
  return {
    stop: () => {
      running = false;
      return loop;
    },
  };
}
