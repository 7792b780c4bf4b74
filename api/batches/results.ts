import { steadyNow } from "../../contract/steady.ts";
import type { ItemStore, ResultRow } from "../../db/batch-items.ts";
import type { BatchRow } from "../../db/batches.ts";
import { read } from "./bodies.ts";
import type { Watchers } from "./watchers.ts";

/** The results of a batch, line by line. */

/** Lines of one look; a small answer has at most 64 KB. */
const linesAtOnce = 64;
/** Lines that are short go out together. */
const chunkBytes = 64 * 1024;
/** Whoever follows hears something this often, in milliseconds. */
const usualSilenceMs = 5000;
/** Who follows looks this often even if nobody tells of anything. */
const lookEveryMs = 1000;

export interface Following {
  batch: BatchRow;
  after: number;
  follow: boolean;
  items: ItemStore;
  watchers: Pick<Watchers, "wait">;
  /** The batch as it is now; undefined when it has been removed. */
  now(): Promise<Pick<BatchRow, "state" | "sequence"> | undefined>;
  /** True once the process is to stop: the follower resumes at another. */
  leaving(): boolean;
  silenceMs?: number;
}

const newLine = Buffer.from("\n");

export async function* resultLines(following: Following): AsyncGenerator<Buffer> {
  const { batch, follow, items, watchers, silenceMs = usualSilenceMs } = following;
  let { after } = following;
  let state = batch.state;
  let saidAt = steadyNow();
  // The head of the answer goes out with the first bytes.
  if (follow) yield newLine;
  for (;;) {
    const hasEnded = state === "ended" || state === "cancelled";
    // From here on a change wakes the wait below, also one that comes during the look.
    const change = follow && !hasEnded ? watchers.wait(batch.id, lookEveryMs) : undefined;
    let found = 0;
    do {
      const rows = await items.results(batch.id, after, linesAtOnce);
      found = rows.length;
      let chunk: Buffer[] = [];
      let length = 0;
      for (const row of rows) {
        after = row.sequence;
        for await (const bytes of line(items, batch.id, row)) {
          chunk.push(bytes);
          length += bytes.length;
          if (length < chunkBytes) continue;
          yield Buffer.concat(chunk);
          [chunk, length] = [[], 0];
        }
      }
      if (length > 0) yield Buffer.concat(chunk);
      if (found > 0) saidAt = steadyNow();
    } while (found === linesAtOnce);
    if (!change || following.leaving()) return;
    if (steadyNow() - saidAt >= silenceMs) {
      saidAt = steadyNow();
      yield newLine;
    }
    await change;
    const now = await following.now();
    if (!now) return;
    ({ state } = now);
  }
}

/** The envelope of the call, with whose it is and its status before it. */
async function* line(items: ItemStore, batchId: number, row: ResultRow): AsyncGenerator<Buffer> {
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
