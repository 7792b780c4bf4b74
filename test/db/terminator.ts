import { setTimeout as pause } from "node:timers/promises";
import postgres from "postgres";

interface Pace {
  /** Part of the backends to kill each time. */
  share: number;
  everyMs: number;
  /** So many calls must have ended since the last time, however slow the machine is. */
  everyCalls?: number;
  /** Calls that have ended so far. */
  ended?: () => number;
}

/** Kills backends of a database at a steady pace until stopped; at least one each time. */
export function terminateBackends(
  url: string,
  { share, everyMs, everyCalls = 0, ended = () => 0 }: Pace,
): { stop: () => Promise<number> } {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  let running = true;
  const loop = (async () => {
    let killed = 0;
    let next = 0;
    while (running) {
      if (ended() < next) {
        await pause(1);
        continue;
      }
      next = ended() + everyCalls;
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
