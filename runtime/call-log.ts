import type { ErrorType } from "../contract/errors.ts";
import { queuePrefix } from "./redis/keys.ts";

/**
 * The call log of one call, for operators: a timeline of its stages. It holds operations, upstreams,
 * statuses and times, but never input, results or credentials.
 */

/** One attempt at an upstream. */
export interface UpstreamTry {
  upstream: string;
  /** Milliseconds since the worker took the job. */
  at: number;
  /** Milliseconds of preparing the request and waiting for the limits of the upstream's account. */
  waited: number;
  /** Milliseconds from the request to the end of its answer. */
  took: number;
  /** HTTP status or the name of a fault; "sample" where the sandbox answered a test key. */
  status: number | string;
}

/** An operation's turn from one upstream to the other that can answer it. */
export interface UpstreamTurn {
  from: string;
  to: string;
  /** Milliseconds since the worker took the job. */
  at: number;
  /** The error type, or "resting" where the first upstream was not asked. */
  reason: string;
}

/** The worker's part of a call log, which the outcome carries. Times are in milliseconds. */
export interface WorkLog {
  /** Host name and process id. */
  worker: string;
  /** 1 unless a worker was lost while it ran the job. */
  attempt: number;
  /** From the job's arrival in its queue until the worker took it. */
  queued: number;
  /** From taking the job until the outcome was made. */
  ran: number;
  /** Part of `ran` during which at least one upstream request was under way or waiting. */
  asking: number;
  /** Rendering only: time by stage, in the order in which the stages began. */
  stages?: { name: string; ms: number }[] | undefined;
  tries: UpstreamTry[];
  turns?: UpstreamTurn[] | undefined;
  /** Number of attempts beyond the listed ones. */
  more?: number | undefined;
  /** Why the call failed, in a word: the fault of the last attempt, or the path that did not fit. */
  cause?: string | undefined;
  /** `traceparent` of the work, where it has its own trace. */
  trace?: string | undefined;
}

/** Most attempts that are listed one by one: the first ones. */
export const mostTries = 16;

/** Stages of a call in an API process, in order; a stage that was not reached has no time. */
export const stages = [
  "edge",
  "validate",
  "look_up",
  "limits",
  "reserve",
  "enqueue",
  "wait",
  "settle",
  "write",
] as const;
export type Stage = (typeof stages)[number];

/**
 * Fate of a request. `ran`: it got a job; `replayed`, `joined`: it got another call's answer.
 * `carried`: background work of an asynchronous call, after its request was answered.
 */
export type CallKind = "ran" | "replayed" | "joined" | "refused" | "carried";

/** The call log of a request, as the API process that served it writes it. */
export interface CallLogEntry {
  fate: CallKind;
  /** Unix time in milliseconds of its arrival, on the clock of the API process. */
  at: number;
  /** Status of the answer; 0 where the connection broke first. */
  status: number;
  method: string;
  /** Id of the operation; other paths are not logged. */
  operation?: string | undefined;
  pool?: string | undefined;
  mode?: string | undefined;
  account?: number | undefined;
  key?: string | undefined;
  /** Request id of the call that produced the answer; absent on `ran` and `refused`. */
  of?: string;
  /** Present when the request had an Idempotency-Key. */
  keyed?: true;
  /** Host name and process id. */
  api: string;
  /** Trace id, where the call was sampled. */
  trace?: string | undefined;
  /** Milliseconds. */
  stages: Partial<Record<Stage, number>>;
  /** Credits held. */
  hold?: number;
  charged?: { credits: number; records: number; truncated?: true | undefined };
  /** How the wait ended, where it did not end with the job's outcome. */
  ended?: "deadline" | "gone" | "lost";
  /** Present when the caller left before the answer was written. */
  left?: true;
  error?:
    | {
        type: ErrorType;
        message?: string | undefined;
        /** Faults of the request: field and code. */
        issues?: string[] | undefined;
        cause?: string | undefined;
      }
    | undefined;
  work?: WorkLog | undefined;
}

/** Most bytes of a call log; the last attempts are dropped where it would be larger. */
export const logEntryBytes = 4096;

/** The stored form of a call log. */
export function encodeLogEntry(entry: CallLogEntry): string {
  const text = JSON.stringify(entry);
  if (text.length <= logEntryBytes && Buffer.byteLength(text) <= logEntryBytes) return text;
  const { work, error, ...rest } = entry;
  const less = work?.tries.slice(0, work.tries.length >> 1) ?? [];
  if (work && less.length > 0) {
    const more = (work.more ?? 0) + work.tries.length - less.length;
    return encodeLogEntry({ ...rest, error, work: { ...work, tries: less, more } });
  }
  return JSON.stringify({ ...rest, error: error && { type: error.type } });
}

/**
 * Call logs of requests refused before they had a job are kept for an hour: a hash for every minute,
 * request id -> call log. Limits in all and for each account (or for all unknown callers together) keep a
 * caller with thousands of refusals from filling Redis or hiding the others.
 */
export const refusedKey = (minute: number): string => `${queuePrefix}:refused:${minute}`;
export const refusedForMinutes = 60;
export const mostRefused = { inAll: 2000, ofOne: 400 } as const;

/** Keys: the minute's hash, and the count of each owner. Arguments: limits, life, then owner, id, call log. */
export const refusedScript = `
local size = redis.call('HLEN', KEYS[1])
local most, ofOne = tonumber(ARGV[1]), tonumber(ARGV[2])
for i = 4, #ARGV, 3 do
  if size < most and redis.call('HINCRBY', KEYS[2], ARGV[i], 1) <= ofOne then
    size = size + redis.call('HSET', KEYS[1], ARGV[i + 1], ARGV[i + 2])
  end
end
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('EXPIRE', KEYS[2], 120)`;

/** The last errors of a pool, newest first: JSON of `LastError`. */
export const lastErrorsKey = (pool: string): string => `${queuePrefix}:errors:${pool}`;
export const mostLastErrors = 200;

export interface LastError {
  at: number;
  id: string;
  operation: string;
  type: ErrorType;
  status: number;
  cause?: string | undefined;
}
