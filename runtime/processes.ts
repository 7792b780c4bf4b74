import type { Redis } from "ioredis";
import type { ProcessAbout } from "./build.ts";
import { processesKey, processFreshSeconds, processKey } from "./metrics-publisher.ts";

/** An API or worker process as it reports itself. */
export interface PublishedProcess {
  role: string;
  memoryBytes: number;
  /** Field -> value, as `MetricsSnapshot.gauges`. */
  gauges: Record<string, number>;
  /** Absent for processes of release 0.2.0. */
  about?: ProcessAbout | undefined;
}

function parsed<T>(text: string | null | undefined): T | undefined {
  try {
    return text ? (JSON.parse(text) as T) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The processes that Redis lists: those that reported lately before `now`, Redis's time in milliseconds; without
 * it all, also one that was killed within the last hour.
 */
export async function readProcesses(
  redis: Pick<Redis, "zrangebyscore" | "hmget">,
  now?: number,
): Promise<PublishedProcess[]> {
  const since = now === undefined ? "-inf" : now / 1000 - processFreshSeconds;
  const ids = await redis.zrangebyscore(processesKey, since, "+inf");
  const found = await Promise.all(
    ids.map((id) => redis.hmget(processKey(id), "role", "memory", "gauges", "about")),
  );
  return found.flatMap(([role, memory, gauges, about]) =>
    role
      ? [
          {
            role,
            memoryBytes: Number(memory),
            gauges: parsed<Record<string, number>>(gauges) ?? {},
            about: parsed<ProcessAbout>(about),
          },
        ]
      : [],
  );
}

/** The values that processes report of one gauge, with its labels. Reading every name takes a tenth of a second for 200 workers. */
export function gaugesOf(
  processes: readonly Pick<PublishedProcess, "gauges">[],
  metric: string,
): { labels: string[]; value: number }[] {
  const start = `["${metric}"`;
  return processes.flatMap(({ gauges }) =>
    Object.entries(gauges)
      .filter(([field]) => field.startsWith(start))
      .map(([field, value]) => ({ labels: (JSON.parse(field) as string[]).slice(1), value })),
  );
}
