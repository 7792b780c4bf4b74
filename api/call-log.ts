import type { Redis } from "ioredis";
import { queueOf, queuePrefix } from "../runtime/redis/keys.ts";
import {
  type CallLogEntry,
  type LastError,
  encodeLogEntry,
  lastErrorsKey,
  mostLastErrors,
  mostRefused,
  refusedForMinutes,
  refusedKey,
  refusedScript,
} from "../runtime/call-log.ts";
import type { Database } from "../db/client.ts";
import { type CallLogRow, storeCallLogs } from "../db/call-logs.ts";
import { CallCounts } from "./call-counts.ts";

/** Pause between writes of the collected call logs. */
const everyMs = 500;
/** Rows of one statement, and call logs that wait for a store that is away. */
const mostAtOnce = 500;
const mostWaiting = 5000;
const lifeSeconds = (refusedForMinutes + 1) * 60;

/** Receives the call logs (timelines) of ended requests. */
export interface CallLog {
  add(requestId: string, entry: CallLogEntry): void;
  /** Writes the call logs collected so far. */
  close(): Promise<void>;
}

/** Drops every call log: for tests and benchmarks of other things. */
export const noCallLogs: CallLog = { add: () => undefined, close: () => Promise.resolve() };

/**
 * Collects call logs and writes them apart from the calls: those with a job to Postgres, to Redis the refusals, the
 * last errors of each pool and the counts of the hour. No answer waits for a write; while a store is away the oldest
 * logs are dropped.
 */
export class CallLogWriter implements CallLog {
  readonly #db: Database;
  readonly #redis: Redis;
  readonly #timer: NodeJS.Timeout;
  #ran: [string, CallLogEntry][] = [];
  readonly #refused: [string, CallLogEntry][] = [];
  readonly #errors: [string, LastError][] = [];
  readonly #counts = new CallCounts();
  #writing: Promise<unknown> | undefined;

  constructor({ db, redis }: { db: Database; redis: Redis }) {
    this.#db = db;
    this.#redis = redis;
    this.#timer = setInterval(() => void this.#write(), everyMs);
    this.#timer.unref();
  }

  add(requestId: string, entry: CallLogEntry): void {
    const waiting = entry.fate === "refused" ? this.#refused : this.#ran;
    if (waiting.length >= mostWaiting) waiting.shift();
    waiting.push([requestId, entry]);
    this.#counts.add(entry);
    const { error, pool, operation } = entry;
    if (!error || pool === undefined || operation === undefined) return;
    if (this.#errors.length >= mostLastErrors) this.#errors.shift();
    const cause = entry.work?.cause ?? error.cause ?? entry.ended;
    const id = entry.of ?? requestId;
    this.#errors.push([
      pool,
      { at: entry.at, id, operation, type: error.type, status: entry.status, cause },
    ]);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    await this.#write();
  }

  #write(): Promise<unknown> {
    this.#writing ??= Promise.allSettled([
      this.#writeRan(),
      this.#writeRefused(),
      this.#writeErrors(),
      this.#counts.write(this.#redis),
    ]).finally(() => (this.#writing = undefined));
    return this.#writing;
  }

  async #writeRan(): Promise<void> {
    const batch = this.#ran.splice(0, mostAtOnce);
    if (batch.length === 0) return;
    await Promise.all(batch.map(([id, entry]) => this.#addWork(id, entry)));
    const rows = batch.map(([requestId, entry]): CallLogRow => ({
      requestId,
      callId: entry.of ?? requestId,
      accountId: entry.account ?? 0,
      at: entry.at,
      story: encodeLogEntry(entry),
    }));
    try {
      await storeCallLogs(this.#db, rows);
    } catch {
      // Calls report the outage. The rows may have been written: a duplicate log is the lesser evil.
      if (this.#ran.length < mostWaiting) this.#ran = [...batch, ...this.#ran];
      return;
    }
    if (this.#ran.length > 0) await this.#writeRan();
  }

  /** The worker's part of a call that ended without an outcome stands in its job for some minutes. */
  async #addWork(id: string, entry: CallLogEntry): Promise<void> {
    if (entry.work || !entry.ended || entry.pool === undefined) return;
    const key = `${queuePrefix}:${queueOf(entry.pool as never)}:${entry.of ?? id}`;
    const returned = await this.#redis.hget(key, "returnvalue").catch(() => null);
    try {
      const { work } = JSON.parse(returned ?? "{}") as Pick<CallLogEntry, "work">;
      if (work) entry.work = work;
    } catch {
      // Another release may return something else.
    }
  }

  async #writeRefused(): Promise<void> {
    const batch = this.#refused.splice(0, mostAtOnce);
    if (batch.length === 0) return;
    const minute = Math.floor(Date.now() / 60_000);
    const fields = batch.flatMap(([id, entry]) => [
      entry.account ?? "none",
      id,
      encodeLogEntry(entry),
    ]);
    await this.#redis.eval(
      refusedScript,
      2,
      refusedKey(minute),
      `${refusedKey(minute)}:owners`,
      mostRefused.inAll,
      mostRefused.ofOne,
      lifeSeconds,
      ...fields,
    );
    if (this.#refused.length > 0) await this.#writeRefused();
  }

  async #writeErrors(): Promise<void> {
    const batch = this.#errors.splice(0, mostWaiting);
    const pools = Map.groupBy(batch, ([pool]) => pool);
    for (const [pool, found] of pools) {
      const last = found.slice(-mostLastErrors).map(([, error]) => JSON.stringify(error));
      await this.#redis
        .multi()
        .lpush(lastErrorsKey(pool), ...last)
        .ltrim(lastErrorsKey(pool), 0, mostLastErrors - 1)
        .expire(lastErrorsKey(pool), 24 * 3600)
        .exec();
    }
  }
}
