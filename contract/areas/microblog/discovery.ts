import * as z from "zod";
import { text } from "../../fields.ts";
import { operation } from "../../operation.ts";
import { idOf, input, one, pages, paging, rows, username, woeid } from "./input.ts";
import {
  microblogFriendship,
  microblogList,
  microblogPost,
  microblogSuggestions,
  microblogTrend,
  microblogUser,
} from "./records.ts";

const id = idOf("list");
const example = "1440000000000000101";

/** Lists, trends, relationships and suggestions. */
export const discovery = [
  operation({
    id: "microblog.autocomplete",
    method: "GET",
    path: "/microblog/autocomplete",
    summary: "Users, topics, hashtags and cashtags for the beginning of a word",
    input: input({
      q: text(1, 50, "The typed text"),
      limit: z.int().min(1).max(50).default(20).describe("Most entries of each kind"),
    }),
    data: microblogSuggestions,
    ...one,
    example: { q: "kite" },
  }),
  operation({
    id: "microblog.friendships.show",
    method: "GET",
    path: "/microblog/friendships/show",
    summary: "Whether one user follows another, and the other way round",
    description:
      "Each user is given by id or by handle. Where both lists are too long to be read, the answer is `upstream_error`.",
    input: input(
      {
        source_id: idOf("first user").optional(),
        source_screen_name: username.optional(),
        target_id: idOf("second user").optional(),
        target_screen_name: username.optional(),
      },
      (given, fault) => {
        for (const side of ["source", "target"]) {
          const [byId, byName] = [given[`${side}_id`], given[`${side}_screen_name`]];
          if (byId === undefined && byName === undefined) {
            fault(`${side}_id`, `one of ${side}_id and ${side}_screen_name is required`);
          } else if (byId !== undefined && byName !== undefined) {
            fault(`${side}_screen_name`, `is given beside ${side}_id`);
          }
        }
      },
    ),
    data: microblogFriendship,
    ...one,
    example: { source_screen_name: "sample_one", target_screen_name: "sample_two" },
  }),
  operation({
    id: "microblog.lists.search",
    method: "GET",
    path: "/microblog/lists/search",
    summary: "Lists for a query",
    description: "The platform answers with one page.",
    input: input({ q: text(1, 100, "Query"), ...paging }),
    data: z.array(microblogList),
    ...pages,
    example: { q: "kites", limit: 10 },
  }),
  operation({
    id: "microblog.lists.followers",
    method: "GET",
    path: "/microblog/lists/{id}/followers",
    summary: "Users who follow a list",
    input: input({ id, ...paging }),
    data: z.array(microblogUser),
    ...pages,
    example: { id: example, limit: 10 },
  }),
  operation({
    id: "microblog.lists.members",
    method: "GET",
    path: "/microblog/lists/{id}/members",
    summary: "Users on a list",
    input: input({ id, ...paging }),
    data: z.array(microblogUser),
    ...pages,
    example: { id: example, limit: 10 },
  }),
  operation({
    id: "microblog.lists.posts",
    method: "GET",
    path: "/microblog/lists/{id}/posts",
    summary: "Posts of the users on a list, newest first",
    input: input({ id, ...paging }),
    data: z.array(microblogPost),
    ...pages,
    example: { id: example, limit: 10 },
  }),
  operation({
    id: "microblog.trends.by_woeid",
    method: "GET",
    path: "/microblog/trends/by/woeid/{woeid}",
    summary: "Trends of a place",
    input: input(
      { woeid, limit: z.int().min(1).max(50).default(20).describe("Most records to return") },
      undefined,
      { limit: "max_trends" },
    ),
    data: z.array(microblogTrend),
    onePage: true,
    records: rows,
    example: { woeid: "1", limit: 10 },
  }),
] as const;
