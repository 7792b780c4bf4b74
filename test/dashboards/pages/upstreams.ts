import { expect, test } from "vitest";
import { driftKey, driftOpenKey, encodeProfile, openFindings } from "../../../runtime/drift.ts";
import { beginCanary, endCanary } from "../../../db/canaries.ts";
import { keepVerification } from "../../../db/verifications.ts";
import { eventually } from "../services.ts";
import { operation, type Stage } from "./stage.ts";

async function showsAnUpstream(stage: Stage): Promise<void> {
  const { gateway, redis, board, text } = stage;
  const finding = {
    path: "tasks[].result[].items[].rank",
    change: "gone",
    was: "number in 100 % of 60 answers",
    now: "absent in 20 answers",
    first: Date.now() - 3_600_000,
    last: Date.now(),
  } as const;
  const about = { operation, upstream: "dataforseo", route: "POST /v3/backlinks" };
  const times = { answers: 80, since: 0, last: Date.now() };
  const profile = { ...about, ...times, findings: [finding], places: {} };
  const field = `${operation} dataforseo POST /v3/backlinks`;
  await redis.hset(driftKey, field, encodeProfile({ revision: 1, profile }));
  await redis.hset(driftOpenKey, field, openFindings(profile));
  await keepVerification(gateway.db, {
    operation,
    verdict: "fails",
    cause: "its funds are gone",
  });
  await keepVerification(gateway.db, { operation: "seo.backlinks.summary", verdict: "works" });
  const call = { callId: "one", dollars: 0.01 };
  const asked = { operation, upstreams: ["dataforseo"] };
  await beginCanary(gateway.db, { ...call, ...asked, routes: ["dataforseo POST /v3/backlinks"] });
  await endCanary(gateway.db, call, {
    ...asked,
    verdict: "fails",
    fault: "changed",
    cause: "dataforseo: its answer has changed",
    paths: ["items[].rank"],
    ms: 12,
    dollars: 0.002,
  });
  await eventually(async () => {
    const list = await text("/upstreams");
    expect(list).toMatch(
      / dataforseo present \d\d:\d\dZ (closed|open in 1 worker) \d+ % of \d+ – (none|unknown|\$).* 1 field 1 of 2 fail, \d\d:\d\dZ /,
    );
    // This worker serves no pool that asks it.
    expect(list).toMatch(/ tikhub no worker reports \d+ /);
  });
  const page = await text("/upstreams/dataforseo");
  expect(page).toMatch(/Its variables DATAFORSEO_ LOGIN, DATAFORSEO_ PASSWORD /);
  expect(page).toMatch(/Workers that have it 1 of 1 /);
  expect(page).toMatch(/Answers of the last hour since \d\d:\d\dZ .* 502 \d+ \d+ % /);
  expect(page).toContain("tasks[].result[].items[].rank gone number in 100 % of 60 answers");
  // Slow machines give the worker time to write the shape of its own few answers.
  expect(page).toMatch(/ [89]\d answers of (1 route|2 routes) were seen/);
  expect(page).toMatch(
    new RegExp(`${operation} fails – fails, \\d{4}-\\d\\d-\\d\\d changed its funds are gone`),
  );
  expect(page).toMatch(/seo\.backlinks\.summary works \d\d:\d\dZ – – – /);
  expect(await text("/canaries")).toMatch(
    new RegExp(`${operation} dataforseo fails .* its answer has changed items\\[\\]\\.rank`),
  );
  const overview = await text("/");
  expect(overview).toContain("answers of dataforseo have changed (1 field of 1 operation)");
  expect(overview).toContain("the daily call of 1 operation failed (dataforseo)");
  expect((await board.get("/upstreams/nobody")).status).toBe(404);
  expect((await board.get("/upstreams/x-token")).headers.get("location")).toBe("/upstreams/x");
  expect(await text("/upstreams/reddit")).toContain("No live answer has been seen");
  const many = Array.from({ length: 60 }, (_, at) => ({ ...finding, path: `items[].field${at}` }));
  const ofReddit = { operation: "forum.search", upstream: "reddit", route: "GET /search" };
  const changed = { ...ofReddit, ...times, findings: many, places: {} };
  const id = "forum.search reddit GET /search";
  await redis.hset(driftKey, id, encodeProfile({ revision: 1, profile: changed }));
  const first = await text("/upstreams/reddit");
  expect(first).toMatch(/60 stand; rows 1 to 50 .*field0 .*field49 .* Further rows /);
  expect(first).not.toContain("field50 ");
  for (const address of ["/upstreams/reddit?changes=1", "/upstreams/reddit?changes=99"])
    expect(await text(address)).toMatch(/rows 51 to 60 .*field50 .*field59 .* Earlier rows /);
  await redis.hdel(driftKey, id);
}

/** The list of upstreams, the page of one, and the daily calls. */
export function testUpstreams(stage: Stage): void {
  test("the page of an upstream: its account, errors, spend, changed fields and dependent operations", () =>
    showsAnUpstream(stage));
}
