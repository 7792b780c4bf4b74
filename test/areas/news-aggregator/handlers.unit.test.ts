import { describe, expect, test } from "vitest";
import { newsAggregator } from "../../../contract/areas/news-aggregator/index.ts";
import { item, storyIds, updates, user } from "../../../worker/areas/news-aggregator/items.map.ts";
import { slice } from "../../../worker/areas/news-aggregator/handlers.ts";
import { hackernews as bundled } from "../../../worker/areas/news-aggregator/samples/answers.ts";
import type { Sample, Samples } from "../../../worker/sandbox/sample.ts";
import { hackernews } from "../../../worker/upstreams/hackernews/client.ts";
import { ShapeError } from "#wire";
import type { Answered } from "../../operations/play.ts";
import { play, playToEnd } from "../play.ts";

async function ok(...call: Parameters<typeof play>): Promise<Answered> {
  const played = await play(...call);
  if (!played.ok) throw new Error(played.type);
  return played;
}

const site = (answers: Record<string, Sample>): Samples[] => [
  { ...bundled, answers: { ...bundled.answers, ...answers } },
];
/** A site with these ids on its front page and these items; all others are `null`. */
const front = (ids: unknown, items: Record<string, unknown>): Samples[] => [
  {
    ...bundled,
    answers: {
      "GET /v0/topstories.json": () => ids,
      "GET /v0/item/{id}.json": ({ parts }) => items[parts.id as string] ?? null,
    },
  },
];
const story = (id: number) => ({ id, type: "story", time: 1_700_000_000, title: `T${id}` });

describe("news-aggregator mapping", () => {
  test("news-aggregator surprise 1: a missing item or user is 200 with null", async () => {
    const none = site({
      "GET /v0/item/{id}.json": () => null,
      "GET /v0/user/{id}.json": () => null,
    });
    for (const [id, input] of [
      ["news_aggregator.items.get", { id: "5" }],
      ["news_aggregator.users.get", { id: "nobody" }],
    ] as const) {
      const outcome = await play(id, input, { samples: none });
      expect(outcome).toMatchObject({ ok: false, type: "not_found" });
    }
  });

  test("news-aggregator surprise 2: a deleted item and a killed story have hardly any fields", () => {
    expect(item({ deleted: true, id: 7, time: 1_700_000_000, type: "comment", parent: 3 })).toEqual(
      {
        id: 7,
        type: "comment",
        time: 1_700_000_000,
        parent: 3,
        deleted: true,
      },
    );
    expect(item({ by: "x", dead: true, id: 8, score: 1, time: 5, type: "story" })).toEqual({
      id: 8,
      type: "story",
      by: "x",
      time: 5,
      score: 1,
      dead: true,
    });
  });

  test("news-aggregator surprise 3: the largest item number is a bare number", async () => {
    const samples = site({ "GET /v0/maxitem.json": () => 41_000_123 });
    const { data } = await ok("news_aggregator.max_item.get", {}, { samples });
    expect(data).toEqual({ max_item: 41_000_123 });
    const odd = site({ "GET /v0/maxitem.json": () => ({ max: 1 }) });
    const outcome = await play("news_aggregator.max_item.get", {}, { samples: odd });
    expect(outcome).toMatchObject({ type: "response_shape_error" });
  });

  test("news-aggregator surprise 4: absent stays absent, an empty url or text is passed on", () => {
    expect(item(story(1))).toEqual({ id: 1, type: "story", time: 1_700_000_000, title: "T1" });
    expect(item({ ...story(2), url: "", text: "" })).toMatchObject({ url: "", text: "" });
  });

  test("news-aggregator surprise 7: user names are sent in their own case", async () => {
    const samples = site({ "GET /v0/user/{id}.json": ({ parts }) => ({ id: parts.id }) });
    const { data } = await ok("news_aggregator.users.get", { id: "MixedCase" }, { samples });
    expect(data).toEqual({ id: "MixedCase" });
  });

  test("news-aggregator surprise 5: new items that answer null do not end a list", async () => {
    const samples = front([1, 2, 3, 4, 5, 6], { 5: story(5), 6: story(6) });
    const input = { feed: "top", limit: 1 };
    const { data, pagination } = await ok("news_aggregator.stories.items", input, { samples });
    expect(data).toMatchObject([{ id: 5 }]);
    expect(pagination?.has_more).toBe(true);
    const gone = front([1, 2, 3, 4, 5], {});
    const none = await ok("news_aggregator.stories.items", input, { samples: gone });
    expect(none).toMatchObject({ data: [], records: 0, pagination: { has_more: false } });
  });

  test("news-aggregator surprise 6: a user without public activity is null", () => {
    expect(user(null)).toBeUndefined();
    expect(user({ id: "u", created: 1_200_000_000, karma: 1 })).toEqual({
      id: "u",
      created: 1_200_000_000,
      karma: 1,
    });
  });

  test("a fault in one field loses that field alone", () => {
    const whole = { ...story(4), by: "a", kids: [5, 6], score: 3 };
    expect(item({ ...whole, kids: "none" })).toEqual({ ...item(whole), kids: undefined });
    expect(item({ ...whole, kids: [5, "x", 6] })).toEqual(item(whole));
    expect(item({ ...whole, by: 4 })).not.toHaveProperty("by");
    expect(() => item({ ...whole, id: "x" })).toThrow(ShapeError);
    expect(() => item([])).toThrow(ShapeError);
    expect(user({ id: "u", karma: {}, created: 9 })).toEqual({ id: "u", created: 9 });
    expect(() => user({ karma: 4 })).toThrow(ShapeError);
    expect(updates({ items: [1, null], profiles: ["a", 2] })).toEqual({
      items: [1],
      profiles: ["a"],
    });
    expect(() => updates({ profiles: [] })).toThrow(ShapeError);
  });

  test("story lists: null is empty, a list without one number is no list", () => {
    expect(storyIds(null)).toEqual([]);
    expect(storyIds([3, "x", 2])).toEqual([3, 2]);
    expect(() => storyIds(["x"])).toThrow(ShapeError);
    expect(() => storyIds({})).toThrow(ShapeError);
  });
});

