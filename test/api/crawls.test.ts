import { afterAll, beforeAll, expect, test } from "vitest";
import { Gateway as Client } from "public-data-gateway-client";
import type { CrawlData } from "../../contract/crawls.ts";
import { addCredits } from "../../db/accounts.ts";
import { exemptFromRobots } from "../../db/crawls.ts";
import { type CrawlSite, startCrawlSite } from "../crawl-site.ts";
import { cli } from "../cli/cli.ts";
import { type Envelope, type ErrorEnvelope, Gateway, until } from "../gateway.ts";
import { agent, outputOf } from "./mcp/agent.ts";

let site: CrawlSite;
let gateway: Gateway;
beforeAll(async () => {
  site = await startCrawlSite({ articles: 5, calendar: 1, delaySeconds: 0.4 });
  gateway = await Gateway.start({ pools: "social", env: { EGRESS_ALLOW: site.address } });
});
afterAll(async () => {
  try {
    expect(await gateway.violations()).toEqual([]);
  } finally {
    await gateway.stop();
    await site.stop();
  }
});

type Crawl = Envelope<CrawlData> & ErrorEnvelope;
const url = "https://tea.example/";
const all = ["", "second", "third"].map((path) => `${url}${path}`);

const start = (key: string, body: object, headers: Record<string, string> = {}) =>
  gateway.call<Crawl>(key, "POST", "/web/crawl", { body: { url, ...body }, headers });

async function ended(key: string, id: string): Promise<CrawlData> {
  let data: CrawlData | undefined;
  await until(async () => {
    data = (await gateway.call<Crawl>(key, "GET", `/web/crawl/${id}`)).body.data;
    return data.state === "ended" || data.state === "cancelled";
  });
  return data as CrawlData;
}

const resume = (key: string, id: string, body: object = {}, headers = {}) =>
  gateway.call<Crawl>(key, "POST", `/web/crawl/${id}/resume`, { body, headers });

const addresses = async (key: string, id: string) =>
  (await gateway.results(key, id)).map(({ custom_id }) => custom_id);

test("a crawl in test mode: the made-up site, repeated with its key, priced, and read as a list", async () => {
  const { key, accountId } = await gateway.key({ mode: "test", credits: 100 });
  const priced = await start(key, { limit: 20, max_credits: 8 }, { "svc-dry-run": "true" });
  expect(priced.body.data).toMatchObject({ dry_run: true, credits: { least: 0, most: 8 } });
  const body = {
    formats: ["markdown", "links", "extract"],
    selectors: [{ name: "heading", selector: "h1" }],
  };
  const first = await start(key, body, { "idempotency-key": "one" });
  expect([first.status, first.body.data.state]).toEqual([202, "queued"]);
  const again = await start(key, body, { "idempotency-key": "one" });
  expect([again.text, again.headers.get("idempotency-replayed")]).toEqual([first.text, "true"]);
  expect((await start(key, { limit: 9 }, { "idempotency-key": "one" })).status).toBe(422);
  const { id } = first.body.data;
  expect(first.headers.get("location")).toBe(`/web/crawl/${id}`);

  const found: string[] = [];
  for (let after = 0, hasMore = true; hasMore;) {
    const list = await gateway.call<
      Envelope<{ results: { custom_id: string }[]; next_after: number; has_more: boolean }>
    >(key, "GET", `/web/crawl/${id}/pages?after=${after}&limit=2&wait=10`);
    found.push(...list.body.data.results.map((line) => line.custom_id));
    ({ next_after: after, has_more: hasMore } = list.body.data);
  }
  expect(found.toSorted()).toEqual(all);
  const [line] = await gateway.results(key, id);
  expect(line).toMatchObject({
    custom_id: url,
    data: {
      url,
      markdown: expect.stringContaining("# Tea garden"),
      links: expect.any(Array),
      extract: { selected: { heading: "Tea garden" } },
    },
    billing: { credits_charged: 1 },
  });
  expect(await ended(key, id)).toMatchObject({
    pages: { found: 3, delivered: 3, waiting: 0, duplicates: 0 },
    credits: { charged: 3, held: 0 },
    stopped_by: null,
  });
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 97, held: 0 });
  const batches = await gateway.call<Envelope<{ id: string }[]>>(key, "GET", "/batches");
  expect(batches.body.data.map((batch) => batch.id)).toEqual([id]);
});

