import type { SeenCrawl } from "../../db/crawls.ts";
import type { ItemStore } from "../../db/batch-items.ts";
import { answerLimitMs } from "../../db/client.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import type { ChangeWaiters } from "../batches/change-waiters.ts";
import { lineOf } from "../batches/results.ts";
import { retryStore } from "../stores.ts";

/** The next lines of a crawl as one list. */

/** A list ends with the line that exceeds this, in bytes. */
const mostBytes = 4 * 1024 * 1024;
const lookEveryMs = 1000;

interface Reading {
  crawl: SeenCrawl;
  after: number;
  limit: number;
  waitSeconds: number;
  items: ItemStore;
  watchers: Pick<ChangeWaiters, "wait">;
  /** The current state; undefined when the crawl has been removed. */
  now(): Promise<SeenCrawl | undefined>;
  leaving(): boolean;
}

/** The list as JSON, in the bytes of the lines. */
export async function pagesOf(reading: Reading): Promise<Buffer> {
  const { items, watchers, after, limit, waitSeconds } = reading;
  const until = monotonicNow() + waitSeconds * 1000;
  let { crawl } = reading;
  for (;;) {
    const hasEnded = crawl.state === "ended" || crawl.state === "cancelled";
    const left = until - monotonicNow();
    const mayWait = !hasEnded && left > 0 && !reading.leaving();
    // Subscribe before reading, so that a change during the read ends the wait.
    const change = mayWait ? watchers.wait(crawl.id, Math.min(left, lookEveryMs)) : undefined;
    const { id } = crawl;
    const found = await retryStore(() => lines(items, id, after, limit), {
      until: monotonicNow() + answerLimitMs,
    });
    if (found.lines.length > 0 || !change) return listOf(crawl, found, hasEnded);
    await change;
    crawl = (await reading.now()) ?? { ...crawl, state: "ended" };
  }
}

async function lines(items: ItemStore, batchId: number, after: number, limit: number) {
  const found: Buffer[] = [];
  let last = after;
  let length = 0;
  for (const row of await items.results(batchId, after, limit)) {
    const parts: Buffer[] = [];
    for await (const bytes of lineOf(items, batchId, row)) parts.push(bytes);
    const line = Buffer.concat(parts);
    if (found.length > 0 && length + line.length > mostBytes) break;
    found.push(line);
    length += line.length;
    last = row.sequence;
  }
  return { lines: found, last };
}

function listOf(
  { state, sequence }: SeenCrawl,
  { lines: found, last }: { lines: Buffer[]; last: number },
  hasEnded: boolean,
): Buffer {
  const separated = found.flatMap((line, index) =>
    index === 0 ? [line] : [Buffer.from(","), line],
  );
  const head = JSON.stringify({ state: state === "receiving" ? "queued" : state });
  const tail = JSON.stringify({ next_after: last, has_more: !hasEnded || last < sequence });
  return Buffer.concat([
    Buffer.from(`${head.slice(0, -1)},"results":[`),
    ...separated,
    Buffer.from(`],${tail.slice(1)}`),
  ]);
}
