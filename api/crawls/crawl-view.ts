import type { CrawlData } from "../../contract/crawls.ts";
import type { BatchRow } from "../../db/batch-rows.ts";
import type { CrawlRow } from "../../db/crawls.ts";
import { batchView } from "../batches/batch-view.ts";

/** Renders a crawl for its owner. */
export function crawlView(row: BatchRow, crawl: CrawlRow, now: number): CrawlData {
  const { url, limit, known, waiting, delivered, duplicates, skipped, delayMs } = crawl;
  return {
    ...batchView(row, now),
    url,
    limit,
    pages: { found: known, delivered, waiting, duplicates, skipped },
    ...(delayMs > 0 ? { crawl_delay_seconds: delayMs / 1000 } : {}),
    stopped_by: stoppedBy(row, crawl),
  };
}

function stoppedBy(
  { state }: BatchRow,
  { waiting, stoppedBy: by, delivered, limit }: CrawlRow,
): CrawlData["stopped_by"] {
  if (state !== "ended") return null;
  return by ?? (waiting > 0 && delivered >= limit ? "limit" : null);
}
