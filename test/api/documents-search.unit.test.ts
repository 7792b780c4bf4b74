import MiniSearch from "minisearch";
import { expect, test } from "vitest";
import { searchOver } from "../../api/docs/browser/search.ts";
import { pagesOf } from "../../api/docs/pages.ts";
import { searchDocuments, searchWords } from "../../api/docs/search-documents.ts";
import { areas } from "../../contract/index.ts";

/** The search of the served pages, as it runs in a browser: tasks of callers in their own words (docs/evidence/questions.md). */

const find = searchOver(MiniSearch, searchDocuments(pagesOf(areas), areas));

test.each([
  ["first call", "#a-first-call"],
  ["how much does a call cost", "budgets#what-a-call-would-cost"],
  ["next page of results", "#pages-of-a-list"],
  ["retry without paying twice", "#trying-again-without-paying-twice"],
  ["too many requests 429", "errors"],
  ["many calls at once", "batches"],
  ["do not wait for the answer", "#without-waiting"],
  ["verify webhook signature", "webhooks#receive"],
  ["claude desktop", "mcp#claude-desktop"],
  ["screenshot to a file", "browser.screenshot"],
  ["install typescript client", "client"],
  ["test key", "#test-mode"],
  ["background", "jobs"],
  ["thousands of calls", "batches"],
  ["search tiktok videos", "shortclip.search"],
  ["google results", "seo.serp.search"],
])("%s: among the first three results is %s", (words, id) => {
  expect(
    find(words)
      .slice(0, 3)
      .map((one) => one.id),
  ).toContain(id);
});

test("every word for a guide names an entry that exists", () => {
  const documents = searchDocuments(pagesOf(areas), areas);
  const ids = documents.filter(({ isGuide }) => isGuide).map(({ id }) => id);
  expect(Object.keys(searchWords).filter((id) => !ids.includes(id))).toEqual([]);
});
