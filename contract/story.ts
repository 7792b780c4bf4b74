import type { ErrorType } from "./errors.ts";
import { queuePrefix } from "./job.ts";

/**
 * The story of one call, for operators: which stages it went through and how long each took. It names
 * operations, upstreams, statuses and times; never what was asked, what was answered, or a credential.
 */

/** One try at an upstream. */
export interface UpstreamTry {
  upstream: string;
  /** Milliseconds since the worker took the job. */
  at: number;
  /** Milliseconds in which it was prepared and waited for the limits of the upstream's account. */
  waited: number;
  /** Milliseconds from the request to the end of its answer. */
  took: number;
  /** HTTP status or the name of a fault; "sample" where a test key was answered without the network. */
  status: number | string;
}

/** What a worker did for a call; travels in the outcome. Times are in milliseconds. */
export interface WorkStory {
  /** Host name and process id. */
  worker: string;
  /** 1 unless an earlier worker was lost with the job. */
  attempt: number;
  /** From the job's arrival in its queue until the worker took it. */
  queued: number;
  /** From there until the outcome was made. */
  ran: number;
  /** Of that, while at least one upstream was asked or waited for. */
  asking: number;
  /** Of a render instead: time by stage, in the order in which they began. */
  stages?: { name: string; ms: number }[];
  tries: UpstreamTry[];
  /** Tries beyond those that are listed. */
  more?: number;
  /** Why it failed, in a word: the fault of the last try, or where an answer did not fit. */
  cause?: string;
  /** Its `traceparent`, where it has a trace of its own. */
  trace?: string;
}

/** Most tries of one call that are told one by one: the first ones. */
export const mostTries = 16;

/** What an API process does with a call, in order; a stage that was not reached has no time. */
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
 * What became of a request. `ran`: a job was made for it; `replayed`, `joined`: another call's answer.
 * `carried` is the work of a call that was handed in, which goes on after its request was answered.
 */
export type Fate = "ran" | "replayed" | "joined" | "refused" | "carried";

/** A request as the API process that served it tells it. */
export interface CallStory {
  fate: Fate;
  /** Unix time in milliseconds of its arrival, on the clock of the API process. */
  at: number;
  /** Of the answer; 0 where the connection broke before one was written. */
  status: number;
  method: string;
  /** Of an operation; other paths are not told. */
  operation?: string;
  pool?: string;
  mode?: string;
  account?: number;
  key?: string;
  /** Request id of the call whose answer this is; absent on `ran` and `refused`. */
  of?: string;
  /** An Idempotency-Key was sent. */
  keyed?: true;
  /** Host name and process id. */
  api: string;
  /** Trace id, where the call was sampled. */
  trace?: string;
  /** Milliseconds. */
  stages: Partial<Record<Stage, number>>;
  /** Credits set aside. */
  hold?: number;
  charged?: { credits: number; records: number; truncated?: true };
  /** How the wait ended, where that was not the job's outcome. */
  ended?: "deadline" | "gone" | "lost";
  /** The caller had left before the answer was written. */
  left?: true;
  error?: {
    type: ErrorType;
    message?: string;
    /** Faults of the request: where and of what kind. */
    issues?: string[];
    cause?: string;
  };
  work?: WorkStory;
}

/** A story takes no more bytes than this; what does not fit are the last tries. */
export const storyBytes = 4096;

/** The stored form of a story. */
export function encodeStory(story: CallStory): string {
  const text = JSON.stringify(story);
  if (text.length <= storyBytes && Buffer.byteLength(text) <= storyBytes) return text;
  const { work, error, ...rest } = story;
  const less = work?.tries.slice(0, work.tries.length >> 1) ?? [];
  if (work && less.length > 0) {
    const more = (work.more ?? 0) + work.tries.length - less.length;
    return encodeStory({
      ...rest,
      ...(error ? { error } : {}),
      work: { ...work, tries: less, more },
    });
  }
  return JSON.stringify({ ...rest, ...(error ? { error: { type: error.type } } : {}) });
}

/**
 * Requests that were refused before they had a job are told for an hour: a hash for every minute, request
 * id -> story, with room for so many in all and of one account (or of nobody known) that a caller who is
 * refused in thousands neither fills Redis nor hides the others.
 */
export const refusedKey = (minute: number): string => `${queuePrefix}:refused:${minute}`;
export const refusedForMinutes = 60;
export const mostRefused = { inAll: 2000, ofOne: 400 } as const;

/** Keys: the minute's hash, and how many each owner has there. Arguments: limits, life, then owner, id, story. */
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
  cause?: string;
}
