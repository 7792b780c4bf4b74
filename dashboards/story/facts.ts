import type { Redis } from "ioredis";
import { redisTime } from "../../contract/clock.ts";
import {
  type Heartbeat,
  heartbeatFreshMs,
  heartbeatKey,
  queueOf,
  queuePrefix,
} from "../../contract/job.ts";
import { type Pool, pools } from "../../contract/operation.ts";
import {
  type CallStory,
  type WorkStory,
  refusedForMinutes,
  refusedKey,
} from "../../contract/story.ts";
import type { Database } from "../../db/client.ts";
import { type BookEntry, bookEntry, storiesOf } from "../../db/stories.ts";

/** Everything that is known of a request id, from wherever it is known. */
export interface Facts {
  id: string;
  /** Stores that could not be asked. */
  away: ("postgres" | "redis")[];
  /** The request itself, and the first of those that got its answer. */
  told: { requestId: string; callId: string; story: CallStory }[];
  /** Requests that got its answer in all, itself included. */
  toldCount: number;
  /** It had no job. */
  refused: CallStory | undefined;
  books: BookEntry | undefined;
  job: JobFacts | undefined;
}

/** What its queue knows of a job, for as long as it keeps it. */
export interface JobFacts {
  pool: Pool;
  state: "waiting" | "prioritized" | "active" | "delayed" | "completed" | "failed" | "unknown";
  /** Jobs that are taken before it; where it waits. */
  ahead?: number;
  paused: boolean;
  /** Times in milliseconds by the clock of Redis. */
  now: number;
  addedAt: number;
  takenAt: number | undefined;
  endedAt: number | undefined;
  attempt: number;
  /** Times a lost worker's job was put back. */
  stalls: number;
  worker: string | undefined;
  /** A worker of that name has reported lately. */
  workerAlive: boolean;
  operation: string | undefined;
  /** Why it has no outcome. */
  dropped: string | undefined;
  work: WorkStory | undefined;
}

const requestIdPattern = /^svc_[A-Za-z0-9_-]{1,100}$/;
export const isRequestId = (text: string): boolean => requestIdPattern.test(text);

function parsed<T>(text: string | null | undefined): T | undefined {
  try {
    return text ? (JSON.parse(text) as T) : undefined;
  } catch {
    return undefined;
  }
}

async function refusedStory(redis: Redis, id: string): Promise<CallStory | undefined> {
  const now = Math.floor((await redisTime(redis)) / 60_000);
  const minutes = Array.from({ length: refusedForMinutes + 2 }, (_, ago) => now + 1 - ago);
  const found = await Promise.all(minutes.map((minute) => redis.hget(refusedKey(minute), id)));
  return parsed(found.find((text) => text !== null));
}

const fields = [
  "timestamp",
  "processedOn",
  "finishedOn",
  "ats",
  "stc",
  "pb",
  "name",
  "returnvalue",
];

async function stateOf(redis: Redis, queue: string, id: string) {
  const [active, waiting, prioritized, delayed, completed, failed] = await Promise.all([
    redis.lpos(`${queue}:active`, id),
    redis.lpos(`${queue}:wait`, id),
    redis.zrank(`${queue}:prioritized`, id),
    redis.zscore(`${queue}:delayed`, id),
    redis.zscore(`${queue}:completed`, id),
    redis.zscore(`${queue}:failed`, id),
  ]);
  if (active !== null) return { state: "active" as const };
  if (waiting !== null) {
    // Jobs are taken from the end of the list, and all of it before those with a turn.
    return { state: "waiting" as const, ahead: (await redis.llen(`${queue}:wait`)) - 1 - waiting };
  }
  if (prioritized !== null) {
    const before = await redis.llen(`${queue}:wait`);
    return { state: "prioritized" as const, ahead: before + prioritized };
  }
  if (delayed !== null) return { state: "delayed" as const };
  if (completed !== null) return { state: "completed" as const };
  return { state: failed === null ? ("unknown" as const) : ("failed" as const) };
}

async function jobFacts(redis: Redis, id: string): Promise<JobFacts | undefined> {
  const found = await Promise.all(
    pools.map((pool) => redis.hmget(`${queuePrefix}:${queueOf(pool)}:${id}`, ...fields)),
  );
  const at = found.findIndex(([timestamp]) => timestamp !== null);
  const pool = pools[at];
  if (pool === undefined) return undefined;
  const [added, taken, ended, attempt, stalls, worker, name, returned] = found[at] as (
    | string
    | null
  )[];
  const queue = `${queuePrefix}:${queueOf(pool)}`;
  const [state, paused, beats, now] = await Promise.all([
    stateOf(redis, queue, id),
    redis.hexists(`${queue}:meta`, "paused"),
    redis.hgetall(heartbeatKey(pool)),
    redisTime(redis),
  ]);
  const result = parsed<{ dropped?: string; work?: WorkStory }>(returned);
  const workerAlive = Object.entries(beats).some(
    ([beatOf, json]) =>
      worker != null &&
      beatOf.startsWith(`${worker}-`) &&
      now - (parsed<Heartbeat>(json)?.at ?? 0) <= heartbeatFreshMs,
  );
  const time = (text: string | null | undefined) => (text == null ? undefined : Number(text));
  return {
    pool,
    ...state,
    paused: paused === 1,
    now,
    addedAt: Number(added),
    takenAt: time(taken),
    endedAt: time(ended),
    attempt: Number(attempt ?? 0),
    stalls: Number(stalls ?? 0),
    worker: worker ?? undefined,
    workerAlive,
    operation: name ?? undefined,
    dropped: result?.dropped,
    work: result?.work,
  };
}

/** Asks both stores; undefined where neither knows the id. A store that is away is named. */
export async function readFacts(
  stores: { db: Database | undefined; redis: Redis | undefined },
  id: string,
): Promise<Facts | undefined> {
  const { db, redis } = stores;
  const away = new Set<"postgres" | "redis">();
  const asked = async <T>(
    name: "postgres" | "redis",
    question: Promise<T> | undefined,
  ): Promise<T | undefined> => {
    if (question) {
      try {
        return await question;
      } catch {
        // Told by its name.
      }
    }
    away.add(name);
    return undefined;
  };
  const [found, refused] = await Promise.all([
    asked("postgres", db && storiesOf(db, id)),
    asked("redis", redis && refusedStory(redis, id)),
  ]);
  const told = (found?.rows ?? []).map(({ story, ...row }) => ({
    ...row,
    story: story as CallStory,
  }));
  // Asked for by the id of a request that got another's answer.
  const callId = told.some((row) => row.callId === id) ? id : (told[0]?.callId ?? id);
  const [books, job] = await Promise.all([
    asked("postgres", db && bookEntry(db, callId)),
    asked("redis", redis && jobFacts(redis, callId)),
  ]);
  if (told.length === 0 && !refused && !books && !job && away.size === 0) return undefined;
  return { id, away: [...away], told, toldCount: found?.count ?? 0, refused, books, job };
}
