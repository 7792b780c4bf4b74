import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Result } from "../../cli/verify/call.ts";
import { readVerifications } from "../../db/verifications.ts";
import { Gateway } from "../gateway.ts";
import { type AllUpstreams, startAllUpstreams } from "../upstream/all.ts";
import { cli, cliJson } from "./cli.ts";

let upstreams: AllUpstreams;
let gateway: Gateway;
let env: Record<string, string>;
beforeAll(async () => {
  upstreams = await startAllUpstreams();
  gateway = await Gateway.start({ pools: "seo,seo-bulk,serp,social", env: upstreams.env });
  env = { DATABASE_URL: gateway.db.url, REDIS_URL: gateway.redis.url };
});
beforeEach(() => {
  upstreams.change = () => undefined;
});
afterAll(async () => {
  await gateway?.stop();
  await upstreams?.stop();
});

interface Report {
  ok: boolean;
  counts: Record<string, number>;
  results: Result[];
}

async function verify(...args: string[]): Promise<{ code: number; report: Report; err: string }> {
  const { code, stdout, stderr } = await cli(["verify", ...args, "--json"], env);
  return { code, report: JSON.parse(stdout) as Report, err: stderr };
}

test("every operation with an upstream works against its samples, and is kept with its date", async () => {
  const { code, report } = await verify("--yes");
  const called = report.results.filter(({ fault }) => fault !== "no_worker");
  const wrong = called
    .filter(({ verdict }) => verdict !== "works")
    .map(({ operation, verdict, cause, findings }) => [operation, verdict, cause, findings]);
  expect(wrong).toEqual([]);
  expect(code).toBe(0);
  const kept = await readVerifications(gateway.db);
  expect(kept).toHaveLength(called.length);
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
  const text = JSON.stringify(report);
  for (const value of ["sample-credential", "Sign in", "Invalid token", "Sample"])
    expect(text).not.toContain(value);
  const [kept] = (await readVerifications(gateway.db)).filter(
    ({ operation }) => operation === "maps.search",
  );
  expect(kept).toMatchObject({ verdict: "fails", workedAt: expect.any(Date) as Date });
});
