import * as z from "zod";
import { id, page, perPage, text } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import {
  forumComment,
  forumCommunity,
  forumPost,
  forumRule,
  forumTrophy,
  forumUser,
  forumUserComment,
} from "./records.ts";

const username = id(
  /^[A-Za-z0-9_-]{3,20}$/,
  "User",
  "a name of 3 to 20 letters, digits, `_` or `-`, with or without `u/`",
  (given) => given.replace(/^\/?u\//, ""),
);
/** Excludes feeds of several communities, whose names look like those of communities. */
const feeds = /^(?![Aa][Ll][Ll]$|[Pp][Oo][Pp][Uu][Ll][Aa][Rr]$|[Mm][Oo][Dd]$)/;
const subredditName = id(
  new RegExp(`${feeds.source}(?:[A-Za-z0-9_]{2,24}|reddit\\.com|t:1337)$`),
  "Community",
  "a name of 2 to 24 letters, digits or `_`, with or without `r/`; feeds such as `all` are none",
  (given) => given.replace(/^\/?r\//, ""),
);
const postId = id(/^t3_[0-9a-z]{1,13}$/, "Post", "`t3_` and 1 to 13 digits and letters of a to z");
const commentId = id(
  /^t1_[0-9a-z]{1,13}$/,
  "Comment",
  "`t1_` and 1 to 13 digits and letters of a to z",
);
const query = text(1, 512, "Words to look for");
const paging = page({ most: 100, default: 25 });
const branches = page({ most: 500, default: 100 });
const time = z.enum(["hour", "day", "week", "month", "year", "all"]);
const rankedTime = time
  .optional()
  .describe("With `sort` top or controversial only: how far back, `day` when absent");
const depth = z.int().min(1).max(10).default(3).describe("Levels of replies");
const commentSort = z
  .enum(["confidence", "top", "new", "controversial", "old", "qa"])
  .default("confidence");
const userSort = z.enum(["new", "hot", "top", "controversial"]).default("new");
const feedSort = z.enum(["hot", "new", "top", "rising", "controversial"]).default("hot");
const search = {
  q: query,
  sort: z.enum(["relevance", "hot", "top", "new", "comments"]).default("relevance"),
  time: time.default("all"),
  ...paging,
};

/** Input of a list in which `time` is allowed with some orders only. */
function ranked<S extends z.ZodRawShape>(shape: S) {
  return z.strictObject({ ...shape, time: rankedTime, ...paging }).refine(
    (input) => {
      const { time: given, sort } = input as { time?: string; sort?: string };
      return given === undefined || sort === "top" || sort === "controversial";
    },
    { path: ["time"], message: "goes with sort top or controversial only" },
  );
}

const one = { kind: "one" } as const;
const upTo = (most: number) =>
  ({ kind: "list", rows: (data: readonly unknown[]) => data, most: () => most }) as const;

export const mostRules = 50;
export const mostTrophies = 100;

export const forum = area({
  name: "forum",
  summary: "Communities, posts, comments and users of the forum platform",
  pool: "social",
  operations: [
    operation({
      id: "forum.users.get",
      method: "GET",
      path: "/forum/users/{username}",
      summary: "One user",
      description: "Of a suspended account only the name and `is_suspended` are known.",
      input: z.strictObject({ username }),
      data: forumUser,
      records: one,
      example: { username: "sample_reader" },
    }),
    operation({
      id: "forum.users.posts",
      method: "GET",
      path: "/forum/users/{username}/posts",
      summary: "Posts of a user",
      input: ranked({ username, sort: userSort }),
      data: z.array(forumPost),
      paginated: true,
      records: perPage,
      example: { username: "sample_reader", limit: 5 },
    }),
    operation({
      id: "forum.users.comments",
      method: "GET",
      path: "/forum/users/{username}/comments",
      summary: "Comments of a user",
      input: ranked({ username, sort: userSort }),
      data: z.array(forumUserComment),
      paginated: true,
      records: perPage,
      example: { username: "sample_reader", limit: 5 },
    }),
    operation({
      id: "forum.users.trophies",
      method: "GET",
      path: "/forum/users/{username}/trophies",
      summary: "Trophies of a user",
      input: z.strictObject({ username }),
      data: z.array(forumTrophy),
      records: upTo(mostTrophies),
      example: { username: "sample_reader" },
    }),
    operation({
      id: "forum.communities.popular",
      method: "GET",
      path: "/forum/communities/popular",
      summary: "Popular communities",
      input: z.strictObject({ ...paging }),
      data: z.array(forumCommunity),
      paginated: true,
      records: perPage,
      example: { limit: 5 },
    }),
    operation({
      id: "forum.communities.get",
      method: "GET",
      path: "/forum/communities/{subreddit_name}",
      summary: "One community",
      input: z.strictObject({ subreddit_name: subredditName }),
      data: forumCommunity,
      records: one,
      example: { subreddit_name: "samplebaking" },
    }),
    operation({
      id: "forum.communities.posts",
      method: "GET",
      path: "/forum/communities/{subreddit_name}/posts",
      summary: "Posts of a community",
      input: ranked({ subreddit_name: subredditName, sort: feedSort }),
      data: z.array(forumPost),
      paginated: true,
      records: perPage,
      example: { subreddit_name: "samplebaking", limit: 5 },
    }),
    operation({
      id: "forum.communities.rules",
      method: "GET",
      path: "/forum/communities/{subreddit_name}/rules",
      summary: "Rules of a community",
      input: z.strictObject({ subreddit_name: subredditName }),
      data: z.array(forumRule),
      records: upTo(mostRules),
      example: { subreddit_name: "samplebaking" },
    }),
    operation({
      id: "forum.communities.search",
      method: "GET",
      path: "/forum/communities/{subreddit_name}/search",
      summary: "Posts of a community for a query",
      input: z.strictObject({ subreddit_name: subredditName, ...search }),
      data: z.array(forumPost),
      paginated: true,
      records: perPage,
      example: { subreddit_name: "samplebaking", q: "rye", limit: 5 },
    }),
    operation({
      id: "forum.feed.popular",
      method: "GET",
      path: "/forum/feed/popular",
      summary: "Posts that are popular over all communities",
      input: ranked({ sort: feedSort }),
      data: z.array(forumPost),
      paginated: true,
      records: perPage,
      example: { limit: 5 },
    }),
    operation({
      id: "forum.posts.batch",
      method: "GET",
      path: "/forum/posts",
      summary: "Up to 100 posts by their ids",
      description:
        "In the order of the ids; duplicates are answered once, unknown ones are absent.",
      input: z.strictObject({
        ids: z.array(postId).min(1).max(100).describe("Ids of posts, separated by commas"),
      }),
      data: z.array(forumPost),
      records: {
        kind: "list",
        rows: (data) => data,
        most: (input) => new Set(input.ids).size,
      },
      example: { ids: ["t3_1sample1", "t3_1sample2", "t3_1sample3"] },
    }),
    operation({
      id: "forum.posts.get",
      method: "GET",
      path: "/forum/posts/{post_id}",
      summary: "One post",
      input: z.strictObject({ post_id: postId }),
      data: forumPost,
      records: one,
      example: { post_id: "t3_1sample1" },
    }),
    operation({
      id: "forum.posts.comments",
      method: "GET",
      path: "/forum/posts/{post_id}/comments",
      summary: "Comments on a post, each before its replies",
      description:
        "The tree as one list: `depth` and `parent_id` give the structure. Comments that the first page leaves out follow on later pages.",
      input: z.strictObject({ post_id: postId, sort: commentSort, depth, ...branches }),
      data: z.array(forumComment),
      paginated: true,
      records: perPage,
      example: { post_id: "t3_1sample1", limit: 5 },
    }),
    operation({
      id: "forum.comments.replies",
      method: "GET",
      path: "/forum/posts/{post_id}/comments/{comment_id}/replies",
      summary: "Replies to a comment, each before its own",
      description:
        "As with the comments of a post; direct replies have `depth` 1 on the first page; later pages count from the post.",
      input: z.strictObject({
        post_id: postId,
        comment_id: commentId,
        sort: commentSort,
        depth,
        ...branches,
      }),
      data: z.array(forumComment),
      paginated: true,
      records: perPage,
      example: { post_id: "t3_1sample1", comment_id: "t1_nsample1", limit: 5 },
    }),
    operation({
      id: "forum.search",
      method: "GET",
      path: "/forum/search",
      summary: "Posts for a query",
      input: z.strictObject(search),
      data: z.array(forumPost),
      paginated: true,
      records: perPage,
      example: { q: "sourdough", limit: 5 },
    }),
    operation({
      id: "forum.search.communities",
      method: "GET",
      path: "/forum/search/communities",
      summary: "Communities for a query",
      input: z.strictObject({ q: query, ...paging }),
      data: z.array(forumCommunity),
      paginated: true,
      records: perPage,
      example: { q: "sourdough", limit: 5 },
    }),
  ],
});
