import type { Redis } from "ioredis";
import { queueOf, queuePrefix } from "../contract/job.ts";
import {
  type CallStory,
  type LastError,
  encodeStory,
  lastErrorsKey,
  mostLastErrors,
  mostRefused,
  refusedForMinutes,
  refusedKey,
  refusedScript,
} from "../contract/story.ts";
import type { Database } from "../db/client.ts";
import { type StoryRow, tellStories } from "../db/stories.ts";

/** How often what has gathered is written. */
const everyMs = 500;
/** Rows of one statement, and stories that wait for a store that is away. */
const mostAtOnce = 500;
const mostWaiting = 5000;
const lifeSeconds = (refusedForMinutes + 1) * 60;

/** Where the stories of ended requests go. */
export interface Stories {
  add(requestId: string, story: CallStory): void;
  /** Writes what has gathered. */
  close(): Promise<void>;
}

/** Tells nobody: for tests and benchmarks of other things. */
export const noStories: Stories = { add: () => undefined, close: () => Promise.resolve() };

/**
 * Gathers stories and writes them beside the calls: those with a job to Postgres, refusals to Redis, and
 * errors of a pool to its last errors. No answer waits for it; while a store is away the oldest are dropped.
 */
export function createStories(stores: { db: Database; redis: Redis }): Stories {
  const { db, redis } = stores;
  let ran: [string, CallStory][] = [];
  let refused: [string, CallStory][] = [];
  let errors: [string, LastError][] = [];
  let writing: Promise<unknown> | undefined;

  /** What a worker came to that ended without an outcome stands in its job for some minutes. */
  async function withWork(id: string, story: CallStory): Promise<void> {
    if (story.work || !story.ended || story.pool === undefined) return;
    const key = `${queuePrefix}:${queueOf(story.pool as never)}:${story.of ?? id}`;
    const returned = await redis.hget(key, "returnvalue").catch(() => null);
    try {
      const { work } = JSON.parse(returned ?? "{}") as Pick<CallStory, "work">;
      if (work) story.work = work;
    } catch {
      // Of a release that returns something else.
    }
  }

  async function writeRan(): Promise<void> {
    const batch = ran.splice(0, mostAtOnce);
    if (batch.length === 0) return;
    await Promise.all(batch.map(([id, story]) => withWork(id, story)));
    const rows = batch.map(([requestId, story]): StoryRow => ({
      requestId,
      callId: story.of ?? requestId,
      accountId: story.account ?? 0,
      at: story.at,
      story: encodeStory(story),
    }));
    try {
      await tellStories(db, rows);
    } catch {
      // Its outage is told by calls. Perhaps they were written: a story told twice is the lesser evil.
      if (ran.length < mostWaiting) ran = [...batch, ...ran];
      return;
    }
    if (ran.length > 0) await writeRan();
  }

  async function writeRefused(): Promise<void> {
    const batch = refused.splice(0, mostAtOnce);
    if (batch.length === 0) return;
    const minute = Math.floor(Date.now() / 60_000);
    const told = batch.flatMap(([id, story]) => [story.account ?? "none", id, encodeStory(story)]);
    await redis.eval(
      refusedScript,
      2,
      refusedKey(minute),
      `${refusedKey(minute)}:owners`,
      mostRefused.inAll,
      mostRefused.ofOne,
      lifeSeconds,
      ...told,
    );
    if (refused.length > 0) await writeRefused();
  }

  async function writeErrors(): Promise<void> {
    const batch = errors.splice(0, mostWaiting);
    const pools = Map.groupBy(batch, ([pool]) => pool);
    for (const [pool, found] of pools) {
      const last = found.slice(-mostLastErrors).map(([, error]) => JSON.stringify(error));
      await redis
        .multi()
        .lpush(lastErrorsKey(pool), ...last)
        .ltrim(lastErrorsKey(pool), 0, mostLastErrors - 1)
        .expire(lastErrorsKey(pool), 24 * 3600)
        .exec();
    }
  }

  function write(): Promise<unknown> {
    writing ??= Promise.allSettled([writeRan(), writeRefused(), writeErrors()]).finally(
      () => (writing = undefined),
    );
    return writing;
  }
  const timer = setInterval(() => void write(), everyMs);
  timer.unref();

  return {
    add(requestId, story) {
      const waiting = story.fate === "refused" ? refused : ran;
      if (waiting.length >= mostWaiting) waiting.shift();
      waiting.push([requestId, story]);
      const { error, pool, operation } = story;
      if (!error || pool === undefined || operation === undefined) return;
      if (errors.length >= mostLastErrors) errors.shift();
      const cause = story.work?.cause ?? error.cause ?? story.ended;
      errors.push([
        pool,
        {
          at: story.at,
          id: story.of ?? requestId,
          operation,
          type: error.type,
          status: story.status,
          cause,
        },
      ]);
    },
    async close() {
      clearInterval(timer);
      await writing;
      await write();
    },
  };
}
