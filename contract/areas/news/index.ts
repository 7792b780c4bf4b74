import * as z from "zod";
import { area, operation } from "../../operation.ts";
import { perElement, query, serpAnswer, serpListElement, serpView } from "../../serp.ts";
import { language, location, os, pageInput } from "../../search.ts";

const search = operation({
  id: "news.search",
  method: "POST",
  path: "/news/search",
  summary: "News articles and blocks of top stories",
  description: "A block of top stories is one record; its stories are in `nested_items`.",
  input: pageInput({
    query,
    location,
    language,
    os,
    time_range: z
      .enum(["hour", "day", "week", "month", "year"])
      .optional()
      .describe("Published within the last hour, day, …"),
    limit: z.int().min(1).max(200).default(10).describe("Most records to return"),
    view: serpView,
  }),
  data: z.object({
    ...serpAnswer,
    includes_non_news_search_results: z
      .literal(true)
      .optional()
      .describe("Present where the page holds other results too"),
    results: z.array(serpListElement),
  }),
  records: perElement,
  example: { query: "solar eclipse", limit: 5 },
});

export const news = area({
  name: "news",
  summary: "News articles as a search engine lists them",
  pool: "serp",
  deadlineMs: 120_000,
  operations: [search],
});
