import type { CrawlData } from "../../../contract/crawls.ts";
import { until } from "../../gateway.ts";
import { acceptedOnce, linesOf } from "./batch-flows.ts";
import { type Asked, type Caller, type Told, claim } from "./caller.ts";
import { statusOf } from "./call-flows.ts";
import type { Flow } from "./flow.ts";

/** Crawls of the site of test mode, which has three pages: started, read and resumed; one of a live page is cancelled. */

const site = "https://tea.example/";
const pages = 3;
const submission = (more: object = {}, headers: Record<string, string> = {}): Asked => ({
  method: "POST",
  path: "/web/crawl",
  body: { url: site, ...more },
  headers,
});
const keyed = { "idempotency-key": "one" };

const crawlOf = async (caller: Caller, id: string): Promise<CrawlData> => {
  const shown = await caller.insist<CrawlData>({ path: `/web/crawl/${id}` });
  claim(shown.status === 200, `a crawl is shown with ${shown.status}: ${shown.text}`);
  return shown.body.data;
};

/** The lines of a crawl as a caller reads them while it runs, until none is left. */
async function pagesOf(caller: Caller, id: string): Promise<string[]> {
  interface List {
    results: { custom_id: string }[];
    next_after: number;
    has_more: boolean;
  }
  const found: string[] = [];
  for (let after = 0, hasMore = true; hasMore;) {
    const path = `/web/crawl/${id}/pages?after=${after}&limit=2&wait=10`;
    const { status, text, body } = await caller.insist<List>({ path });
    claim(status === 200, `pages are ${status}: ${text}`);
    found.push(...body.data.results.map((line) => line.custom_id));
    claim(body.data.next_after >= after, `the list goes back from ${after}: ${text}`);
    ({ next_after: after, has_more: hasMore } = body.data);
  }
  return found;
}

/** Every page has one line, costs one credit, and is read as often as it was delivered. */
async function delivered(caller: Caller, id: string, count = pages): Promise<void> {
  const lines = JSON.parse(await linesOf(caller, id, count)) as { custom_id: string }[];
  const read = await pagesOf(caller, id);
  const { credits } = await caller.charges();
  const crawl = await crawlOf(caller, id);
  const books = `${credits} credits for ${read.join()}: ${JSON.stringify(crawl)}`;
  claim(new Set(read).size === count && read.length === lines.length, books);
  claim(credits === count && crawl.credits.charged === count && crawl.credits.held === 0, books);
  claim(crawl.pages.delivered === count && crawl.state === "ended", books);
}

/** An accepted crawl delivers its pages once; a refused one costs nothing. */
async function crawl(caller: Caller): Promise<void> {
  caller.lane.watch();
  const told = await caller.ask<CrawlData>(submission());
  if (told?.status === 202) {
    const read = await pagesOf(caller, told.body.data.id);
    claim(new Set(read).size === pages && read.length === pages, `pages: ${read.join()}`);
  }
  await caller.settled();
  await accepted(caller, told);
}

async function accepted(caller: Caller, told: Told<CrawlData> | undefined): Promise<void> {
  const batches = await caller.batches();
  const { credits } = await caller.charges();
  const books = `${statusOf(told)}, ${credits} credits, ${JSON.stringify(batches)}: ${told?.text}`;
  const [batch] = batches;
  claim(batches.length <= 1, books);
  if (told?.status === 202) {
    claim(batch?.id === told.body.data.id, books);
    return delivered(caller, told.body.data.id);
  }
  const isGone = batch === undefined || batch.state === "cancelled";
  // Without an answer either may be so.
  const isWhole = told === undefined && credits === pages;
  claim(isWhole || (isGone && credits === 0), books);
  claim(told === undefined || told.status === 503, books);
}

/** A crawl with a key is one crawl; the credits that it may cost end it, and it goes on with more. */
async function cappedCrawl(caller: Caller): Promise<void> {
  const asked = submission({ max_credits: 2 }, keyed);
  const again = await acceptedOnce<CrawlData>(caller, asked);
  caller.lane.relays.pause();
  const { id } = again.body.data;
  const stopped = await crawlOf(caller, id);
  const { credits } = await caller.charges();
  claim(
    stopped.stopped_by === "max_credits" && credits === 2 && stopped.credits.charged === 2,
    `${credits} credits: ${JSON.stringify(stopped)}`,
  );
  const resumed = await caller.insist<CrawlData>({
    method: "POST",
    path: `/web/crawl/${id}/resume`,
    body: { max_credits: 10 },
  });
  claim(resumed.status === 202, `${resumed.status} at the resume: ${resumed.text}`);
  await caller.settled();
  await accepted(caller, again);
}

async function resumedCrawl(caller: Caller): Promise<void> {
  const { body: made } = await caller.insist<CrawlData>(submission({ limit: 1 }, keyed));
  const { id } = made.data;
  await caller.settled();
  await pagesOf(caller, id);
  const asked: Asked = {
    method: "POST",
    path: `/web/crawl/${id}/resume`,
    body: { limit: pages },
    headers: { "idempotency-key": "more" },
  };
  caller.lane.watch();
  const told = await caller.ask<CrawlData>(asked);
  const again = await caller.insist<CrawlData>(asked);
  claim(again.status === 202, `${again.status} at the second resume: ${again.text}`);
  claim(told === undefined || [202, 503].includes(told.status), `${told?.text}`);
  claim(again.body.data.limit === pages, `the limit after the resume: ${again.text}`);
  await caller.settled();
  await delivered(caller, id);
}

/** Its page is being read: the site holds its answer back, and its other files have been read. */
async function cancelledCrawl(caller: Caller): Promise<void> {
  const { gateway, upstream } = caller.lane;
  const url = upstream.heldPage(caller.accountId);
  const { body: made } = await caller.insist<CrawlData>(submission({ url }, keyed));
  const { id } = made.data;
  await until(async () => {
    const [row] = await gateway.db.sql<{ open: number; queued: number; running: number }[]>`
      select c.open, b.queued, b.running from crawls c join batches b on b.id = c.batch_id
      where b.public_id = ${id}`;
    const isLast = row?.open === 1 && row.running === 1 && row.queued === 0;
    return isLast && upstream.isHeld(caller.accountId);
  });
  const asked = { method: "DELETE", path: `/web/crawl/${id}` } as const;
  caller.lane.watch();
  const told = await caller.ask<CrawlData>(asked);
  const again = await caller.insist<CrawlData>(asked);
  claim(again.status === 200, `${again.status} at the second cancel: ${again.text}`);
  claim(told === undefined || [200, 503].includes(told.status), `${told?.text}`);
  await caller.settled();
  const crawl = await crawlOf(caller, id);
  const { credits } = await caller.charges();
  const books = `${credits} credits: ${JSON.stringify(crawl)}`;
  claim(crawl.state === "cancelled" && credits === 0 && crawl.credits.held === 0, books);
  const resumed = await caller.insist({
    method: "POST",
    path: `/web/crawl/${id}/resume`,
    body: {},
  });
  claim(resumed.status === 409, `a cancelled crawl is resumed with ${resumed.status}`);
}

export const crawlFlows: readonly Flow[] = [
  { name: "crawl", run: crawl },
  { name: "crawl with a key that its credits end", run: cappedCrawl },
  { name: "resume of a crawl", run: resumedCrawl },
  { name: "cancel of a crawl", mode: "live", run: cancelledCrawl },
];
