import { expect, test } from "vitest";
import { dailyCost, dailySteps } from "../../cli/verify/daily.ts";
import type { Step } from "../../cli/verify/plan.ts";
import { operations } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";

const today = "2026-11-26";

function step(id: string, upstream: string, routes: string[], credentials: string[] = []): Step {
  const sample = {
    expected: { atLeast: 0, must: [], usual: [], filled: [] },
    hasMore: true,
    shapes: {},
    dropped: [],
    calls: new Map([[upstream, routes.length]]),
    routes: new Set(routes.map((route) => `${upstream} ${route}`)),
  };
  const asked = [{ upstream, credentials, hasCredentials: true }];
  return { op: operations.get(id) as Operation, chosen: true, sample, asked };
}

const user = step("news_aggregator.users.get", "hackernews", ["GET /v0/user"]);
const item = step("news_aggregator.items.get", "hackernews", ["GET /v0/item"]);
const items = step("news_aggregator.stories.items", "hackernews", ["GET /v0/top", "GET /v0/item"]);
const paid = step("shortclip.hashtags.get", "tikhub", ["GET /hashtag"], ["TIKHUB_API_KEY"]);
const unknown = step(
  "geo.keywords.search_volume",
  "dataforseo",
  ["POST /geo"],
  ["DATAFORSEO_LOGIN"],
);

const ids = (steps: readonly Step[]) => steps.map(({ op }) => op.id);

test("each route is called once, free ones first, and none that was called today", () => {
  const all = [unknown, paid, item, user, items];
  expect(ids(dailySteps(all, [], today))).toEqual([
    items.op.id,
    user.op.id,
    paid.op.id,
    unknown.op.id,
  ]);
  const called = [{ day: today, routes: ["hackernews GET /v0/top", "hackernews GET /v0/item"] }];
  expect(ids(dailySteps(all, called, today))).toEqual([user.op.id, paid.op.id, unknown.op.id]);
});

test("routes that were not called for longest come first", () => {
  const kept = [
    { day: "2026-11-25", routes: ["hackernews GET /v0/user"] },
    { day: "2026-11-24", routes: ["tikhub GET /hashtag"] },
  ];
  expect(ids(dailySteps([user, paid], kept, today))).toEqual([paid.op.id, user.op.id]);
});

test("an operation without a credential or a worker is left out; an unknown price counts", () => {
  const not = { fault: "no_credential", cause: "", remedy: "" };
  expect(dailySteps([{ ...paid, not }], [], today)).toEqual([]);
  expect([user, paid, unknown].map(dailyCost)).toEqual([0, 0.001, 0.01]);
});
