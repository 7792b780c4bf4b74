import type { microblog } from "../../../contract/areas/microblog/index.ts";
import type { Connector } from "../../connector.ts";
import { whole } from "../../mapping/list.ts";
import { get as getComplement } from "../../upstreams/twitter283/client.ts";
import { get as getOfficial } from "../../upstreams/x/client.ts";
import * as own from "./official.map.ts";
import { complementList, either, eitherList, inOrder } from "./sources.ts";
import * as complement from "./complement.map.ts";
import { postsOf, usersOf } from "./timeline.map.ts";

export const posts = {
  "microblog.posts.batch": async (input, call) => {
    const ids = input.ids.join(",");
    const found = await either(
      call,
      async (within, x) =>
        own.postBatch(await getOfficial(within, x, "post", "/2/tweets", { ids })),
      async (within) =>
        complement.posts(await getComplement(within, "/TweetResultsByRestIds", { tweet_ids: ids })),
    );
    return whole(
      call,
      inOrder(input.ids, found, (post) => post.id),
    );
  },
  "microblog.posts.search_recent": (input, call) =>
    eitherList(
      call,
      input,
      {
        thing: "post",
        path: "/2/tweets/search/recent",
        query: {
          query: input.q,
          sort_order: input.sort,
          start_time: dateTime(input.start_time),
          end_time: dateTime(input.end_time),
        },
        size: { least: 10, most: 100 },
        token: "next_token",
        read: (body) => own.postPage(body, "search"),
      },
      {
        path: "/Search",
        query: {
          q: [
            input.q,
            input.start_time === undefined ? [] : `since_time:${input.start_time}`,
            input.end_time === undefined ? [] : `until_time:${input.end_time}`,
          ]
            .flat()
            .join(" "),
          type: input.sort === "recency" ? "Latest" : "Top",
          count: 20,
        },
        read: (body) => postsOf(body, "search"),
      },
    ),
  "microblog.posts.get": (input, call) =>
    either(
      call,
      async (within, x) => ({
        data: own.onePost(await getOfficial(within, x, "post", `/2/tweets/${input.id}`)),
      }),
      async (within) => ({
        data: complement.post(
          await getComplement(within, "/TweetDetailv2", { tweet_id: input.id }),
        ),
      }),
    ),
  "microblog.posts.article": (input, call) =>
    either(
      call,
      async (within, x) => ({
        data: own.article(await getOfficial(within, x, "post", `/2/tweets/${input.id}`)),
      }),
      async (within) => ({
        data: complement.article(
          await getComplement(within, "/TweetArticle", { tweet_id: input.id }),
        ),
      }),
    ),
  "microblog.posts.liking_users": (input, call) =>
    complementList(call, input, {
      path: "/TweetFavoriters",
      query: { tweet_id: input.id },
      read: (body) => usersOf(body, "post"),
    }),
  "microblog.posts.quote_posts": (input, call) =>
    eitherList(
      call,
      input,
      {
        thing: "post",
        path: `/2/tweets/${input.id}/quote_tweets`,
        size: { least: 10, most: 100 },
        read: (body) => own.postPage(body, "post"),
      },
      {
        path: "/TweetQuotes",
        query: { tweet_id: input.id },
        read: (body) => postsOf(body, "post"),
      },
    ),
  "microblog.posts.reposted_by": (input, call) =>
    eitherList(
      call,
      input,
      {
        thing: "user",
        path: `/2/tweets/${input.id}/retweeted_by`,
        size: { least: 1, most: 100 },
        read: (body) => own.userPage(body, "post"),
      },
      {
        path: "/TweetRetweeters",
        query: { tweet_id: input.id },
        read: (body) => usersOf(body, "post"),
      },
    ),
  "microblog.posts.translation": async (input, call) => ({
    data: complement.postTranslation(
      await getComplement(call, "/TranslateTweet", {
        tweet_id: input.id,
        language: input.language,
      }),
      input.language,
    ),
  }),
} satisfies Partial<Connector<typeof microblog>>;

function dateTime(seconds: number | undefined): string | undefined {
  return seconds === undefined
    ? undefined
    : new Date(seconds * 1000).toISOString().replace(".000", "");
}
