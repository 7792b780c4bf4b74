import type { Redis } from "ioredis";
import { setTimeout as sleep } from "node:timers/promises";
import { type JobData, encodeOutcome, hintLimitBytes } from "../contract/job.ts";
import type { Pool } from "../contract/operation.ts";
import { steadyNow } from "../contract/steady.ts";
import type { Call } from "./connector.ts";
import { createOutcomeStore } from "./outcomes.ts";
import { createRoom } from "./room.ts";

/** A hold outlives its deadline by this much, and so does the result. */
const resultGraceMs = 60_000;
const storeRetryMs = 200;
/** This long before the deadline a caller whose answer has had no room is told so. */
const refusalMs = 1500;

const noRoom = (): Buffer =>
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

/** Returns what was stored: the outcome, or that there was no room for it. */
export type HandOver = (jobId: string, job: JobData, finished: Buffer) => Promise<Buffer>;

/**
 * Hands outcomes to whoever waits: the outcome first, then the hint. Tried again until the job's
 * deadline, so that no job is completed while its outcome is not stored.
 */
export function createHandOver(redis: Redis, pool: Pool, log: Call["log"]): HandOver {
  const storeOutcome = createOutcomeStore(redis);
  const takeRoom = createRoom(redis);

  return async (jobId, job, finished) => {
    let stored = finished;
    for (let told = false; ; told = true) {
      const left = job.deadline - steadyNow();
      const lifeMs = Math.max(1, left) + resultGraceMs;
      try {
        const { tenant } = job;
        const needsRoom = stored.length > hintLimitBytes;
        if (!needsRoom || (await takeRoom({ jobId, bytes: stored.length, pool, tenant, lifeMs }))) {
          await storeOutcome({ jobId, channel: job.reply, lifeMs, stored });
          return stored;
        }
        if (left < refusalMs) stored = noRoom();
        else if (!told) log("warn", "no room for an outcome yet", { request_id: jobId });
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
