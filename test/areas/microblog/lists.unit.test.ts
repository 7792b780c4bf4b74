import { describe, expect, test } from "vitest";
import type { CursorPayload } from "../../../contract/cursor.ts";
import { ownPosts } from "../../../worker/areas/microblog/users.ts";
import type { Sample } from "../../../worker/sandbox/sample.ts";
import {
  complement,
  bottom,
  dataOf,
  liked,
  likedPosts,
  play,
  timeline,
  tweet,
  tweetEntry,
  typeOf,
  type Json,
  type Options,
} from "./play.ts";

describe("microblog lists", () => {
  test("microblog surprise 7: adverts, suggestions, pins, cursors and deleted posts are no rows", async () => {
    const found = await likedPosts(
      [
        tweetEntry(tweet("1")),
        tweetEntry(tweet("2"), { promoted_metadata: { advertiser: "a" } }),
        tweetEntry({ __typename: "TweetTombstone" }),
        tweetEntry({ __typename: "TweetUnavailable" }),
        tweetEntry(undefined),
        {
          entry_id: "who-to-follow-1",
          content: {
            items: [{ item: { content: { user_results: { result: { rest_id: "3" } } } } }],
          },
        },
        {
          entryId: "profile-conversation-1",
          content: {
            items: [{ item: { itemContent: { tweet_results: { result: tweet("4") } } } }],
          },
        },
        bottom("c1"),
      ],
      [
        { __typename: "TimelineClearCache" },
        { type: "TimelineTerminateTimeline", direction: "Top" },
        { type: "TimelinePinEntry", entry: tweetEntry(tweet("9")) },
      ],
    );
    expect(found.map(({ id }) => id)).toEqual(["1", "4"]);
  });

  test("microblog surprise 7: suggested users are no followers", async () => {
    const holder = (id: string) => ({ content: { user_results: { result: { rest_id: id } } } });
    const entries = [
      { entry_id: "user-1", content: holder("1") },
      { entry_id: "who-to-follow-2", content: { items: [{ item: holder("2") }] } },
      { entry_id: "user-3", content: { itemContent: { user_results: {} } } },
      { entry_id: "user-4", content: { item: "changed" } },
    ];
    const answers = {
      "GET /TweetFavoriters": () => ({ data: { favoriters_timeline: timeline(entries) } }),
    };
    const found = await dataOf<Json[]>("microblog.posts.liking_users", { id: "1" }, { answers });
    expect(found.map(({ id }) => id)).toEqual(["1"]);
    const changed = entries.slice(3);
    const all = {
      "GET /TweetFavoriters": () => ({ data: { favoriters_timeline: timeline(changed) } }),
    };
    const { played } = await play("microblog.posts.liking_users", { id: "1" }, { answers: all });
    expect(typeOf(played)).toBe("response_shape_error");
  });

  test("microblog surprise 8: a post with limits stands one level deeper", async () => {
    const found = await likedPosts([
      tweetEntry({ __typename: "TweetWithVisibilityResults", tweet: tweet("1") }),
      tweetEntry({ tweet: tweet("2") }),
      tweetEntry({
        __typename: "TweetWithVisibilityResults",
        tweet: { __typename: "TweetTombstone" },
      }),
    ]);
    expect(found.map(({ id }) => id)).toEqual(["1", "2"]);
  });

  test("a timeline ends at a page without rows, although it has a cursor", async () => {
    const pages: Record<string, Json[]> = {
      c0: [tweetEntry(tweet("1")), bottom("c1")],
      c1: [bottom("c2")],
    };
    const answers: Record<string, Sample> = {
      "GET /UserLikes": (request) =>
        liked(timeline(pages[String(request.query?.cursor ?? "c0")] ?? []))(request),
    };
    const { played, sent } = await play("microblog.users.liked_posts", { id: "7" }, { answers });
    expect(played).toMatchObject({ data: [{ id: "1" }], pagination: { has_more: false } });
    expect(sent).toHaveLength(2);
    for (const empty of [{}, { data: {} }]) {
      const full = liked(timeline(pages.c0 as Json[]));
      const ending: Record<string, Sample> = {
        "GET /UserLikes": (request) => (request.query?.cursor === "c1" ? empty : full(request)),
      };
      const ended = await play("microblog.users.liked_posts", { id: "7" }, { answers: ending });
      expect(ended.played).toMatchObject({ data: [{ id: "1" }], pagination: { has_more: false } });
    }
    const stuck: Record<string, Sample> = {
      "GET /UserLikes": liked(timeline([tweetEntry(tweet("1")), bottom("same")])),
    };
    const again = await play("microblog.users.liked_posts", { id: "7" }, { answers: stuck });
    expect(again.played).toMatchObject({ data: [{ id: "1" }], pagination: { has_more: false } });
    expect(again.sent).toHaveLength(2);
  });

  test.each([
    ["snake", "module_items", "entry_id", "content"],
    ["camel", "moduleItems", "entryId", "itemContent"],
  ])("a later page adds to the grid of the first, in %s style", async (_name, added, key, item) => {
    const part = (id: string) => ({
      [key]: `communities-grid-0-tweet-${id}`,
      item: { [item]: { tweet_results: { result: tweet(id) } } },
    });
    const grid = { [key]: "communities-grid-0", content: { items: [part("1"), part("2")] } };
    const first = timeline([grid, bottom("c1")]);
    const second = timeline(
      [bottom("c2")],
      [{ type: "TimelineAddToModule", [added]: [part("3")] }],
    );
    const pages: Record<string, Json> = { c1: second, c2: timeline([bottom("c3")]) };
    const answers: Record<string, Sample> = {
      "GET /CommunityMediaTimeline": ({ query }) => ({
        data: { community_by_rest_id: pages[String(query?.cursor)] ?? first },
      }),
    };
    const found = await dataOf<Json[]>("microblog.communities.media", { id: "1" }, { answers });
    expect(found.map(({ id }) => id)).toEqual(["1", "2", "3"]);
  });

  test("a missing timeline is empty where the owner answers, else not found", async () => {
    const read = async (body: unknown) =>
      (
        await play(
          "microblog.lists.posts",
          { id: "1" },
          { ...complement, answers: { "GET /ListTweetsTimeline": () => body } },
        )
      ).played;
    expect(
      await read({ data: { list_by_rest_id: { rest_id: "1", tweets_timeline: { id: "T" } } } }),
    ).toMatchObject({ data: [], pagination: { has_more: false } });
    expect(typeOf(await read({ data: {} }))).toBe("not_found");
    expect(typeOf(await read({}))).toBe("not_found");
    expect(typeOf(await read({ data: { list_by_rest_id: {} } }))).toBe("not_found");
    const owner = (result: unknown) => ({ data: { user: { result } } });
    expect(typeOf(await read(owner({ __typename: "UserUnavailable" })))).toBe("not_found");
    expect(typeOf(await read(owner({ __typename: "User" })))).toBe("response_shape_error");
    expect(typeOf(await read([]))).toBe("response_shape_error");
    expect(
      typeOf(await read({ data: { list: { t_timeline: { timeline: { instructions: 4 } } } } })),
    ).toBe("response_shape_error");
  });

  test.each([
    ["community_by_rest_id", (result: Json) => result],
    ["communityResults", (result: Json) => ({ result })],
  ])("an empty or unavailable community in %s is not found", async (name, held) => {
    for (const result of [{}, { __typename: "CommunityUnavailable" }]) {
      const answers = { "GET /CommunityMembers": () => ({ data: { [name]: held(result) } }) };
      const { played } = await play("microblog.communities.members", { id: "1" }, { answers });
      expect(typeOf(played)).toBe("not_found");
    }
  });

  test("lists of a suspended or private account are not found, also beside its id", async () => {
    const read = async (result: Json) => {
      const body = { data: { user_result_by_rest_id: { rest_id: "7", result } } };
      const answers = { "GET /UserFollowers": () => body };
      const options = { ...complement, answers };
      return (await play("microblog.users.followers", { id: "7" }, options)).played;
    };
    const entry = { entry_id: "user-8", content: { content: { user_results: {} } } };
    const listed = { followers_timeline: timeline([entry]) };
    for (const result of [
      { __typename: "UserUnavailable" },
      {},
      { rest_id: "7", privacy: { protected: true } },
      { rest_id: "7", legacy: { protected: true }, ...listed },
    ]) {
      expect(typeOf(await read(result))).toBe("not_found");
    }
    expect(await read({ rest_id: "7" })).toMatchObject({ data: [] });
    // The owner counts, not a person beside the list.
    const maker = { result: { rest_id: "9", privacy: { protected: true } } };
    expect(await read({ rest_id: "7", user_results: maker, ...listed })).toMatchObject({
      data: [],
    });
  });

  test("X's API gets no more rows than requested, within its page sizes", async () => {
    const sizes = async (id: string, input: Json, more: Options = {}) =>
      (await play(id, input, more)).sent.map(({ query }) => query.max_results);
    expect(await sizes("microblog.posts.quote_posts", { id: "1", limit: 3 })).toEqual([10]);
    expect(await sizes("microblog.users.posts", { id: "1", limit: 3 })).toEqual([5]);
    expect(await sizes("microblog.lists.members", { id: "1", limit: 3 })).toEqual([3]);
    expect(await sizes("microblog.users.followers", { id: "1", limit: 300 })).toEqual([300]);
    expect(
      await sizes("microblog.users.followers", { id: "1", limit: 300 }, { maxRecords: 4 }),
    ).toEqual([4]);
    // The page's delivered rows are requested again, in front of the rest.
    expect(
      await sizes("microblog.posts.quote_posts", { id: "1", limit: 7 }, { cursor: { o: 6 } }),
    ).toEqual([13]);
  });

  test("a cursor goes on at its upstream, whose position it holds", async () => {
    const next = async (cursor: CursorPayload) =>
      (await play("microblog.lists.posts", { id: "1" }, { cursor })).sent[0]?.upstream;
    expect(await next({ u: { g: "c" } })).toBe("twitter283");
    expect(await next({ u: { x: "c" } })).toBe("x");
    expect(await next({ o: 3, via: "twitter283" })).toBe("twitter283");
    const mixed = { u: { g: "c" }, via: "x" };
    const { played } = await play("microblog.lists.posts", { id: "1" }, { cursor: mixed });
    expect(typeOf(played)).toBe("validation_error");
  });

  test("microblog surprise 12: empty pages are followed to the posts that they stand before", async () => {
    const input = { id: "7", limit: 5, exclude: ["replies"] };
    const after = (query: Json | undefined) =>
      Number(query?.pagination_token ?? query?.cursor ?? 0) + 1;
    const own = { user_id_str: "7" };
    const answers: Record<string, Sample> = {
      "GET /2/users/7/tweets": ({ query }) =>
        after(query) === 6
          ? { data: [{ id: "1", text: "T" }], meta: { result_count: 1 } }
          : { meta: { result_count: 0, next_token: String(after(query)) } },
      "GET /UserTweets": (request) => {
        const page = after(request.query);
        const reply = tweet(String(9 - page), { ...own, in_reply_to_status_id_str: "2" });
        const entries = [tweetEntry(reply), bottom(String(page))];
        return liked(timeline(page === 6 ? [tweetEntry(tweet("1", own))] : entries))(request);
      },
    };
    for (const upstream of ["x", "twitter283"]) {
      const options = { configured: [upstream], answers };
      const { played, sent } = await play("microblog.users.posts", input, options);
      expect(played).toMatchObject({ data: [{ id: "1" }], pagination: { has_more: false } });
      expect(sent).toHaveLength(6);
    }
  });

  test("microblog surprise 12: pages of posts that are gone do not end a list", async () => {
    const answers: Record<string, Sample> = {
      "GET /UserLikes": (request) => {
        const page = Number(request.query?.cursor ?? 0) + 1;
        const gone = tweetEntry({ __typename: "TweetTombstone" });
        const entries = page < 6 ? [gone, bottom(String(page))] : [tweetEntry(tweet("1"))];
        return liked(timeline(entries))(request);
      },
    };
    const input = { id: "7", limit: 5 };
    const { played, sent } = await play("microblog.users.liked_posts", input, {
      ...complement,
      answers,
    });
    expect(played).toMatchObject({ data: [{ id: "1" }], pagination: { has_more: false } });
    expect(sent).toHaveLength(6);
  });

  test("a user's posts: newest first, without the user's replies", () => {
    const post = (id: string, author: string, more: Json = {}) =>
      ({ id, author: { id: author }, is_reply: false, is_repost: false, ...more }) as never;
    const all = [
      post("9", "7"),
      post("10", "8"),
      post("12", "7", { is_reply: true }),
      post("11", "7", { is_repost: true }),
    ];
    const idsOf = (...excluded: string[]) =>
      ownPosts(all, "7", new Set(excluded)).map(({ id }) => id);
    expect(idsOf()).toEqual(["12", "11", "9"]);
    expect(idsOf("replies")).toEqual(["11", "9"]);
    expect(idsOf("replies", "reposts")).toEqual(["9"]);
  });
});
