import { createCrawl } from "../client/src/crawls.ts";
import type { CrawlLine } from "../client/src/generated/types.gen.ts";
import type { CallOptions, Transport } from "../client/src/transport.ts";

/** `gateway call web.crawl --follow`: begins a crawl and prints its pages as they come, a line of JSON each. */
export async function followCrawl(
  transport: Transport,
  input: object,
  options: CallOptions,
): Promise<void> {
  const crawl = await createCrawl(transport, input as { url: string }, options);
  const isShown = process.stderr.isTTY;
  process.stderr.write(`${crawl.id}\n`);
  let pages = 0;
  let credits = 0;
  for await (const line of crawl.pages()) {
    pages += 1;
    credits += (line.billing as { credits_charged: number } | undefined)?.credits_charged ?? 0;
    if (isShown) process.stderr.write(`\r${pages} lines, ${credits} credits `);
    await printed(line);
  }
  const { pages: counts, stopped_by: by } = await crawl.status();
  const rest = by === null ? "" : `; ${counts.waiting} addresses wait (${by})`;
  process.stderr.write(
    `${isShown ? "\r" : ""}${counts.delivered} pages, ${credits} credits${rest}\n`,
  );
}

async function printed(line: CrawlLine): Promise<void> {
  if (process.stdout.write(`${JSON.stringify(line)}\n`)) return;
  await new Promise((resolve) => process.stdout.once("drain", resolve));
}
