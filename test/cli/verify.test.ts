import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Result } from "../../cli/verify/call.ts";
import { readCanaries } from "../../db/canaries.ts";
import { readVerifications } from "../../db/verifications.ts";
import { totalsKey } from "../../runtime/metrics-publisher.ts";
import { upstreamAcceptedKey, upstreamRefusedKey } from "../../runtime/upstreams.ts";
import { full } from "../faults/full.ts";
import { Gateway } from "../gateway.ts";
import { type AllUpstreams, startAllUpstreams } from "../upstream/all.ts";
import { seeded } from "../random.ts";
import { planted } from "../worker/recording/planted.ts";
import { cli, cliJson } from "./cli.ts";

const answersKey = "key-of-the-kept-answers-in-tests-0000";
let upstreams: AllUpstreams;
let gateway: Gateway;
let env: Record<string, string>;
let recordings: string;
beforeAll(async () => {
  recordings = await mkdtemp(join(tmpdir(), "gateway-recordings-"));
  upstreams = await startAllUpstreams();
  gateway = await Gateway.start({
    pools: "seo,seo-bulk,serp,social",
    env: { ...upstreams.env, FAILED_ANSWERS_KEY: answersKey },
  });
  env = { DATABASE_URL: gateway.db.url, REDIS_URL: gateway.redis.url };
});
beforeEach(() => {
  upstreams.change = () => undefined;
});
afterAll(async () => {
  await gateway?.stop();
  await upstreams?.stop();
  await rm(recordings, { recursive: true, force: true });
});

interface Report {
  ok: boolean;
  counts: Record<string, number>;
  results: Result[];
}

interface Compared {
  operations: number;
  differences: { operation: string; path: string; change: string }[];
}

interface Daily extends Report {
  daily: { alarms: string[]; left: string[]; spent: number };
}

async function verify(...args: string[]): Promise<{ code: number; report: Report; err: string }> {
  const { code, stdout, stderr } = await cli(["verify", ...args, "--json"], env);
  const report = JSON.parse(stdout) as Report;
  expect(report.results, stdout).toBeDefined();
  return { code, report, err: stderr };
}

/**
 * One operation or more of each pool and kind: lists with a second page, a look-up that needs a value of an earlier
 * answer, one without an upstream, one without a worker. `test/operations/verified.test.ts` does all of them.
 */
const some = [
  "maps.search",
  "browser.html",
  "seo.keywords.ideas",
  "seo.serp.search",
  "seo.backlinks.bulk_ranks",
  "geo.keywords.search_volume",
  "events.search",
  "shortclip.search",
  "shortclip.users.get",
  "shortclip.videos.comments",
  "photosite.resolve.shortcode",
  "forum.feed.popular",
  "microblog.posts.search_recent",
  "news_aggregator.stories.items",
  "packages.search",
  "code.repositories.search",
];

test("operations work against their samples, and are kept with their date", async () => {
  const { code, report } = await verify(...(full ? [] : some), "--yes");
  const called = report.results.filter(({ fault, upstreams: asked }) => {
    // A page that is fetched from its own site has no upstream, and there is no way to it from here.
    const isAway = fault === "unreachable" && asked.length === 0;
    return fault !== "no_worker" && !isAway;
  });
  expect(called.length).toBeGreaterThan(10);
  const wrong = called
    .filter(({ verdict }) => verdict !== "works")
    .map(({ operation, verdict, cause, findings }) => [operation, verdict, cause, findings]);
  expect(wrong).toEqual([]);
  expect(code).toBe(called.length < report.results.length && !report.ok ? 1 : 0);
  const kept = (await readVerifications(gateway.db)).filter(({ operation }) =>
    called.some((one) => one.operation === operation),
  );
  const second = called.filter(({ through }) => through !== undefined);
  expect(second.map(({ operation, through }) => [operation, through])).toContainEqual([
    "microblog.posts.search_recent",
    "twitter283",
  ]);
  expect(kept).toHaveLength(called.length - second.length);
  expect(kept.every(({ verdict, workedAt }) => verdict === "works" && workedAt !== null)).toBe(
    true,
  );
  const { json } = await cliJson<{ operation: string; evidence: string }[]>(
    ["operations", "maps", "browser"],
    env,
  );
  const today = kept[0]?.at.toISOString().slice(0, 10);
  const told = `verified live on ${today}`;
  expect(json.find(({ operation }) => operation === "maps.search")?.evidence).toBe(told);
  expect(json.find(({ operation }) => operation === "browser.html")?.evidence).toBe(
    "tested on real pages",
  );
  const { key } = await gateway.key();
  const listed = await gateway.call<{ data: { id: string; evidence: { summary: string } }[] }>(
    key,
    "GET",
    "/operations",
  );
  const entry = listed.body.data.find(({ id }) => id === "maps.search");
  expect(entry?.evidence.summary).toBe(told);
  const page = await fetch(`${gateway.url}/docs/maps.search.md`);
  expect(await page.text()).toContain(`**Evidence**: ${told} in this installation;`);
});