test("limit, max_credits and the balance end a crawl early, and it goes on from there", async () => {
  const { key, accountId } = await gateway.key({ mode: "test", credits: 50 });
  const limited = (await start(key, { limit: 1 })).body.data.id;
  expect(await ended(key, limited)).toMatchObject({ stopped_by: "limit", pages: { waiting: 2 } });
  const more = await resume(key, limited, { limit: 3 });
  expect([more.status, more.body.data.limit]).toEqual([202, 3]);
  expect(await ended(key, limited)).toMatchObject({ stopped_by: null, pages: { delivered: 3 } });
  expect((await addresses(key, limited)).toSorted()).toEqual(all);

  const capped = (await start(key, { max_credits: 2 })).body.data.id;
  expect(await ended(key, capped)).toMatchObject({
    stopped_by: "max_credits",
    credits: { max: 2, charged: 2 },
  });
  await resume(key, capped, { max_credits: 10 });
  expect(await ended(key, capped)).toMatchObject({ stopped_by: null, credits: { charged: 3 } });
  expect((await addresses(key, capped)).toSorted()).toEqual(all);

  await addCredits(gateway.db, accountId, "test", 1 - 44, "test");
  const poor = (await start(key, { limit: 100 })).body.data.id;
  expect(await ended(key, poor)).toMatchObject({ stopped_by: "balance", credits: { charged: 1 } });
  const none = await start(key, {});
  expect([none.status, none.body.error.type]).toEqual([402, "insufficient_credits"]);
  await addCredits(gateway.db, accountId, "test", 10, "test");
  await resume(key, poor);
  expect(await ended(key, poor)).toMatchObject({ stopped_by: null, credits: { charged: 3 } });
  expect((await addresses(key, poor)).toSorted()).toEqual(all);
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 8, held: 0 });
});

test("a resume counts once by its key, and refuses totals below what is there", async () => {
  const { key } = await gateway.key({ mode: "test", credits: 50 });
  const { id } = (await start(key, { limit: 2 })).body.data;
  await ended(key, id);
  const less = { "idempotency-key": "less" };
  for (const field of ["limit", "max_credits"]) {
    const refused = await resume(key, id, { [field]: 1 }, less);
    const [issue] = refused.body.error.issues ?? [];
    expect([refused.status, issue?.path, issue?.code]).toEqual([400, field, "too_small"]);
  }
  // A refusal frees the key.
  const first = await resume(key, id, { limit: 3 }, less);
  expect([first.status, first.headers.get("idempotency-replayed")]).toEqual([202, null]);
  await ended(key, id);
  await resume(key, id, { limit: 9 });
  const again = await resume(key, id, { limit: 3 }, less);
  expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([202, "true"]);
  expect(again.headers.get("location")).toBe(`/web/crawl/${id}`);
  expect(again.body.request_id).toBe(first.body.request_id);
  expect(again.body.data.limit).toBe(9);
  const other = await resume(key, id, { limit: 5 }, less);
  expect([other.status, other.body.error.issues?.[0]?.code]).toEqual([422, "key_reused"]);
  await ended(key, id);
});

test("a cancelled crawl stays so, and only its account knows it", async () => {
  const { key } = await gateway.key({ mode: "test", credits: 50 });
  const { id } = (await start(key, {})).body.data;
  const cancelled = await gateway.call<Crawl>(key, "DELETE", `/web/crawl/${id}`);
  expect(["cancelled", "cancelling", "ended"]).toContain(cancelled.body.data.state);
  if (cancelled.body.data.state !== "ended") expect((await resume(key, id)).status).toBe(409);
  const { key: other } = await gateway.key({ mode: "test" });
  expect((await gateway.call(other, "GET", `/web/crawl/${id}`)).status).toBe(404);
  await gateway.results(key, id);
});

