import { expect, test } from "vitest";
import { hitsOf } from "../../../worker/areas/news-aggregator/search.map.ts";
import { hnSearch } from "../../../worker/areas/news-aggregator/samples/search.ts";
import type { SampleRequest } from "../../../worker/sandbox/sample.ts";
import { ShapeError } from "#wire";
import { play, playToEnd } from "../play.ts";

test("news-aggregator surprise 10: the search service's names become those of the site", () => {
  const story = {
    objectID: "1",
    _tags: ["story", "author_pg", "story_1", "ask_hn"],
    author: "pg",
    created_at_i: 1_160_418_111,
    title: "Ask",
    story_text: "Why?",
    url: null,
    points: 57,
    num_comments: 2,
    story_id: 1,
    parent_id: null,
  };
  const comment = {
    objectID: "15",
    _tags: ["comment", "author_sama", "story_1"],
    comment_text: "Because",
    parent_id: 1,
    story_id: 1,
    story_title: "Ask",
    points: null,
  };
  expect(hitsOf({ hits: [story, comment], nbPages: 1 }).rows).toEqual([
    {
      id: 1,
      type: "story",
      by: "pg",
      time: 1_160_418_111,
      title: "Ask",
      text: "Why?",
      score: 57,
      descendants: 2,
    },
    { id: 15, type: "comment", text: "Because", parent: 1, story: 1, story_title: "Ask" },
  ]);
});

test("news-aggregator surprise 11: pages to the last that the service states", async () => {
  expect(() => hitsOf({ hits: [] })).toThrow(ShapeError);
  const input = { q: "compiler", limit: 12 };
  const pages = await playToEnd("news_aggregator.search", input, { samples: [hnSearch] });
  expect(pages.map((page) => page.length)).toEqual([12, 12, 6]);
});

test("news-aggregator: all conditions of a search hold together", async () => {
  const requests: SampleRequest[] = [];
  const note = (request: SampleRequest) => {
    requests.push(request);
    return { hits: [], nbPages: 0 };
  };
  const answers = { "GET /api/v1/search": note, "GET /api/v1/search_by_date": note };
  const samples = [{ ...hnSearch, answers }];
  const days = { from_date: "2026-01-01", to_date: "2026-01-31" };
  const input = { q: "foo", type: "ask", by: "pg", min_score: 10, sort: "newest", ...days };
  await play("news_aggregator.search", input, { samples });
  await play("news_aggregator.search", { q: "foo" }, { samples });
  expect(requests.map(({ path }) => path)).toEqual(["/api/v1/search_by_date", "/api/v1/search"]);
  expect(requests[0]?.query).toEqual({
    query: "foo",
    tags: "ask_hn,author_pg",
    numericFilters: "points>=10,created_at_i>=1767225600,created_at_i<1769904000",
    page: 0,
    hitsPerPage: 20,
  });
  const wrong = { q: "foo", from_date: days.to_date, to_date: days.from_date };
  expect(await play("news_aggregator.search", wrong)).toMatchObject({ type: "validation_error" });
});
