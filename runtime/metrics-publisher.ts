import { randomUUID } from "node:crypto";
import { thisProcess } from "./build.ts";
import { queuePrefix } from "./redis/keys.ts";
import type { Metrics } from "./metrics.ts";

/**
 * Publishes the metrics of API and worker processes to the dashboards.
 *
 * Each process keeps its registry in memory and every 5 s adds the increase since its last
 * publication to one hash in Redis that all processes share; gauges go to a hash per process,
 * which is read only while it is fresh. The totals therefore belong to no process: they never go
 * backwards when one leaves, freezes or restarts, nor when the dashboards do, and a scrape costs
 * the same with one process as with a hundred. A batch carries an id, so that a batch resent
 * after a lost reply is not added twice. A killed process loses at most its last 5 s; loss of
 * Redis's data shows as the counter reset that Prometheus expects.
 */

export const publishEveryMs = 5_000;
/** A process counts as alive for this many seconds after it published. */
export const processFreshSeconds = 30;
/** Hash of all totals: field -> number. */
export const totalsKey = `${queuePrefix}:metrics:totals`;
/** Sorted set of process ids by Unix time in seconds of their last publication, on Redis's clock. */
export const processesKey = `${queuePrefix}:metrics:processes`;
/**
 * Hash of one process: role, memory (resident bytes), gauges (JSON object of field -> number), about (JSON of
 * `ProcessAbout`; absent in release 0.2.0), batch.
 */
export const processKey = (id: string): string => `${queuePrefix}:metrics:process:${id}`;

const publishScript = `
if redis.call('HGET', KEYS[3], 'batch') ~= ARGV[1] then
  for i = 8, #ARGV, 2 do redis.call('HINCRBYFLOAT', KEYS[1], ARGV[i], ARGV[i + 1]) end
end
redis.call('HSET', KEYS[3], 'batch', ARGV[1], 'role', ARGV[4], 'memory', ARGV[5], 'gauges', ARGV[6],
  'about', ARGV[7])
redis.call('EXPIRE', KEYS[3], 3600)
local now = redis.call('TIME')[1]
redis.call('ZREMRANGEBYSCORE', KEYS[2], 0, now - 3600)
if ARGV[2] == 'leave' then redis.call('ZREM', KEYS[2], ARGV[3])
else redis.call('ZADD', KEYS[2], now, ARGV[3]) end
return 1`;

/** The one command of a Redis client that publishing needs. */
export interface ScriptRunner {
  eval(script: string, keys: number, ...args: (string | number)[]): Promise<unknown>;
}

/**
 * Publishes now and every 5 s until stopped; `stop` publishes once more, for at most a second.
 * While Redis is unreachable nothing is lost: the next successful publication includes it.
 */
export function publishMetrics(
  redis: ScriptRunner,
  metrics: Metrics,
  role: "api" | "worker",
  id: string,
): { stop(): Promise<void> } {
  const sent = new Map<string, number>();
  let unsent: { batch: string; risen: [field: string, by: number, to: number][] } | undefined;
  let running: Promise<void> | undefined;

  async function publish(sign: "stay" | "leave"): Promise<void> {
    const { totals, gauges } = metrics.snapshot();
    unsent ??= {
      batch: randomUUID(),
      risen: [...totals]
        .map(([field, to]): [string, number, number] => [field, to - (sent.get(field) ?? 0), to])
        .filter(([, by]) => by > 0),
    };
    await redis.eval(
      publishScript,
      3,
      totalsKey,
      processesKey,
      processKey(id),
      unsent.batch,
      sign,
      id,
      role,
      process.memoryUsage.rss(),
      JSON.stringify(Object.fromEntries(gauges)),
      JSON.stringify(thisProcess),
      ...unsent.risen.flatMap(([field, by]) => [field, by]),
    );
    for (const [field, , to] of unsent.risen) sent.set(field, to);
    unsent = undefined;
  }

  function tick(): void {
    running ??= publish("stay")
      .catch(() => undefined) // The batch stays in `unsent`; other code reports that Redis is unreachable.
      .finally(() => (running = undefined));
  }

  tick();
  const timer = setInterval(tick, publishEveryMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      const last = async () => {
        await running;
        // An unacknowledged batch goes out first, the rest in a second one.
        if (unsent) await publish("stay");
        await publish("leave");
      };
      let limit: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (limit = setTimeout(resolve, 1_000)));
      await Promise.race([last().catch(() => undefined), late]);
      clearTimeout(limit);
    },
  };
}

/** Adds the counts of a process that ends with its command, such as one of the command line. */
export async function publishOnce(
  redis: { hincrbyfloat(key: string, field: string, by: number): Promise<unknown> },
  metrics: Metrics,
): Promise<void> {
  for (const [field, by] of metrics.snapshot().totals)
    if (by > 0) await redis.hincrbyfloat(totalsKey, field, by);
}
