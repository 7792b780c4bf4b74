import * as z from "zod";
import { count, day, id, page, perPage, text, unixSeconds } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import type { Source } from "../../source.ts";

/** Story, comment, job, poll or poll option, in the field names and types of the site's own API. */
export const newsAggregatorItem = z
  .object({
    id: z.int(),
    type: z.string().optional().describe("story, comment, job, poll or pollopt"),
    by: z.string().optional().describe("Name of the author"),
    time: unixSeconds("Time of creation").optional(),
    title: z.string().optional().describe("HTML"),
    text: z.string().optional().describe("HTML; may be empty"),
    url: z.string().optional().describe("Linked page; may be empty"),
    score: z.int().optional().describe("Points, or votes of a poll option"),
    descendants: count("Comments at every depth").optional(),
    kids: z.array(z.int()).optional().describe("Ids of the direct comments, best first"),
    parent: z.int().optional().describe("Id of what a comment answers"),
    poll: z.int().optional().describe("Id of the poll that a poll option belongs to"),
    parts: z.array(z.int()).optional().describe("Ids of a poll's options, in display order"),
    dead: z.boolean().optional(),
    deleted: z.boolean().optional(),
  })
  .meta({ id: "NewsAggregatorItem" });

export type NewsAggregatorItem = z.output<typeof newsAggregatorItem>;

/** An item of a story list: a story, job or poll that is not deleted. */
export const newsAggregatorStory = newsAggregatorItem
  .omit({ parent: true, poll: true, deleted: true })
  .meta({ id: "NewsAggregatorStory" });

export const newsAggregatorUser = z
  .object({
    id: z.string().describe("Name, case-sensitive"),
    created: unixSeconds("Time of registration").optional(),
    karma: z.int().optional(),
    about: z.string().optional().describe("HTML"),
    submitted: z
      .array(z.int())
      .optional()
      .describe("Ids of all stories, polls and comments, newest first"),
  })
  .meta({ id: "NewsAggregatorUser" });

export type NewsAggregatorUser = z.output<typeof newsAggregatorUser>;

export const newsAggregatorUpdates = z
  .object({
    items: z.array(z.int()).describe("Ids of items that changed lately"),
    profiles: z.array(z.string()).describe("Names of users whose profiles changed lately"),
  })
  .meta({ id: "NewsAggregatorUpdates" });

/** An item that a search finds, in the field names of the site's own API. */
export const newsAggregatorHit = newsAggregatorItem
  .pick({
    id: true,
    type: true,
    by: true,
    time: true,
    title: true,
    text: true,
    url: true,
    score: true,
    descendants: true,
    parent: true,
  })
  .extend({
    story: z.int().optional().describe("Id of the story that a comment belongs to"),
    story_title: z.string().optional().describe("Title of that story"),
    story_url: z.string().optional().describe("Page that the story links to"),
  })
  .meta({ id: "NewsAggregatorHit" });

export type NewsAggregatorHit = z.output<typeof newsAggregatorHit>;

const feed = z
  .enum(["top", "new", "best", "ask", "show", "jobs", "job"])
  .describe("Story list; `job` is another spelling of `jobs`");

const hnSearch: Source = {
  name: "HN Search",
  url: "https://hn.algolia.com",
  licence: "terms of use",
  terms: "https://hn.algolia.com/api",
};

export const newsAggregator = area({
  name: "news-aggregator",
  summary: "Items, users and story lists of a technology news site, in the site's own shape",
  pool: "social",
  operations: [
    operation({
      id: "news_aggregator.items.get",
      method: "GET",
      path: "/news-aggregator/items/{id}",
      summary: "One story, comment, job, poll or poll option",
      input: z.strictObject({ id: id(/^[1-9][0-9]{0,11}$/, "Item", "a number of 1 to 12 digits") }),
      data: newsAggregatorItem,
      records: { kind: "one" },
      example: { id: "40000001" },
    }),
    operation({
      id: "news_aggregator.users.get",
      method: "GET",
      path: "/news-aggregator/users/{id}",
      summary: "One user with public activity",
      input: z.strictObject({
        id: id(
          /^[A-Za-z0-9_-]{2,15}$/,
          "User",
          "a name of 2 to 15 letters, digits, `_` or `-`, whose case counts",
        ),
      }),
      data: newsAggregatorUser,
      records: { kind: "one" },
      example: { id: "sampleUser" },
    }),
    operation({
      id: "news_aggregator.stories.ids",
      method: "GET",
      path: "/news-aggregator/stories/{feed}",
      summary: "Ids of a story list in rank order",
      input: z.strictObject({ feed, ...page({ most: 500, default: 30 }) }),
      data: z.array(z.int()),
      paginated: true,
      records: perPage,
      example: { feed: "top", limit: 10 },
    }),
    operation({
      id: "news_aggregator.stories.items",
      method: "GET",
      path: "/news-aggregator/stories/{feed}/items",
      summary: "Items of a story list in rank order",
      description: "Deleted items are left out; dead ones stay and are marked.",
      input: z.strictObject({ feed, ...page({ most: 100, default: 30 }) }),
      data: z.array(newsAggregatorStory),
      paginated: true,
      records: perPage,
      example: { feed: "top", limit: 5 },
    }),
    operation({
      id: "news_aggregator.max_item.get",
      method: "GET",
      path: "/news-aggregator/max-item",
      summary: "The largest item number so far",
      input: z.strictObject({}),
      data: z.object({ max_item: z.int() }).meta({ id: "NewsAggregatorMaxItem" }),
      records: { kind: "one" },
      example: {},
    }),
    operation({
      id: "news_aggregator.updates.get",
      method: "GET",
      path: "/news-aggregator/updates",
      summary: "Items and profiles that changed lately",
      input: z.strictObject({}),
      data: newsAggregatorUpdates,
      records: { kind: "one" },
      example: {},
    }),
    operation({
      id: "news_aggregator.search",
      method: "GET",
      path: "/news-aggregator/search",
      summary: "Stories and comments by their words",
      description:
        "By the site's search service, which holds an item some minutes after it was written, and shows the first 1,000 of a search.",
      sources: [hnSearch],
      input: z.strictObject({
        q: text(1, 500, "Words to look for"),
        type: z
          .enum(["story", "comment", "poll", "ask", "show"])
          .optional()
          .describe("Only such items; `ask` and `show` are kinds of stories"),
        by: id(
          /^[A-Za-z0-9_-]{2,15}$/,
          "User",
          "a name of 2 to 15 letters, digits, `_` or `-`, whose case counts",
        )
          .optional()
          .describe("Only items of this user, whose case counts"),
        min_score: z.int().min(1).max(100_000).optional().describe("Least points"),
        from_date: day("First day", "2006-10-09").optional(),
        to_date: day("Last day", "2006-10-09").optional(),
        sort: z.enum(["relevance", "newest"]).default("relevance").describe("Order of the items"),
        ...page({ most: 200, default: 20 }),
      }),
      data: z.array(newsAggregatorHit),
      paginated: true,
      records: perPage,
      example: { q: "compiler", limit: 5 },
    }),
  ],
});
