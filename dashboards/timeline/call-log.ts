import type { Redis } from "ioredis";
import { redisTime } from "../../runtime/store-clock.ts";
import { type Heartbeat, heartbeatFreshMs } from "../../runtime/queue.ts";
import { heartbeatKey, queueOf, queuePrefix } from "../../runtime/redis/keys.ts";
import { type Pool, pools } from "../../contract/operation.ts";
import {
  type CallLogEntry,
  type WorkLog,
  refusedForMinutes,
  refusedKey,
} from "../../runtime/call-log.ts";
import type { Database } from "../../db/client.ts";
import { accountNames } from "../../db/call-list.ts";
import { type BookEntry, bookEntry, callLogsOf } from "../../db/call-logs.ts";

/** The call log of a request id: everything that both stores know of it. */
export interface Facts {
  id: string;
  /** Stores that did not answer. */
  away: ("postgres" | "redis")[];
  /** The call logs of the request itself and of the first requests that got the same answer. */
  logs: { requestId: string; callId: string; story: CallLogEntry }[];
  /** Number of requests that got the same answer, this one included. */
  logCount: number;
  /** The call log of a request that was refused before a job was made. */
  refused: CallLogEntry | undefined;
  books: BookEntry | undefined;
  /** Name of its account; undefined where Postgres does not answer, or the call had no valid key. */
  account: string | undefined;
  job: JobFacts | undefined;
}

/** The queue's data about a job, for as long as the queue keeps it. */
export interface JobFacts {
  pool: Pool;
  state: "waiting" | "prioritized" | "active" | "delayed" | "completed" | "failed" | "unknown";
  /** Number of jobs ahead in the queue, while it waits. */
  ahead?: number;
  paused: boolean;
  /** This and the following times are in milliseconds by the clock of Redis. */
  now: number;
  addedAt: number;
  takenAt: number | undefined;
  endedAt: number | undefined;
  attempt: number;
  /** How often the job was put back after its worker was lost. */
  stalls: number;
  worker: string | undefined;
  /** Whether that worker's heartbeat is fresh. */
  workerAlive: boolean;
  operation: string | undefined;
  /** The reason why the job has no outcome. */
  dropped: string | undefined;
  work: WorkLog | undefined;
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

async function refusedCall(redis: Redis, id: string): Promise<CallLogEntry | undefined> {
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
    // Workers take jobs from the end of this list, and empty it before the prioritized jobs.
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
  const result = parsed<{ dropped?: string; work?: WorkLog }>(returned);
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

/** Reads both stores; undefined where neither knows the id. `away` names the stores that did not answer. */
export async function readFacts(
  stores: { db: Database | undefined; redis: Redis | undefined },
  id: string,
): Promise<Facts | undefined> {
  const { db, redis } = stores;
  const away = new Set<"postgres" | "redis">();
  const bestEffort = async <T>(
    name: "postgres" | "redis",
    query: Promise<T> | undefined,
  ): Promise<T | undefined> => {
    if (query) {
      try {
        return await query;
      } catch {
        // `away` reports it below.
      }
    }
    away.add(name);
    return undefined;
  };
  const [found, refused] = await Promise.all([
    bestEffort("postgres", db && callLogsOf(db, id)),
    bestEffort("redis", redis && refusedCall(redis, id)),
  ]);
  const logs = (found?.rows ?? []).map(({ story, ...row }) => ({
    ...row,
    story: story as CallLogEntry,
  }));
  // The id may belong to a request that got another call's answer.
  const callId = logs.some((row) => row.callId === id) ? id : (logs[0]?.callId ?? id);
  // A call that was refused or only priced is in no books.
  const accountId = (logs[0]?.story ?? refused)?.account;
  const ids = accountId === undefined ? [] : [accountId];
  const [books, job, names] = await Promise.all([
    bestEffort("postgres", db && bookEntry(db, callId)),
    bestEffort("redis", redis && jobFacts(redis, callId)),
    bestEffort("postgres", db && accountNames(db, ids)),
  ]);
  if (logs.length === 0 && !refused && !books && !job && away.size === 0) return undefined;
  return {
    id,
    away: [...away],
    logs,
    logCount: found?.count ?? 0,
    refused,
    books,
    account: books?.account ?? names?.get(accountId ?? 0),
    job,
  };
}
