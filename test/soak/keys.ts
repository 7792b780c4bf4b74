import { quotasKey } from "../../contract/capacity.ts";
import { upstreamControlsKey } from "../../contract/control.ts";
import { type Heartbeat, heartbeatFreshMs, queuePrefix } from "../../contract/job.ts";
import { pools } from "../../contract/operation.ts";
import { webhookQueue } from "../../contract/webhook.ts";

/** What Redis may still hold when nothing runs: pure, on a list of its keys. */

export interface Key {
  name: string;
  /** Milliseconds to live, -1 without an expiry. */
  ttlMs: number;
  /** Members of a set, list, stream or hash; 1 of anything else. */
  size: number;
}

/** BullMQ keeps this many finished jobs of either end, and trims its stream to about this many entries. */
const keptJobs = 1000;
/** Streams are trimmed by whole nodes of a hundred entries. */
const trimmedTo = keptJobs + 200;

/** Deliveries have a queue of their own. */
const queues = [...pools, webhookQueue];
const pool = `(?:${queues.join("|")})`;
const queueKey = new RegExp(`^${queuePrefix}:${pool}:([^:]+)(:.+)?$`);

/** Keys of a queue that stay, with the most members they may have when no job waits or runs. */
const queueParts: Readonly<Record<string, number>> = {
  meta: 100,
  id: 1,
  marker: 1,
  events: trimmedTo,
  completed: keptJobs,
  failed: keptJobs,
};
/** Keys beside the queues that stay. */
const permanent = new Set([
  ...queues.map((name) => `${queuePrefix}:workers:${name}`),
  // One member for each upstream, and one list of what operators have set.
  quotasKey,
  upstreamControlsKey,
  `${queuePrefix}:metrics:totals`,
  `${queuePrefix}:metrics:processes`,
]);

/** A word for what a key is, the same for all keys of its kind. */
export function kindOf(name: string): string {
  const [, part = "", rest] = queueKey.exec(name) ?? [];
  if (part.startsWith("svc_")) return rest ? `job${rest.replace(/[^:a-z]/g, "")}` : "job";
  if (part) return `queue ${part}`;
  // What follows may name accounts and processes.
  const [, area = "", what = ""] = name.split(":");
  return /^[a-z-]+$/.test(what) ? `${area}:${what}` : area;
}

/** Keys that nothing bounds: no expiry and no place among those that stay, or more members than those have. */
export function unbounded(keys: readonly Key[], finishedJobs: ReadonlySet<string>): string[] {
  return keys.flatMap(({ name, ttlMs, size }) => {
    if (ttlMs >= 0 || permanent.has(name)) return [];
    const [, part = "", rest] = queueKey.exec(name) ?? [];
    const most = queueParts[part];
    if (most !== undefined && rest === undefined) {
      return size > most ? [`${name}: ${size} members, at most ${most}`] : [];
    }
    if (rest === undefined && finishedJobs.has(name)) return [];
    return [`${name}: no expiry`];
  });
}

/** Heartbeats of workers that have been silent for so long that nobody asks for them any more. */
export function lostBeats(beats: Readonly<Record<string, string>>, now: number): string[] {
  return Object.entries(beats)
    .map(([worker, json]) => ({ worker, silent: now - (JSON.parse(json) as Heartbeat).at }))
    .filter(({ silent }) => silent > 6 * heartbeatFreshMs)
    .map(({ worker, silent }) => `${worker}: silent for ${Math.round(silent / 1000)} s`);
}
