import type { ErrorType } from "../../contract/errors.ts";
import type { JobData } from "../../contract/jobs.ts";
import { defaultReplayMs } from "../../db/calls.ts";
import type { JobRow } from "../../db/job-rows.ts";
import type { Standing } from "../queue/dispatch.ts";
import type { PoolState } from "../queue/pool-states.ts";

/** A job as far as its view needs it. */
export type ViewedJob = Pick<JobRow, "requestId" | "operation" | "state" | "createdAt"> &
  Partial<JobRow>;

/** Renders a job for its caller: small, and without its result. */
export function jobView(job: ViewedJob, standing: Standing, pool: PoolState | undefined): JobData {
  const { charge, failure, createdAt, endedAt } = job;
  const queued = job.state === "queued" && standing.startedAt === undefined;
  const startedAt = job.startedAt ?? standing.startedAt;
  const position = queued ? standing.position : undefined;
  return {
    request_id: job.requestId,
    operation: job.operation,
    state: job.state === "queued" && !queued ? "running" : job.state,
    created_at: moment(createdAt),
    started_at: startedAt === undefined ? undefined : moment(startedAt),
    ended_at: endedAt === undefined ? undefined : moment(endedAt),
    expires_at: moment(createdAt + defaultReplayMs),
    position,
    estimated_wait_seconds: waitSecondsOf(position, pool),
    status: job.status,
    error: failure && { type: failure.type as ErrorType, message: shortened(failure.message) },
    billing: charge && {
      credits_charged: charge.credits,
      records_charged: charge.records,
      balance_remaining: charge.balance,
      truncated_due_to_balance: charge.truncated,
    },
  };
}

function waitSecondsOf(position: number | undefined, pool: PoolState | undefined) {
  if (position === undefined || !pool || pool.meanRunMs <= 0) return undefined;
  return Math.ceil(((position / pool.slots) * pool.meanRunMs) / 1000);
}

/** Bytes of JSON that a message may take; the result has all of it. */
const mostBytes = 250;

function shortened(message: string): string {
  let length = message.length;
  while (Buffer.byteLength(JSON.stringify(message.slice(0, length))) > mostBytes) length -= 10;
  return message.slice(0, length).toWellFormed();
}

const moment = (at: number): string => new Date(at).toISOString();
