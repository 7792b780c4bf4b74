import type { Redis } from "ioredis";
import { build } from "../../runtime/build.ts";
import {
  entryOf,
  type FailedAnswer,
  type FailedEntry,
  failedIndexKey,
  failedKey,
  failedLifeMs,
  memberOf,
  sealCall,
} from "../../runtime/failed-answers.ts";
import type { JobData } from "../../runtime/queue.ts";
import type { Heard } from "../transport/heard.ts";

const mostCallBytes = 2 * 1024 * 1024;
/** Bounds in Redis, for all operations together and for each. */
const mostBytes = 32 * 1024 * 1024;
const mostCalls = 200;
const mostOfOperation = 5;
/** A worker keeps one call of an operation in this time: a broken upstream fails many alike. */
const pauseMs = 10_000;

/** Outcomes that a better mapping could change. */
const mappable: ReadonlySet<string> = new Set(["response_shape_error", "internal_error"]);

interface Settings {
  redis: Redis;
  /** Encrypts what is kept. */
  key: string;
  /** Unix time in milliseconds. */
  now: () => number;
}

/** Keeps the answers behind the last calls that the mapping of an operation failed on. */
export class FailedAnswers {
  readonly #settings: Settings;
  readonly #keptAt = new Map<string, number>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Keeps the answers of a call on which the mapping failed. A fault of Redis loses only them. */
  async keep(requestId: string, job: JobData, outcome: string, heard: Heard[]): Promise<void> {
    if (!mappable.has(outcome) || heard.length === 0) return;
    const now = this.#settings.now();
    if (now - (this.#keptAt.get(job.operation) ?? -Infinity) < pauseMs) return;
    this.#keptAt.set(job.operation, now);
    await this.#store(requestId, job, outcome, heard).catch(() => undefined);
  }

  async #store(requestId: string, job: JobData, outcome: string, heard: Heard[]): Promise<void> {
    const { redis, key, now } = this.#settings;
    const { operation, input, cursor, max_records: maxRecords } = job;
    const at = now();
    const answers = heard.map(answerOf);
    const { version } = build;
    const sealed = sealCall(key, {
      requestId,
      operation,
      input,
      cursor,
      maxRecords,
      outcome,
      at,
      version,
      answers,
    });
    if (sealed.length > mostCallBytes) return;
    await redis
      .multi()
      .set(failedKey(requestId), sealed, "PX", failedLifeMs)
      .zadd(failedIndexKey, at, memberOf(operation, requestId, sealed.length))
      .zremrangebyscore(failedIndexKey, 0, at - failedLifeMs)
      .pexpire(failedIndexKey, failedLifeMs)
      .exec();
    const surplus = surplusOf((await redis.zrevrange(failedIndexKey, 0, -1)).map(entryOf));
    if (surplus.length === 0) return;
    await redis
      .multi()
      .del(...surplus.map((entry) => failedKey(entry.requestId)))
      .zrem(failedIndexKey, ...surplus.map(({ member }) => member))
      .exec();
  }
}

function answerOf({ upstream, method, question, incoming }: Heard): FailedAnswer {
  const { status, headers, bytes, cut } = incoming;
  const contentType = headers["content-type"] ?? "";
  const answer = { upstream, method, question: question(), status, contentType };
  return cut ? answer : { ...answer, body: bytes.toString("base64") };
}

/** The entries beyond the bounds; `newest` is in order. */
export function surplusOf(newest: readonly FailedEntry[]): FailedEntry[] {
  const counts = new Map<string, number>();
  let calls = 0;
  let bytes = 0;
  return newest.filter((entry) => {
    const count = (counts.get(entry.operation) ?? 0) + 1;
    const fits =
      count <= mostOfOperation && calls + 1 <= mostCalls && bytes + entry.bytes <= mostBytes;
    if (!fits) return true;
    counts.set(entry.operation, count);
    calls += 1;
    bytes += entry.bytes;
    return false;
  });
}
