import type { ErrorType, Issue } from "./errors.ts";
import type { Pool } from "./operation.ts";
import { redisPrefix } from "./redis-address.ts";
import type { Scenario } from "./scenario.ts";
import type { WorkStory } from "./story.ts";
import type { TraceContext } from "./trace.ts";

/**
 * What crosses the queue. API and workers know each other only through this file.
 *
 * Processes of two releases run side by side during an upgrade, so jobs, outcomes and hints carry the
 * version of their format; none is the first. A field may be added under the same version where who
 * does not know it may leave it unread. A job of a later version, or of an operation not known here, is
 * put back for a worker that knows it; an outcome or a hint that cannot be read is as good as none, and
 * the call finds its answer by looking.
 */
export const formatVersion = 1;

/** Prefix of every key in Redis: "gateway", or "{gateway}" in a cluster. */
export const queuePrefix = redisPrefix(process.env);

export const queueOf = (pool: Pool): string => pool;

export type Mode = "live" | "test";

/** A JSON value that a connector stores in a cursor to find the next record. */
export type CursorPayload = { [key: string]: Json };
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** One call, as a worker sees it. It carries no key, no balance, no credential. */
export interface JobData {
  /** Version of this format; absent in jobs of release 0.1.0. */
  v?: number;
  operation: string;
  input: unknown;
  mode: Mode;
  /** Test mode only: what the test transport plays (`Svc-Test-Scenario`). */
  scenario?: Scenario;
  /** Opaque id of account and mode: what may never share a browser context. */
  tenant: string;
  /** What the hold pays for: no more billable records than this are returned. */
  max_records: number;
  /** Decoded from the caller's cursor. */
  cursor?: CursorPayload;
  /** Unix time in milliseconds, by the clock of Redis, after which nobody waits any more. */
  deadline: number;
  /** Milliseconds from its start that the work may take, where the deadline leaves more: absent, it may take all of it. */
  run_ms?: number;
  /** Redis channel on which the waiting API process listens. */
  reply: string;
  /** Of a sampled call: what the work belongs below. */
  trace?: TraceContext;
}

export interface Success {
  ok: true;
  /** Billable records delivered. */
  records: number;
  /** Fewer than asked because the balance pays for no more. */
  truncated: boolean;
  /** On paginated lists only; `next` is the payload of the next cursor. */
  pagination?: { has_more: boolean; next?: CursorPayload };
}

export interface Failure {
  ok: false;
  type: ErrorType;
  /** HTTP status where it is not the type's own. */
  status?: number;
  message: string;
  issues?: Issue[];
  /** Seconds. */
  retry_after?: number;
}

/** `work` is for operators; no answer depends on it. */
export type JobOutcome = (Success | Failure) & { work?: WorkStory };

/** Result key of a job; it alone is the truth about a finished call. */
export const resultKey = (jobId: string): string => `${queuePrefix}:result:${jobId}`;

/** An outcome up to this many bytes travels in the hint as well. */
export const hintLimitBytes = 64 * 1024;

export interface Hint {
  jobId: string;
  stored: Buffer | undefined;
}

/**
 * Hints of one or more jobs: for each a line of job id, length in bytes and version, then that many bytes
 * of the stored outcome; none where it is too large to travel. `rest` tells that something else came.
 */
export function decodeHints(message: Buffer): { hints: Hint[]; rest: boolean } {
  const hints: Hint[] = [];
  for (let at = 0; at < message.length;) {
    const end = message.indexOf(10, at);
    const line = /^(\S+) (\d+)(?: (\d+))?$/.exec(message.toString("latin1", at, Math.max(at, end)));
    const length = Number(line?.[2]);
    const next = end + 1 + length;
    if (!line || Number(line[3] ?? 1) > formatVersion || next > message.length)
      return { hints, rest: true };
    hints.push({
      jobId: line[1] as string,
      stored: length > 0 ? message.subarray(end + 1, next) : undefined,
    });
    at = next;
  }
  return { hints, rest: false };
}

/**
 * The stored form: one line of JSON (the outcome), a line feed, then the bytes of `data` as JSON.
 * The API passes those bytes on without parsing them.
 */
export function encodeOutcome(outcome: JobOutcome, data: Buffer | undefined): Buffer {
  const head = Buffer.from(`${JSON.stringify({ v: formatVersion, ...outcome })}\n`);
  return data ? Buffer.concat([head, data]) : head;
}

/** Throws where a later release wrote it. */
export function decodeOutcome(stored: Buffer): { outcome: JobOutcome; data: Buffer } {
  const end = stored.indexOf(10);
  const { v = 1, ...outcome } = JSON.parse(stored.toString("utf8", 0, end)) as JobOutcome & {
    v?: number;
  };
  if (v > formatVersion) throw new Error(`an outcome of version ${v}`);
  return { outcome, data: stored.subarray(end + 1) };
}

/** Channel on which running jobs of a pool are told to stop; the message is the job id. */
export const cancelChannel = (pool: Pool): string => `${queuePrefix}:cancel:${pool}`;

/** Says to workers that the key of controls has changed; whoever misses that reads it a second later. */
export const upstreamControlsChannel = `${queuePrefix}:controls:changed`;

/** Hash of a pool: worker process id -> JSON of `Heartbeat`. */
export const heartbeatKey = (pool: Pool | "webhooks"): string => `${queuePrefix}:workers:${pool}`;

export interface Heartbeat {
  /** Unix time in milliseconds. */
  at: number;
  /** Jobs this worker process runs at once. */
  slots: number;
  running: number;
  /** Mean run time of recent jobs in milliseconds. */
  mean_run_ms: number;
  /** What follows is absent in the first beat of a worker, and in those of release 0.2.0. */
  machine?: MachineLoad;
}

/** Where a worker runs, over the time since its last look. */
export interface MachineLoad {
  /** Host name and process id: pools of one process have it in common. */
  process: string;
  host: string;
  /** Processors that are busy, and those there are: the container's own where it has a limit. */
  busy_processors: number;
  processors: number;
  /** Processors that this process and what it has started keep busy. */
  own_processors: number;
  /** Bytes that cannot be given to a process any more, and all there are: the container's own where it has a limit. */
  memory_used: number;
  memory: number;
  /** True where processors and memory are the container's own: another container brings more. */
  own_limits: boolean;
}

export const heartbeatEveryMs = 10_000;
/** A heartbeat older than this no longer counts. */
export const heartbeatFreshMs = 60_000;