test("robots.txt: its delay lies between pages, and only the operator may let an account ignore it", async () => {
  const { key, accountId } = await gateway.key({ credits: 50 });
  const body = { url: `${site.url}/private/1`, source: "links", limit: 1 };
  const closed = (await start(key, body)).body.data.id;
  await ended(key, closed);
  const [line] = await gateway.results(key, closed);
  expect([line?.status, line?.error?.message]).toEqual([
    502,
    expect.stringContaining("does not allow"),
  ]);
  const refused = await start(key, { ...body, respect_robots: false });
  expect([refused.status, refused.body.error.issues?.[0]?.path]).toEqual([400, "respect_robots"]);
  await exemptFromRobots(gateway.db, accountId, true);
  const open = (await start(key, { ...body, respect_robots: false })).body.data.id;
  expect(await ended(key, open)).toMatchObject({ pages: { delivered: 1 } });
  await gateway.results(key, open);

  const slow = () => start(key, { url: `${site.url}/article/0`, source: "links", limit: 2 });
  const both = await Promise.all([slow(), slow()]);
  for (const { body: one } of both) {
    expect(await ended(key, one.data.id)).toMatchObject({
      crawl_delay_seconds: 0.4,
      pages: { delivered: 2 },
    });
    await gateway.results(key, one.data.id);
  }
  // The delay is that of all crawls of the site together.
  const times = site.times.filter(({ path }) => path !== "/robots.txt").slice(-4);
  // Three pauses of 400 ms; two crawls with a delay each would take one. Requests are under way for a while.
  expect((times.at(-1)?.at ?? 0) - (times[0]?.at ?? 0)).toBeGreaterThan(800);
});

test("the command line, the client and an agent crawl", async () => {
  const { key } = await gateway.key({ mode: "test", credits: 50 });
  const env = { GATEWAY_URL: gateway.url, GATEWAY_KEY: key };
  const ran = await cli(["call", "web.crawl", "--url", url, "--limit", "50", "--follow"], env);
  const lines = ran.stdout
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text) as { custom_id: string });
  expect(lines.map((line) => line.custom_id).toSorted()).toEqual(all);
  expect(ran.stderr).toMatch(/^batch_\w+\n3 pages, 3 credits\n$/);

  const client = new Client({ key, baseUrl: gateway.url });
  const crawl = await client.web.crawl({ url, limit: 2 });
  const pages: string[] = [];
  for await (const page of crawl.pages()) pages.push(page.custom_id);
  expect(pages).toHaveLength(2);
  expect((await crawl.status()).stopped_by).toBe("limit");
  await crawl.resume({ limit: 10 });
  for await (const page of client.crawl(crawl.id).pages({ after: 2 })) pages.push(page.custom_id);
  expect(pages.toSorted()).toEqual(all);

  const mcp = await agent(gateway, key, { version: "2026-07-28" });
  const tool = async (operation: string, input: object) =>
    outputOf(await mcp.callTool({ name: "call_operation", arguments: { operation, input } }))
      .output;
  const found = await mcp.callTool({
    name: "find_operations",
    arguments: { query: "crawl a whole website" },
  });
  expect(outputOf(found).output.found?.map(({ operation }) => operation)).toContain("web.crawl");
  const begun = await tool("web.crawl", { url, limit: 10 });
  const { id } = begun.data as unknown as { id: string };
  await ended(key, id);
  const read = await tool("web.crawl.pages", { id, wait: 10 });
  expect(read.data).toMatchObject({ state: "ended", has_more: false });
  expect((read.data as unknown as { results: unknown[] }).results).toHaveLength(3);
  expect((await tool("web.crawl.get", { id })).data).toMatchObject({ pages: { delivered: 3 } });
  await mcp.close();
});
