import { describe, expect, test } from "vitest";
import type { CursorPayload } from "../../../contract/cursor.ts";
import type { Sample } from "../../../worker/sandbox/sample.ts";
import {
  complement,
  dataOf,
  likedPosts,
  play,
  tweet,
  tweetEntry,
  typeOf,
  type Json,
} from "./play.ts";

describe("microblog surprises", () => {
  test("microblog surprise 1: ids and cursors are read from texts, never from numbers", async () => {
    const { played, sent } = await play(
      "microblog.users.follower_ids",
      { id: "7", limit: 2 },
      {
        answers: {
          "GET /FollowersIds": () => ({
            ids: ["1769916930360586243", 15772978, "1769916930360586244"],
            next_cursor: 1793917833732437500,
            next_cursor_str: "1793917833732437399",
          }),
        },
      },
    );
    expect(played).toMatchObject({ data: ["1769916930360586243", "15772978"] });
    expect(sent[0]?.query).toMatchObject({ stringify_ids: true });
    const next = await play(
      "microblog.users.follower_ids",
      { id: "7", limit: 2 },
      {
        cursor: (played as { pagination: { next: CursorPayload } }).pagination.next,
        answers: {
          "GET /FollowersIds": ({ query }) =>
            query?.cursor === "1793917833732437399"
              ? { ids: ["9"], next_cursor_str: "0" }
              : {
                  ids: ["1769916930360586243", 15772978, "1769916930360586244"],
                  next_cursor_str: "1793917833732437399",
                },
        },
      },
    );
    expect(next.played).toMatchObject({
      data: ["1769916930360586244", "9"],
      pagination: { has_more: false },
    });
    const suggested = await dataOf(
      "microblog.autocomplete",
      { q: "a" },
      {
        answers: {
          "GET /AutoComplete": () => ({
            users: [{ id: 1769916930360586200, id_str: "1769916930360586243" }, { id: 4 }],
          }),
        },
      },
    );
    expect(suggested).toMatchObject({ users: [{ id: "1769916930360586243" }] });
  });

  test("microblog surprise 2: both versions of X's field names are read", async () => {
    const old = {
      data: {
        id: "1",
        text: "short",
        author_id: "2",
        note_tweet: { text: "long" },
        public_metrics: { retweet_count: 4 },
        referenced_tweets: [{ type: "quoted", id: "3" }],
      },
      includes: {
        tweets: [{ id: "3", text: "quoted" }],
        users: [{ id: "2", username: "u", pinned_tweet_id: "8" }],
      },
    };
    const renamed = {
      data: {
        id: "1",
        text: "short",
        author_id: "2",
        note_post: { text: "long" },
        public_metrics: { repost_count: 4 },
        referenced_posts: [{ type: "quoted", id: "3" }],
      },
      includes: {
        posts: [{ id: "3", text: "quoted" }],
        users: [{ id: "2", username: "u", pinned_post_id: "8" }],
      },
    };
    const read = (body: Json) =>
      dataOf("microblog.posts.get", { id: "1" }, { answers: { "GET /2/tweets/{id}": () => body } });
    expect(await read({ data: { id: "1", text: "a &amp;amp; &lt;b&gt; &copy;" } })).toMatchObject({
      text: "a &amp; <b> &copy;",
    });
    expect(await read(renamed)).toEqual(await read(old));
    expect(await read(renamed)).toMatchObject({
      text: "long",
      repost_count: 4,
      is_quote: true,
      quoted_post: { id: "3", text: "quoted" },
    });
    const pinned = (name: string) => ({ data: { id: "2", [name]: "8" } });
    for (const name of ["pinned_tweet_id", "pinned_post_id"]) {
      const answers = { "GET /2/users/{id}": () => pinned(name) };
      expect(await dataOf("microblog.users.get", { id: "2" }, { answers })).toMatchObject({
        pinned_post_id: "8",
      });
    }
  });

  test("microblog surprise 3: a missing resource is 200 with errors alone, or without data", async () => {
    const errors = (type: string) => ({
      errors: [{ type: `https://api.twitter.com/2/problems/${type}`, value: "5" }],
    });
    for (const type of ["resource-not-found", "not-authorized-for-resource"]) {
      const answers = {
        "GET /2/tweets/{id}": () => errors(type),
        "GET /2/users/{id}/followers": () => errors(type),
        "GET /2/users": () => errors(type),
      };
      const post = await play("microblog.posts.get", { id: "5" }, { answers });
      expect(typeOf(post.played)).toBe("not_found");
      const list = await play("microblog.users.followers", { id: "5" }, { answers });
      expect(typeOf(list.played)).toBe("not_found");
      expect(await dataOf("microblog.users.batch", { ids: ["5"] }, { answers })).toEqual([]);
    }
    const none = { "GET /2/users/{id}/followers": () => ({ meta: { result_count: 0 } }) };
    const list = await play("microblog.users.followers", { id: "5" }, { answers: none });
    expect(list.played).toMatchObject({ data: [], pagination: { has_more: false } });
    const odd = { "GET /2/users/{id}/followers": () => ({ meta: { result_count: 3 } }) };
    const bad = await play("microblog.users.followers", { id: "5" }, { answers: odd });
    expect(typeOf(bad.played)).toBe("response_shape_error");
  });

  test("microblog surprise 4: fields and expansions are requested, and their absence is tolerated", async () => {
    const { sent } = await play("microblog.posts.get", { id: "1" });
    expect(sent[0]?.query).toMatchObject({
      "tweet.fields": expect.stringContaining("public_metrics"),
      expansions: expect.stringContaining("author_id"),
    });
    const bare = { "GET /2/tweets/{id}": () => ({ data: { id: "1", text: "a" } }) };
    expect(await dataOf("microblog.posts.get", { id: "1" }, { answers: bare })).toEqual({
      id: "1",
      text: "a",
      share_url: "https://x.com/i/status/1",
      is_reply: false,
      is_repost: false,
      is_quote: false,
      hashtags: [],
      mentions: [],
      urls: [],
      media: [],
      has_article: false,
      is_sensitive: false,
    });
  });

  test("microblog surprise 5: a missing include is missing in its post alone", async () => {
    const answers = {
      "GET /2/tweets/{id}": () => ({
        data: {
          id: "1",
          author_id: "2",
          attachments: { media_keys: ["3_1"], poll_ids: ["4"] },
          referenced_tweets: [{ type: "quoted", id: "3" }],
        },
        includes: { users: 5, media: [{ media_key: "3_2", type: "photo" }] },
      }),
    };
    const post = await dataOf("microblog.posts.get", { id: "1" }, { answers });
    expect(post).toMatchObject({ author: { id: "2" }, quoted_post_id: "3", media: [] });
    expect(Object.keys(post)).not.toContain("quoted_post");
    expect(Object.keys(post)).not.toContain("poll");
  });

  test("microblog surprise 6: a native repost among the quotes stays and is marked", async () => {
    const answers = {
      "GET /2/tweets/{id}/quote_tweets": () => ({
        data: [{ id: "2", text: "RT @a: b", referenced_tweets: [{ type: "retweeted", id: "1" }] }],
        meta: { result_count: 1 },
      }),
    };
    const found = await dataOf("microblog.posts.quote_posts", { id: "1" }, { answers });
    expect(found).toMatchObject([{ id: "2", is_repost: true, reposted_post_id: "1" }]);
  });

  test("microblog surprise 9: users come in two layouts, also side by side", async () => {
    const users = {
      users: [
        {
          result: {
            rest_id: "1",
            core: { name: "N", screen_name: "n", created_at: "Sat May 17 13:00:17 +0000 2025" },
            relationship_counts: { followers: 3, following: 2 },
            verification: { is_blue_verified: true },
          },
        },
        {
          result: {
            rest_id: "2",
            is_blue_verified: true,
            legacy: {
              name: "O",
              screen_name: "o",
              followers_count: 5,
              profile_image_url_https: "https://i.example/a_normal.jpg",
              created_at: "Sun Jun 01 00:00:00 +0000 2025",
            },
          },
        },
        { rest_id: "3", result: { __typename: "UserUnavailable" } },
      ],
    };
    const answers = { "GET /UserResultsByRestIds": () => ({ data: users }) };
    const found = await dataOf(
      "microblog.users.batch",
      { ids: ["2", "3", "1"] },
      { ...complement, answers },
    );
    expect(found).toMatchObject([
      {
        id: "2",
        username: "o",
        display_name: "O",
        follower_count: 5,
        avatar_url: "https://i.example/a_400x400.jpg",
        verified_type: "blue",
        create_time: 1748736000,
      },
      { id: "1", username: "n", follower_count: 3, is_verified: true, create_time: 1747486817 },
    ]);
  });

  test("microblog surprise 10: views as text, milliseconds, English dates", async () => {
    const found = await likedPosts([
      tweetEntry(tweet("1", {}, { views: { count: "73,264" } })),
      tweetEntry(
        tweet(
          "2",
          { created_at: "Sat May 17 13:00:17 +0000 2025" },
          { view_count_info: { count: "80" } },
        ),
      ),
      tweetEntry(tweet("3", { created_at: "yesterday" }, { views: { count: "many" } })),
    ]);
    expect(found).toMatchObject([
      { view_count: 73264 },
      { view_count: 80, create_time: 1747486817 },
      {},
    ]);
    expect(Object.keys(found[2] as Json)).not.toContain("view_count");
    expect(Object.keys(found[2] as Json)).not.toContain("create_time");
    const answers = {
      "GET /CommunityResultsById": () => ({
        data: {
          community_results_by_rest_id: { result: { rest_id: "1", created_at: 1647161334836 } },
        },
      }),
    };
    const about = await dataOf("microblog.communities.about", { id: "1" }, { answers });
    expect(about).toMatchObject({ create_time: 1647161334 });
  });

  test("the text of a long post is not unescaped, and that of a short one is", async () => {
    const note = { note_tweet_results: { result: { text: "R&D: write &lt;b&gt;" } } };
    const found = await likedPosts([
      tweetEntry(tweet("1", { full_text: "R&amp;D: write &amp;lt;b" }, { note_tweet: note })),
      tweetEntry(tweet("2", { full_text: "R&amp;D: write &amp;lt;b" })),
    ]);
    expect(found).toMatchObject([{ text: "R&D: write &lt;b&gt;" }, { text: "R&D: write &lt;b" }]);
  });

  test("microblog surprise 10: the entities of an article are a list of keys and values", async () => {
    const held = {
      rest_id: "5",
      title: "T",
      content_state: {
        blocks: [
          { type: "header-one", text: "A" },
          { type: "unstyled", text: "B" },
          { type: "unstyled" },
          { type: "atomic", text: " ", entityRanges: [{ key: 2, length: 1, offset: 0 }] },
        ],
        entityMap: [
          { key: "0", value: { type: "LINK", data: { url: "https://a.example/" } } },
          { key: "1", value: { type: "MEDIA", data: { url: "https://b.example/" } } },
          { key: "2", value: { type: "MARKDOWN", data: { markdown: "```js\n1 &lt; 2\n```" } } },
        ],
      },
    };
    const article = (result: unknown) => ({
      "GET /TweetArticle": () => ({
        data: { tweetResult: { result: tweet("1", {}, { article: result }) } },
      }),
    });
    const id = { id: "1" };
    const answers = article({ article_results: { result: held } });
    expect(await dataOf("microblog.posts.article", id, { answers })).toMatchObject({
      id: "5",
      post_id: "1",
      text: "A\nB\n```js\n1 &lt; 2\n```",
      links: ["https://a.example/"],
    });
    for (const none of [undefined, {}, { article_results: { result: {} } }]) {
      const { played } = await play("microblog.posts.article", id, { answers: article(none) });
      expect(typeOf(played)).toBe("not_found");
    }
    const empty = { "GET /2/tweets/{id}": () => ({ data: { id: "1", article: {} } }) };
    const options = { configured: ["x"], answers: empty };
    expect(typeOf((await play("microblog.posts.article", id, options)).played)).toBe("not_found");
  });

  test("microblog surprise 11: paid accounts are verified although `verified` is false", async () => {
    const read = (user: Json) =>
      dataOf(
        "microblog.users.get",
        { id: "1" },
        { answers: { "GET /2/users/{id}": () => ({ data: { id: "1", ...user } }) } },
      );
    expect(await read({ verified: false, verified_type: "blue" })).toMatchObject({
      is_verified: true,
      verified_type: "blue",
    });
    expect(await read({ verified: true })).toMatchObject({
      is_verified: true,
      verified_type: "none",
    });
    expect(await read({})).toMatchObject({ is_verified: false, verified_type: "none" });
  });

  test("microblog surprise 12: a page may be empty and still have a next one", async () => {
    const answers: Record<string, Sample> = {
      "GET /2/tweets/search/recent": ({ query }) =>
        query?.next_token === "b"
          ? { data: [{ id: "2", text: "b" }], meta: { result_count: 1 } }
          : { meta: { result_count: 0, next_token: "b" } },
    };
    const { played, sent } = await play("microblog.posts.search_recent", { q: "a" }, { answers });
    expect(played).toMatchObject({ data: [{ id: "2" }], pagination: { has_more: false } });
    expect(sent).toHaveLength(2);
  });

  test("microblog surprise 13: videos have variants in place of an address", async () => {
    const answers = {
      "GET /2/tweets/{id}": () => ({
        data: { id: "1", attachments: { media_keys: ["7_1"] } },
        includes: {
          media: [
            {
              media_key: "7_1",
              type: "animated_gif",
              duration_ms: 34875,
              variants: [
                { url: "https://v.example/list.m3u8" },
                { url: "https://v.example/low.mp4", bit_rate: 1 },
                { url: "https://v.example/high.mp4", bit_rate: 9 },
              ],
            },
          ],
        },
      }),
    };
    expect(await dataOf("microblog.posts.get", { id: "1" }, { answers })).toMatchObject({
      media: [{ type: "gif", url: "https://v.example/high.mp4", duration: 35 }],
    });
  });

  test("microblog surprise 14: a search without reposts among its posts is no fault", async () => {
    const data = await dataOf<Json[]>("microblog.posts.search_recent", { q: "a", limit: 3 });
    expect(data).toHaveLength(3);
  });
});
