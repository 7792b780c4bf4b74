import * as z from "zod";
import { text, unixTime } from "../../fields.ts";
import { operation } from "../../operation.ts";
import { idOf, ids, input, language, one, pages, paging } from "./input.ts";
import { microblogArticle, microblogPost, microblogTranslation, microblogUser } from "./records.ts";

const id = idOf("post");
const example = "1790000000000000105";

export const posts = [
  operation({
    id: "microblog.posts.batch",
    method: "GET",
    path: "/microblog/posts",
    summary: "Up to 100 posts by their ids",
    description: "Posts come in the order of the ids; unknown ones are left out.",
    input: input({ ids: ids("posts") }),
    data: z.array(microblogPost),
    records: { kind: "list", rows: (data) => data, most: (given) => given.ids.length },
    example: { ids: [example, "1790000000000000106", "1790000000000000107"] },
  }),
  operation({
    id: "microblog.posts.search_recent",
    method: "GET",
    path: "/microblog/posts/search/recent",
    summary: "Posts of the past seven days that match a query",
    input: input(
      {
        q: text(1, 512, "Query, in the operators of the platform's search"),
        sort: z.enum(["recency", "relevancy"]).default("recency"),
        start_time: unixTime("Oldest time, at most 7 days ago").optional(),
        end_time: unixTime("Newest time").optional(),
        ...paging,
      },
      ({ start_time: start, end_time: end }, fault) => {
        if (typeof start === "number" && typeof end === "number" && start >= end) {
          fault("end_time", "must be later than start_time");
        }
      },
    ),
    data: z.array(microblogPost),
    ...pages,
    example: { q: "kite festival", limit: 10 },
  }),
  operation({
    id: "microblog.posts.get",
    method: "GET",
    path: "/microblog/posts/{id}",
    summary: "One post",
    input: input({ id }),
    data: microblogPost,
    ...one,
    example: { id: example },
  }),
  operation({
    id: "microblog.posts.article",
    method: "GET",
    path: "/microblog/posts/{id}/article",
    summary: "The article that a post carries",
    description: "A post without an article is `not_found`.",
    input: input({ id }),
    data: microblogArticle,
    ...one,
    example: { id: example },
  }),
  operation({
    id: "microblog.posts.liking_users",
    method: "GET",
    path: "/microblog/posts/{id}/liking_users",
    summary: "Users who liked a post",
    description: "Likes are private since 2024: for most posts the list is empty.",
    input: input({ id, ...paging }),
    data: z.array(microblogUser),
    ...pages,
    example: { id: example, limit: 10 },
  }),
  operation({
    id: "microblog.posts.quote_posts",
    method: "GET",
    path: "/microblog/posts/{id}/quote_posts",
    summary: "Posts that quote a post",
    input: input({ id, ...paging }),
    data: z.array(microblogPost),
    ...pages,
    example: { id: example, limit: 10 },
  }),
  operation({
    id: "microblog.posts.reposted_by",
    method: "GET",
    path: "/microblog/posts/{id}/reposted_by",
    summary: "Users who reposted a post",
    input: input({ id, ...paging }),
    data: z.array(microblogUser),
    ...pages,
    example: { id: example, limit: 10 },
  }),
  operation({
    id: "microblog.posts.translation",
    method: "GET",
    path: "/microblog/posts/{id}/translation",
    summary: "A post in another language",
    input: input({ id, language }),
    data: microblogTranslation,
    ...one,
    example: { id: example, language: "de" },
  }),
] as const;
