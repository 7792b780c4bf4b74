import type { Edit } from "./guards.ts";

const shorter = (file: string, find: string, put: string): Edit => ({ file, find, put });

/**
 * Times of the product that a test waits for where the time itself is not its promise. Each remains long
 * enough for a process that gets a quarter of a processor.
 */
const shortTimes = {
  /** Locks of jobs whose worker is gone. */
  locks: [
    shorter("worker/queue-options.ts", "lockDuration: 6000,", "lockDuration: 3000,"),
    shorter("worker/queue-options.ts", "stalledInterval: 2000,", "stalledInterval: 500,"),
  ],
  /** The scenario `slow` of test mode. */
  slow: [shorter("worker/run.ts", "const slowMs = 3000;", "const slowMs = 1500;")],
  heartbeats: [
    shorter("runtime/queue.ts", "heartbeatEveryMs = 10_000;", "heartbeatEveryMs = 500;"),
  ],
  /** Batches whose receiver is gone. */
  left: [shorter("db/batches.ts", "leftMs = 20_000;", "leftMs = 2000;")],
  metrics: [
    shorter("runtime/metrics-publisher.ts", "publishEveryMs = 5_000;", "publishEveryMs = 500;"),
  ],
  /** Events whose process is gone, and the lease of the process that sends them. */
  webhooks: [
    shorter("api/webhooks/dispatch.ts", "takenMs = 8000;", "takenMs = 3000;"),
    shorter("api/webhooks/dispatch.ts", "leadershipMs = 5000;", "leadershipMs = 2000;"),
  ],
  /** The age of operators' decisions as a process knows them. */
  controls: [
    shorter("api/poller.ts", "everyMs = 1000)", "everyMs = 200)"),
    shorter("worker/controls.ts", "everyMs = 1000;", "everyMs = 200;"),
  ],
  requests: [
    shorter("api/edge/edge.ts", "bodyMs = 15_000;", "bodyMs = 3000;"),
    shorter("api/edge/edge.ts", "headersTimeout: 10_000,", "headersTimeout: 3000,"),
    shorter(
      "api/edge/edge.ts",
      "connectionsCheckingInterval: 2_000,",
      "connectionsCheckingInterval: 500,",
    ),
  ],
} satisfies Record<string, readonly Edit[]>;

export type ShortTime = keyof typeof shortTimes;

export const allShortTimes: [string, readonly Edit[]][] = Object.entries(shortTimes);

/** The edits of SHORT_TIMES, a list of names with commas. */
export function shortTimesNamed(names: string): readonly Edit[] {
  return names.split(",").flatMap((name) => {
    const edits = (shortTimes as Record<string, readonly Edit[]>)[name];
    if (!edits) throw new Error(`there is no short time "${name}"`);
    return edits;
  });
}
