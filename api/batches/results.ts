import { monotonicNow } from "../../runtime/monotonic.ts";
import type { ItemStore, ResultRow } from "../../db/batch-items.ts";
import type { BatchRow } from "../../db/batch-rows.ts";
import { answerLimitMs } from "../../db/client.ts";
import { retryStore } from "../stores.ts";
import { read } from "./bodies.ts";
import type { ChangeWaiters } from "./change-waiters.ts";

/** Streams the results of a batch, line by line. */

/** Lines read at once; a small answer has at most 64 KB. */
const linesAtOnce = 64;
/** Short lines are sent together, up to this size. */
const chunkBytes = 64 * 1024;
/** Followers get at least an empty line this often, in milliseconds. */
const defaultSilenceMs = 5000;
/** Followers poll this often even without a notification, in milliseconds. */
const lookEveryMs = 1000;

export interface Following {
  batch: BatchRow;
  after: number;
  follow: boolean;
  items: ItemStore;
  watchers: Pick<ChangeWaiters, "wait">;
  /** The current batch; undefined when it has been removed. */
  now(): Promise<Pick<BatchRow, "state" | "sequence"> | undefined>;
  /** True once the process stops: the follower resumes at another one. */
  leaving(): boolean;
  /** The thread continues with these lines, after it may have served others. */
  resumed?(): void;
  silenceMs?: number;
}

const newLine = Buffer.from("\n");

export async function* resultLines(following: Following): AsyncGenerator<Buffer> {
  const { batch, follow, items, watchers, silenceMs = defaultSilenceMs } = following;
  let { after } = following;
  let state = batch.state;
  let sentAt = monotonicNow();
  // The first bytes also send the head of the answer.
  if (follow) yield newLine;
  for (;;) {
    const hasEnded = state === "ended" || state === "cancelled";
    // Subscribe before reading, so that a change during the read wakes the wait below.
    const change = follow && !hasEnded ? watchers.wait(batch.id, lookEveryMs) : undefined;
    let found = 0;
    do {
      const rows = await next(items, batch.id, after);
      following.resumed?.();
      found = rows.length;
      let chunk: Buffer[] = [];
      let length = 0;
      for (const row of rows) {
        after = row.sequence;
        for await (const bytes of lineOf(items, batch.id, row)) {
          chunk.push(bytes);
          length += bytes.length;
          if (length < chunkBytes) continue;
          yield Buffer.concat(chunk);
          [chunk, length] = [[], 0];
        }
      }
      if (length > 0) yield Buffer.concat(chunk);
      if (found > 0) sentAt = monotonicNow();
    } while (found === linesAtOnce);
    if (!change || following.leaving()) return;
    if (monotonicNow() - sentAt >= silenceMs) {
      sentAt = monotonicNow();
      yield newLine;
    }
    await change;
    const now = await following.now();
    if (!now) return;
    ({ state } = now);
  }
}

/** The next rows; an outage that lasts is a 503, or ends an answer that has begun. */
const next = (items: ItemStore, batchId: number, after: number): Promise<ResultRow[]> =>
  retryStore(() => items.results(batchId, after, linesAtOnce), {
    until: monotonicNow() + answerLimitMs,
  });

/** One line: the item's id, status and sequence, then the members of its envelope. */
export async function* lineOf(
  items: ItemStore,
  batchId: number,
  row: ResultRow,
): AsyncGenerator<Buffer> {
  const { customId, status, sequence } = row;
  const head = JSON.stringify({ custom_id: customId, status, sequence });
  yield Buffer.from(`${head.slice(0, -1)},`);
  let first = true;
  for await (const bytes of read(items, batchId, row)) {
    yield first ? bytes.subarray(1) : bytes;
    first = false;
  }
  if (status === 200) {
    const billing = {
      credits_charged: row.credits,
      records_charged: row.records,
      balance_remaining: row.available ?? 0,
      truncated_due_to_balance: row.truncated,
    };
    yield Buffer.from(`,"billing":${JSON.stringify(billing)}}`);
  }
  yield newLine;
}
