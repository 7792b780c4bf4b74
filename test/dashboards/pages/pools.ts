import { expect, test } from "vitest";
import { decide } from "../../../db/controls.ts";
import { backlinks, backlinksPath } from "../../faults/cases.ts";
import { eventually } from "../services.ts";
import { operation, type Stage } from "./stage.ts";

async function showsRunningAndWaiting(stage: Stage): Promise<void> {
  const { upstream, gateway, board, text } = stage;
  const busy = await gateway.key({ account: "busy" });
  await upstream.play(backlinksPath, {
    faults: [502, 502, 502].map((status) => ({ kind: "status", status })),
    rest: { kind: "delay", ms: 300 },
  });
  const failed = await backlinks(gateway, busy.key, "failed");
  expect(failed.status).toBeGreaterThanOrEqual(502);
  for (let count = 0; count < 4; count++) {
    expect((await backlinks(gateway, busy.key, `slow${count}`)).status).toBe(200);
  }
  await eventually(async () => {
    const page = await text("/pools/seo");
    expect(page).toMatch(/Run, 5 min 5 jobs p50 [\d.]+ m?s, p95 [\d.]+ m?s, p99/);
    expect(page).toMatch(/dataforseo closed [\d.]+ \/s/);
  });
  await upstream.play(backlinksPath, { faults: [], rest: { kind: "hold" } });
  const calls = Array.from({ length: 5 }, (_, count) => backlinks(gateway, busy.key, `b${count}`));
  // Two run, the others wait.
  await eventually(async () => {
    const page = await text("/pools/seo");
    expect(page).toMatch(/Oldest waiting [\d.]+ m?s Waiting 3 /);
    expect(page).toMatch(/busy live 2 3 /);
  });
  const [pool, one, other] = await Promise.all(
    ["/pools/seo", `/pools/seo/${operation}`, "/pools/seo/seo.backlinks.summary"].map(text),
  );
  for (const page of [pool, one]) {
    expect(page).toContain(failed.headers.get("svc-request-id"));
    expect(page).toContain("http_502");
    expect(page).toMatch(/upstream_\w+ 1 of the last 1/);
  }
  expect(pool).toContain(operation);
  expect(other).toContain("None within a day.");
  expect(other).toContain("Run, 24 h 0 jobs");
  expect((await board.get("/pools/nowhere")).status).toBe(404);
  expect((await board.get(`/pools/serp/${operation}`)).status).toBe(404);
  await upstream.play(backlinksPath, { faults: [] });
  await upstream.release();
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(5).fill(200));
}

async function namesTroubles(stage: Stage): Promise<void> {
  const { upstream, gateway, board, text } = stage;
  const { key } = await gateway.key({ account: "unlucky", inFlight: 100 });
  await upstream.play(backlinksPath, { faults: [], rest: { kind: "status", status: 502 } });
  const calls = Array.from({ length: 20 }, (_, count) => backlinks(gateway, key, `u${count}`));
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  expect(Math.min(...statuses)).toBeGreaterThanOrEqual(502);
  const decision = { who: "operator", why: "their maintenance" };
  await decide(gateway.db, { ...decision, kind: "pool", target: "serp", effect: "drain" });
  const cap = { kind: "account", target: "unlucky", effect: "cap", perMinute: 60 };
  await decide(gateway.db, { ...decision, ...cap });
  await eventually(async () => {
    const html = await (await board.get("/")).text();
    const line = /<p class="status wrong" role="alert">(.*?)<\/p>/s.exec(html)?.[1] ?? "";
    const words = line.replaceAll(/<[^>]+>/g, "");
    expect(words).toMatch(/^Wrong: .*the pool serp is drained since \d\d:\d\dZ/);
    expect(words).toMatch(/the account unlucky is capped: at most 60 a minute since \d\d:\d\dZ/);
    // One call of an earlier test failed too.
    expect(words).toMatch(
      /2[01] of 3\d live calls of the last hour failed in seo \(upstream_\w+ \d+.*\) since \d\d:\d\dZ/,
    );
  });
  const page = await text("/");
  expect(page).toMatch(/pool serp drained \d\d:\d\dZ – operator their maintenance/);
  expect(page).toMatch(/Errors of the last hour live 2[01] of 3\d calls/);
  expect(page).toMatch(/webhooks no workers 0 – – 0 \/ 0 0/);
  expect(page).toMatch(/Live credits [1-9]\d* of [1-9]\d* calls/);
  expect(page).toMatch(/busy live [1-9]\d* /);
  await upstream.play(backlinksPath, { faults: [] });
}

/** The pages of pools and operations, and the first line of the overview. */
export function testPools(stage: Stage): void {
  test("running and waiting calls, their durations, failures and reasons", () =>
    showsRunningAndWaiting(stage));
  test("the first line of the overview: a drained pool, a capped account and twenty failed calls", () =>
    namesTroubles(stage));
}
