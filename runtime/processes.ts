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

/** By list of processes, then by gauge: the parts of a page ask for the same. */
const sumsOf = new WeakMap<object, Map<string, GaugeValue[]>>();

interface GaugeValue {
  labels: string[];
  value: number;
}

/**
 * The values that processes report of one gauge, with its labels, summed where several report the same. Each name is
 * parsed once: all of 200 workers take a tenth of a second.
 */
export function gaugesOf(
  processes: readonly Pick<PublishedProcess, "gauges">[],
  metric: string,
): readonly GaugeValue[] {
  const known = sumsOf.get(processes) ?? new Map<string, GaugeValue[]>();
  sumsOf.set(processes, known);
  const values = known.get(metric) ?? summed(processes, metric);
  known.set(metric, values);
  return values;
}

function summed(
  processes: readonly Pick<PublishedProcess, "gauges">[],
  metric: string,
): GaugeValue[] {
  const start = `["${metric}"`;
  const sums = new Map<string, number>();
  for (const { gauges } of processes) {
    for (const [field, value] of Object.entries(gauges)) {
      if (field.startsWith(start)) sums.set(field, (sums.get(field) ?? 0) + value);
    }
  }
  return [...sums].map(([field, value]) => ({
    labels: (JSON.parse(field) as string[]).slice(1),
    value,
  }));
}
