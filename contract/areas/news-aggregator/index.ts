import * as z from "zod";
import { count, id, page, perPage, unixSeconds } from "../../fields.ts";
import { area, operation } from "../../operation.ts";

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

const feed = z
  .enum(["top", "new", "best", "ask", "show", "jobs", "job"])
  .describe("Story list; `job` is another spelling of `jobs`");

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
  ],
});