test("kept answers map alike again, and a difference is named by its field", async () => {
  const shadowEnv = { ...env, FAILED_ANSWERS_KEY: answersKey };
  const file = join(recordings, "shadow.json");
  const shadow = async (...args: string[]) => {
    const { code, stdout } = await cli(["shadow", ...args, "--json"], shadowEnv);
    return { code, output: JSON.parse(stdout) as Compared };
  };
  const saved = await shadow("save", file);
  expect(saved.code).toBe(0);
  const text = await readFile(file, "utf8");
  // Without the file in the message of a failure.
  for (const value of ["sunrise run", "sample-credential"])
    expect(text.includes(value), value).toBe(false);
  // As if the older version had named a field otherwise; nothing else differs.
  await writeFile(file, text.replaceAll('"[].author.username":', '"[].author.handle":'));
  const { code, output } = await shadow("compare", file);
  expect(code).toBe(1);
  expect(output).toMatchObject({ ok: false, no_longer_kept: 0, mapped_by_neither: 0 });
  expect(output.operations).toBeGreaterThan(full ? 200 : 10);
  const changes = new Set(output.differences.map(({ path, change }) => `${path} ${change}`));
  expect(changes).toEqual(new Set(["[].author.handle gone", "[].author.username new"]));
  expect(output.differences.map(({ operation }) => operation)).toContain("shortclip.search");
});

test("a daily run calls each route once, within its budget, and a failure alarms", async () => {
  const names = ["news-aggregator", "weather", "cnblog"];
  const daily = async (...more: string[]) => {
    upstreams.calls.clear();
    const { code, stdout } = await cli(["verify", ...names, "--daily", "--json", ...more], env);
    return { code, report: JSON.parse(stdout) as Daily };
  };
  const first = await daily("--max-cost", "0.004");
  expect(first).toMatchObject({ code: 0, report: { ok: true, daily: { alarms: [] } } });
  expect(first.report.daily.spent).toBeLessThanOrEqual(0.004);
  expect(first.report.daily.left.length).toBeGreaterThan(0);
  const dearest = first.report.results.flatMap(({ upstreams: asked }) => asked);
  expect(new Set(dearest)).toContain("hackernews");
  // The same day again: what was called is left alone, a larger budget pays for the rest.
  upstreams.change = (upstream) =>
    upstream === "tikhub" ? { body: { code: 200, data: { nothing: 1 } } } : undefined;
  const second = await daily("--max-cost", "10");
  expect(upstreams.calls.get("hackernews")).toBeUndefined();
  expect(second.code).toBe(1);
  expect(second.report.daily.alarms.length).toBeGreaterThan(0);
  expect(second.report.daily.alarms.every((id) => id.startsWith("cnblog."))).toBe(true);
  const third = await daily();
  expect(upstreams.calls.size).toBe(0);
  expect([third.code, third.report.results]).toEqual([1, []]);
  const kept = await readCanaries(gateway.db, 1);
  const routes = kept.flatMap((one) => one.routes);
  expect(new Set(routes).size).toBeGreaterThan(20);
  expect(kept.filter(({ verdict }) => verdict === "fails").map((one) => one.operation)).toEqual(
    expect.arrayContaining(second.report.daily.alarms),
  );
  // A good daily call declares nothing: these operations have been verified by the test before alone.
  const field = '["gateway_canary_alarms_total","tikhub"]';
  const redis = new Redis(gateway.redis.url);
  expect(Number(await redis.hget(totalsKey, field))).toBe(second.report.daily.alarms.length);
  redis.disconnect();
});

test("without --yes and a terminal, calls that an account pays for are not made", async () => {
  upstreams.calls.clear();
  const { code, stdout, stderr } = await cli(["verify", "shortclip.search"], env);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/upstream +calls +expected cost/);
  expect(stderr).toMatch(/tikhub +2 +\$0\.0020/);
  expect(stderr).toContain("repeat the command with --yes");
  expect(upstreams.calls.size).toBe(0);
});

test("known costs end at --max-cost, and --free leaves accounts alone", async () => {
  const dear = await verify(
    "shortclip.search",
    "shortclip.search.users",
    "--yes",
    "--max-cost",
    "0.003",
  );
  expect(dear.report.results.map(({ verdict }) => verdict)).toEqual(["works", "not_called"]);
  expect(dear.report.results[1]?.cause).toContain("--max-cost");
  const free = await verify("news-aggregator", "shortclip", "--free");
  expect(free.report.results.map(({ operation }) => operation)).toContain(
    "news_aggregator.max_item.get",
  );
  expect(free.report.results.some(({ upstreams: asked }) => asked.includes("tikhub"))).toBe(false);
});

