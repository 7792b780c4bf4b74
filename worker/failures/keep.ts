import type { Redis } from "ioredis";
import { build } from "../../runtime/build.ts";
import {
  entryOf,
  type KeptAnswer,
  type KeptEntry,
  failedIndexKey,
  failedKey,
  goodIndexKey,
  goodKey,
  keptLifeMs,
  memberOf,
  sealCall,
} from "../../runtime/kept-answers.ts";
import type { JobData } from "../../runtime/queue.ts";
import type { Heard } from "../transport/heard.ts";

/** Which calls are kept, where, and how many. */
export interface Kind {
  isKept(outcome: string): boolean;
  keyOf: (requestId: string) => string;
  indexKey: string;
  /** Bytes of one call, sealed. */
  mostCallBytes: number;
  /** Bounds in Redis, for all operations together and for each. */
  mostBytes: number;
  mostCalls: number;
  mostOfOperation: number;
  /** A worker keeps one call of an operation in this time: a broken upstream fails many alike. */
  pauseMs: number;
}

/** Outcomes that a better mapping could change. */
const mappable: ReadonlySet<string> = new Set(["response_shape_error", "internal_error"]);
const mebibyte = 1024 * 1024;

export const failedCalls: Kind = {
  isKept: (outcome) => mappable.has(outcome),
  keyOf: failedKey,
  indexKey: failedIndexKey,
  mostCallBytes: 2 * mebibyte,
  mostBytes: 32 * mebibyte,
  mostCalls: 200,
  mostOfOperation: 5,
  pauseMs: 10_000,
};

/** Two calls of each operation are enough to compare two versions of its mapping. */
export const goodCalls: Kind = {
  isKept: (outcome) => outcome === "ok",
  keyOf: goodKey,
  indexKey: goodIndexKey,
  mostCallBytes: mebibyte / 2,
  mostBytes: 16 * mebibyte,
  mostCalls: 800,
  mostOfOperation: 2,
  pauseMs: 600_000,
};

interface Settings {
  redis: Redis;
  /** Encrypts what is kept. */
  key: string;
  /** Unix time in milliseconds. */
  now: () => number;
}

/** Keeps the answers behind the last calls of each operation: of those that failed, or of some that succeeded. */
export class KeptAnswers {
  readonly #kind: Kind;
  readonly #settings: Settings;
  readonly #keptAt = new Map<string, number>();

  constructor(kind: Kind, settings: Settings) {
    this.#kind = kind;
    this.#settings = settings;
  }

  /** Keeps the answers of a call of this kind. A fault of Redis loses only them. */
  async keep(requestId: string, job: JobData, outcome: string, heard: Heard[]): Promise<void> {
    if (!this.#kind.isKept(outcome) || heard.length === 0) return;
    const now = this.#settings.now();
    if (now - (this.#keptAt.get(job.operation) ?? -Infinity) < this.#kind.pauseMs) return;
    this.#keptAt.set(job.operation, now);
    await this.#store(requestId, job, outcome, heard).catch(() => undefined);
  }

  async #store(requestId: string, job: JobData, outcome: string, heard: Heard[]): Promise<void> {
    const { redis, key, now } = this.#settings;
    const { keyOf, indexKey, mostCallBytes } = this.#kind;
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
      .set(keyOf(requestId), sealed, "PX", keptLifeMs)
      .zadd(indexKey, at, memberOf(operation, requestId, sealed.length))
      .zremrangebyscore(indexKey, 0, at - keptLifeMs)
      .pexpire(indexKey, keptLifeMs)
      .exec();
    const surplus = surplusOf(this.#kind, (await redis.zrevrange(indexKey, 0, -1)).map(entryOf));
    if (surplus.length === 0) return;
    await redis
      .multi()
      .del(...surplus.map((entry) => keyOf(entry.requestId)))
      .zrem(indexKey, ...surplus.map(({ member }) => member))
      .exec();
  }
}

function answerOf({ upstream, method, question, incoming }: Heard): KeptAnswer {
  const { status, headers, bytes, cut } = incoming;
  const contentType = headers["content-type"] ?? "";
  const answer = { upstream, method, question: question(), status, contentType };
  return cut ? answer : { ...answer, body: bytes.toString("base64") };
}

/** The entries beyond the bounds; `newest` is in order. */
export function surplusOf(
  {
    mostOfOperation,
    mostCalls,
    mostBytes,
  }: Pick<Kind, "mostOfOperation" | "mostCalls" | "mostBytes">,
  newest: readonly KeptEntry[],
): KeptEntry[] {
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