describe("news-aggregator lists", () => {
  test("news-aggregator surprise 5: an item that is not served yet is left out of a list", async () => {
    const samples = front([1, 2, 3], { 1: story(1), 3: { ...story(3), deleted: true } });
    const { data, records } = await ok(
      "news_aggregator.stories.items",
      { feed: "top" },
      { samples },
    );
    expect(data).toEqual([story(1)]);
    expect(records).toBe(1);
  });

  test("news-aggregator surprise 8: the top list holds jobs, without comments or their count", async () => {
    const job = { id: 1, type: "job", time: 1, title: "Job", url: "" };
    const dead = { id: 4, type: "story", time: 1, dead: true };
    const samples = front([1, 4], { 1: job, 4: dead });
    const { data, pagination } = await ok(
      "news_aggregator.stories.items",
      { feed: "top" },
      { samples },
    );
    expect(data).toEqual([job, dead]);
    expect(pagination).toEqual({ has_more: false });
  });

  test("a page is filled although items in between are missing", async () => {
    const ids = Array.from({ length: 90 }, (_, index) => index + 1);
    const even = Object.fromEntries(ids.filter((n) => n % 2 === 0).map((n) => [n, story(n)]));
    const samples = front(ids, even);
    const pages = await playToEnd<{ id: number }>(
      "news_aggregator.stories.items",
      { feed: "top", limit: 20 },
      { samples },
    );
    expect(pages.map((page) => page.length)).toEqual([20, 20, 5]);
    expect(pages.flat().map(({ id }) => id)).toEqual(ids.filter((n) => n % 2 === 0));
  });

  test("news-aggregator surprise 9: the next page follows the last id of a moved list, else its position", () => {
    const first = slice([9, 8, 7, 6, 5], undefined, 2);
    expect(first).toEqual({ rows: [9, 8], next: { offset: 2, last: 8 } });
    expect(slice([11, 10, 9, 8, 7, 6], first.next, 2).rows).toEqual([7, 6]);
    expect(slice([9, 7, 6, 5], first.next, 2).rows).toEqual([6, 5]);
    expect(slice([9, 8], first.next, 2)).toEqual({ rows: [], next: undefined });
  });

  test("more than half of the items failing is the upstream's fault", async () => {
    const broken = { id: "x" };
    const some = front([1, 2, 3], { 1: story(1), 2: broken, 3: story(3) });
    const { data } = await ok("news_aggregator.stories.items", { feed: "top" }, { samples: some });
    expect(data).toHaveLength(2);
    const most = front([1, 2, 3], { 1: story(1), 2: broken, 3: broken });
    const outcome = await play("news_aggregator.stories.items", { feed: "top" }, { samples: most });
    expect(outcome).toMatchObject({ type: "response_shape_error" });
  });

  test("lists page to their end without a repeat, and stop where the balance does", async () => {
    const pages = await playToEnd<number>("news_aggregator.stories.ids", {
      feed: "job",
      limit: 33,
    });
    expect(pages.length).toBeGreaterThan(3);
    expect(new Set(pages.flat()).size).toBe(140);
    const cut = await ok("news_aggregator.stories.ids", { feed: "jobs" }, { maxRecords: 4 });
    expect(cut.data).toEqual(pages.flat().slice(0, 4));
    expect(cut).toMatchObject({ truncated: true, pagination: { has_more: true } });
    const long = await play(
      "news_aggregator.stories.ids",
      { feed: "new", limit: 500 },
      { scenario: "second_page" },
    );
    expect(long).toMatchObject({ records: 500, pagination: { has_more: true } });
    const none = await play(
      "news_aggregator.stories.items",
      { feed: "new" },
      { scenario: "empty" },
    );
    expect(none).toMatchObject({ records: 0, pagination: { has_more: false } });
  });
});

test.each([
  [200, null, undefined],
  [200, { error: "x" }, "upstream_error"],
  [401, { error: "Permission denied" }, "upstream_unavailable"],
  [404, null, "not_found"],
  [429, null, "upstream_unavailable"],
  [503, null, "upstream_unavailable"],
  [400, { error: "x" }, "upstream_error"],
])("news-aggregator outcome %i %j", (status, body, type) => {
  const verdict = hackernews.judge({ status, headers: {}, body });
  expect(verdict.ok ? undefined : verdict.type).toBe(type);
});

test("news-aggregator ids", () => {
  const rule = (operation: string, name: string, value: string) =>
    newsAggregator.operations.find(({ id }) => id === operation)?.input.safeParse({ [name]: value })
      .success;
  for (const value of ["1", "999999999999"])
    expect(rule("news_aggregator.items.get", "id", value)).toBe(true);
  for (const value of ["0", "01", "-1", "1.0", "1234567890123", "x", ""])
    expect(rule("news_aggregator.items.get", "id", value)).toBe(false);
  for (const value of ["pg", "A_b-9"])
    expect(rule("news_aggregator.users.get", "id", value)).toBe(true);
  for (const value of ["a", "abcdefghijklmnop", "a/b", "é1"])
    expect(rule("news_aggregator.users.get", "id", value)).toBe(false);
});
