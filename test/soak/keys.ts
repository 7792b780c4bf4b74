import { quotasKey } from "../../runtime/quota.ts";
import { quietWorkersKey, upstreamControlsKey } from "../../runtime/controls.ts";
import { type Heartbeat, heartbeatFreshMs } from "../../runtime/queue.ts";
import { queuePrefix } from "../../runtime/redis/keys.ts";
import { pools } from "../../contract/operation.ts";
import {
  upstreamAcceptedKey,
  upstreamAccessKey,
  upstreamRefusedKey,
} from "../../runtime/upstreams.ts";
import { webhookQueue } from "../../runtime/webhook-queue.ts";

/** Permitted content of Redis at rest: pure, on a list of its keys. */

export interface Key {
  name: string;
  /** Milliseconds to live, -1 without an expiry. */
  ttlMs: number;
  /** Members of a set, list, stream or hash; 1 of anything else. */
  size: number;
}

/** Finished jobs of either kind that BullMQ keeps, and roughly the length of its stream. */
const keptJobs = 1000;
/** Streams are trimmed by whole nodes of a hundred entries. */
const trimmedTo = keptJobs + 200;

/** Deliveries have a separate queue. */
const queues = [...pools, webhookQueue];
const pool = `(?:${queues.join("|")})`;
const queueKey = new RegExp(`^${queuePrefix}:${pool}:([^:]+)(:.+)?$`);

/** Permanent keys of a queue, with their maximum of members when no job waits or runs. */
const queueParts: Readonly<Record<string, number>> = {
  meta: 100,
  id: 1,
  marker: 1,
  events: trimmedTo,
  completed: keptJobs,
  failed: keptJobs,
};
/** Permanent keys beside the queues. */
const permanent = new Set([
  ...queues.map((name) => `${queuePrefix}:workers:${name}`),
  // One member for each upstream, and two lists of operators' settings.
  quotasKey,
  upstreamAccessKey,
  upstreamAcceptedKey,
  upstreamRefusedKey,
  upstreamControlsKey,
  quietWorkersKey,
  `${queuePrefix}:metrics:totals`,
  `${queuePrefix}:metrics:processes`,
]);

/** The kind of a key, the same word for all keys of that kind. */
export function kindOf(name: string): string {
  const [, part = "", rest] = queueKey.exec(name) ?? [];
  if (/^(svc|whd)_/.test(part)) return rest ? `job${rest.replace(/[^:a-z]/g, "")}` : "job";
  if (part) return `queue ${part}`;
  // The rest may name accounts and processes.
  const [, area = "", what = ""] = name.split(":");
  return /^[a-z-]+$/.test(what) ? `${area}:${what}` : area;
}

/**
 * Unbounded keys: without expiry and not permanent, or with more members than a permanent key may
 * have.
 */
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

/** Heartbeats of workers that are long dead and no longer read. */
export function lostBeats(beats: Readonly<Record<string, string>>, now: number): string[] {
  return Object.entries(beats)
    .map(([worker, json]) => ({ worker, silent: now - (JSON.parse(json) as Heartbeat).at }))
    .filter(({ silent }) => silent > 6 * heartbeatFreshMs)
    .map(({ worker, silent }) => `${worker}: silent for ${Math.round(silent / 1000)} s`);
}
