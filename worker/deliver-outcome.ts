import type { Redis } from "ioredis";
import { setTimeout as sleep } from "node:timers/promises";
import { type JobData, encodeOutcome, hintLimitBytes } from "../runtime/queue.ts";
import type { Pool } from "../contract/operation.ts";
import { monotonicNow } from "../runtime/monotonic.ts";
import type { Call } from "./connector.ts";
import { createOutcomeStore } from "./outcomes.ts";
import { createResultSpace } from "./result-space.ts";

/** The result outlives the deadline as long as the hold does. */
const resultGraceMs = 60_000;
const storeRetryMs = 200;
/** A result without space by this long before the deadline is replaced by a refusal. */
const refusalMs = 1500;

const noSpace = (): Buffer =>
  encodeOutcome(
    {
      ok: false,
      type: "upstream_unavailable",
      status: 503,
      message: "There is no room for so large an answer at the moment",
      retry_after: 5,
    },
    undefined,
  );

/** Returns the stored bytes: the outcome, or a refusal for lack of result space. */
export type HandOver = (jobId: string, job: JobData, finished: Buffer) => Promise<Buffer>;

/**
 * Passes outcomes to the waiting API process: the outcome first, then the hint. It retries until the
 * job's deadline, so that no job completes before its outcome is stored.
 */
export function createHandOver(redis: Redis, pool: Pool, log: Call["log"]): HandOver {
  const storeOutcome = createOutcomeStore(redis);
  const reserveSpace = createResultSpace(redis);

  return async (jobId, job, finished) => {
    let stored = finished;
    for (let isRetry = false; ; isRetry = true) {
      const left = job.deadline - monotonicNow();
      const lifeMs = Math.max(1, left) + resultGraceMs;
      try {
        const { tenant } = job;
        const isLarge = stored.length > hintLimitBytes;
        const bytes = stored.length;
        if (!isLarge || (await reserveSpace({ jobId, bytes, pool, tenant, lifeMs }))) {
          await storeOutcome({ jobId, channel: job.reply, lifeMs, stored });
          return stored;
        }
        if (left < refusalMs) stored = noSpace();
        else if (!isRetry) log("warn", "no space for an outcome yet", { request_id: jobId });
      } catch (error) {
        if (left <= 0) throw error;
        log("warn", "outcome not stored yet", {
          request_id: jobId,
          error: (error as Error).message,
        });
      }
      await sleep(storeRetryMs);
    }
  };
}