test("faults are told in the operator's words, by field path and without values", async () => {
  const page = "<html><title>Sign in</title><form action=/login></form></html>";
  upstreams.change = (upstream, _path, body) => {
    switch (upstream) {
      case "hackernews":
        return {
          body: JSON.parse(JSON.stringify(body).replaceAll('"title":', '"headline":')) as unknown,
        };
      case "tikhub":
        return { status: 401, body: { detail: { message: "Invalid token" } } };
      case "dataforseo":
        return { body: { status_code: 40200, status_message: "Payment Required", tasks: [] } };
      case "endoflife":
        return { type: "text/html", body: page };
      case "ror":
        return { body: JSON.stringify(body).slice(0, 200) };
      default:
        return undefined;
    }
  };
  const { code, report } = await verify(
    "news_aggregator.stories.items",
    "threads.search.top",
    "threads.search.recent",
    "maps.search",
    "packages.end_of_life",
    "papers.institutions.search",
    "--yes",
  );
  expect(code).toBe(1);
  const found = Object.fromEntries(report.results.map((one) => [one.operation, one]));
  expect(found["news_aggregator.stories.items"]).toMatchObject({
    verdict: "fails",
    fault: "changed",
  });
  expect(found["news_aggregator.stories.items"]?.findings.map(({ path }) => path)).toEqual(
    expect.arrayContaining(["[].title", "headline"]),
  );
  expect(found["threads.search.top"]).toMatchObject({
    fault: "wrong_credential",
    verdict: "fails",
  });
  // The first refusal speaks for the upstream's other operations.
  expect(found["threads.search.recent"]?.cause).toContain("as threads.search.top showed");
  expect(found["maps.search"]).toMatchObject({ fault: "quota", verdict: "fails" });
  expect(found["packages.end_of_life"]?.cause).toContain("a web page, a log-in page");
  expect(found["papers.institutions.search"]).toMatchObject({ fault: "half_answer" });
  // The page of the upstream knows when it refused the account, and when it last accepted it.
  const redis = new Redis(gateway.redis.url);
  const refused = JSON.parse((await redis.hget(upstreamRefusedKey, "tikhub")) ?? "null") as unknown;
  expect(refused).toMatchObject({ reason: "credential refused" });
  expect(Number(await redis.hget(upstreamAcceptedKey, "tikhub"))).toBeGreaterThan(0);
  redis.disconnect();
  const text = JSON.stringify(report);
  for (const value of ["sample-credential", "Sign in", "Invalid token", "Sample"])
    expect(text).not.toContain(value);
  const [kept] = (await readVerifications(gateway.db)).filter(
    ({ operation }) => operation === "maps.search",
  );
  expect(kept).toMatchObject({ verdict: "fails", workedAt: expect.any(Date) as Date });
});

/** Replaces texts of an answer by the next personal values. */
function plant(body: unknown, next: () => string | number): unknown {
  if (typeof body === "string") return body.length < 8 ? body : String(next());
  if (typeof body !== "object" || body === null) return body;
  if (Array.isArray(body)) return body.map((inner) => plant(inner, next));
  return Object.fromEntries(
    Object.entries(body).map(([name, inner]) => [name, plant(inner, next)]),
  );
}

test(seeded("a recording has none of 200 personal values that upstreams sent"), async () => {
  const values = planted();
  let sent = 0;
  upstreams.change = (upstream, _path, body) =>
    upstream === "tikhub" || upstream === "hackernews"
      ? { body: plant(body, () => values[sent++ % values.length] as string) }
      : undefined;
  const own = join(recordings, "of verify");
  const recorded = [
    "shortclip.search",
    "shortclip.search.users",
    "shortclip.videos.comments",
    "shortclip.users.followers",
    "shortclip.hashtags.videos",
    "news-aggregator",
  ];
  await verify(...(full ? ["shortclip", "news-aggregator"] : recorded), "--yes", "--record", own);
  expect((await readdir(join(own, "shortclip.search"))).toSorted()).toEqual(["page-1", "page-2"]);
  expect(sent).toBeGreaterThan(values.length);
  const all = await readdir(own, { recursive: true });
  const files = all.filter((file) => file.endsWith(".json"));
  expect(files.length).toBeGreaterThan(full ? 40 : 15);
  const texts = await Promise.all(files.map((file) => readFile(join(own, file), "utf8")));
  const text = texts.join("\n");
  // A substitute of digits may have a few in common with another number, so these are compared as a whole.
  const found = new Set(text.match(/[\p{L}]+|\d+/gu));
  const words = values.flatMap((value) => String(value).match(/[a-z]{7,}|\d{8,}/gi) ?? []);
  expect(words.filter((word) => !/example/.test(word) && found.has(word))).toEqual([]);
  const phrases = values.map(String).filter((value) => !/^\d+$/.test(value));
  expect(phrases.filter((phrase) => text.includes(phrase))).toEqual([]);
  expect(text).not.toContain("sample-credential");
});
