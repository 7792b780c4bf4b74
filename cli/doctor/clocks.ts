import type { Redis } from "ioredis";
import { farMs, skewText } from "../../runtime/store-clock.ts";
import { processFreshSeconds, processKey, processesKey } from "../../runtime/metrics-publisher.ts";
import { ok, warn } from "./check.ts";
import type { Check } from "./check.ts";

interface Skew {
  /** "api" or "worker", host name and pid. */
  process: string;
  store: string;
  ms: number;
}

/** The clock skews that the running API and worker processes have published. `now` is Redis's time. */
export async function readSkews(redis: Redis, now: number): Promise<Skew[]> {
  const ids = await redis.zrangebyscore(processesKey, now / 1000 - processFreshSeconds, "+inf");
  const found = await Promise.all(ids.map((id) => redis.hmget(processKey(id), "role", "gauges")));
  return found.flatMap(([role, gauges]) =>
    Object.entries(JSON.parse(gauges ?? "{}") as Record<string, number>).flatMap(
      ([field, seconds]) => {
        const [name, process = "", store = ""] = JSON.parse(field) as string[];
        return name === "gateway_clock_skew_seconds"
          ? [{ process: `${role} ${process}`, store, ms: seconds * 1000 }]
          : [];
      },
    ),
  );
}

export function checkClocks(skews: Skew[]): Check[] {
  const name = "clocks";
  const far = skews.filter(({ ms }) => Math.abs(ms) > farMs);
  if (far.length > 0) {
    const texts = far.map(({ process, store, ms }) => `${process} is ${skewText(ms, store)}`);
    return [
      warn(name, `${texts.join("; ")}. Calls still work: let NTP set these machines' clocks.`),
    ];
  }
  if (skews.length === 0) return [ok(name, "No process has reported.")];
  const most = Math.max(...skews.map(({ ms }) => Math.abs(ms)));
  return [ok(name, `The largest skew is ${(most / 1000).toFixed(1)} s.`)];
}
