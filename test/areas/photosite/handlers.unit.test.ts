import { describe, expect, test } from "vitest";
import type { SampleRequest } from "../../../worker/sandbox/sample.ts";
import { play, playToEnd } from "../play.ts";
import { found, tikhubAnswers } from "../tikhub-answers.ts";

const v1 = "/api/v1/instagram/v1";
const v2 = "/api/v1/instagram/v2";
const v3 = "/api/v1/instagram/v3";
const profilePath = `${v3}/get_user_profile`;

const ids = (rows: unknown) => (rows as { id: string }[]).map(({ id }) => id);
const someone = (pk: number) => ({ pk, username: `u${pk}` });

describe("photosite users", () => {
  test.each([[null], [{ user: null }], [{ data: { user: null } }]])(
    "photosite surprise 1: an unknown user is 200 with %j",
    async (data) => {
      const { played } = await found(
        "photosite.users.get",
        { username: "ann" },
        { [profilePath]: data },
      );
      expect(played).toMatchObject({ ok: false, type: "not_found" });
    },
  );

  const lists: [string, string, unknown][] = [
    ["photosite.users.followers", "get_user_followers", { users: [] }],
    ["photosite.users.posts", "get_user_posts", { edges: [], page_info: { has_next_page: false } }],
    ["photosite.users.highlights", "get_user_highlights", { edges: null }],
    ["photosite.users.stories", "get_user_stories", { reels_media: [] }],
    ["photosite.users.former_usernames", "get_user_former_usernames", { former_usernames: [] }],
  ];
  test.each(lists)(
    "photosite surprise 1: %s of a private account is not found",
    async (id, name, empty) => {
      const answers = {
        [`${v3}/${name}`]: empty,
        [profilePath]: { user: { id: "1", is_private: true } },
      };
      const { played } = await found(id, { username: "ann" }, answers);
      expect(played).toMatchObject({ ok: false, type: "not_found" });
    },
  );

  test.each(lists)(
    "photosite surprise 1: %s of a public account without any is empty",
    async (id, name, empty) => {
      const answers = {
        [`${v3}/${name}`]: empty,
        [profilePath]: { user: { id: "1", is_private: false } },
      };
      const { played } = await found(id, { username: "ann" }, answers);
      expect(played).toMatchObject({ ok: true, data: [] });
    },
  );

  test("photosite surprise 6: followers end where next_max_id is absent, whatever the flags say", async () => {
    const { played, requests } = await found(
      "photosite.users.followers",
      { username: "@Ann" },
      {
        [`${v3}/get_user_followers`]: ({ query }: SampleRequest) =>
          query?.max_id === undefined
            ? { users: [someone(1)], big_list: false, next_max_id: "next" }
            : { users: [someone(2)], big_list: true, has_more: true },
      },
    );
    expect(played.ok && ids(played.data)).toEqual(["1", "2"]);
    expect(played).toMatchObject({ pagination: { has_more: false } });
    expect(requests.map(({ query }) => query)).toMatchObject([
      { username: "ann" },
      { username: "ann", max_id: "next" },
    ]);
    const whole = await found(
      "photosite.users.following",
      { username: "ann" },
      { [`${v3}/get_user_following`]: { users: [someone(1)], has_more: true } },
    );
    expect(whole.played).toMatchObject({ ok: true, records: 1, pagination: { has_more: false } });
  });

  test("a story without an author has its tray's author", async () => {
    const { played } = await found(
      "photosite.users.stories",
      { username: "ann" },
      {
        [`${v3}/get_user_stories`]: {
          reels_media: [{ user: someone(5), items: [{ pk: "1" }, { pk: "2", user: someone(6) }] }],
        },
      },
    );
    expect(played.ok && played.data).toMatchObject([
      { author: { id: "5" } },
      { author: { id: "6" } },
    ]);
  });

  test("former handles may be texts among objects", async () => {
    const { played } = await found(
      "photosite.users.former_usernames",
      { username: "ann" },
      {
        [`${v3}/get_user_former_usernames`]: {
          former_usernames: ["old", { username: "older", changed_time: 5 }],
        },
      },
    );
    expect(played.ok && played.data).toEqual([
      { username: "old" },
      { username: "older", changed_time: 5 },
    ]);
  });
});

describe("photosite posts", () => {
  const token = '{"cached_comments_cursor": "1", "bifilter_token": "K\\u00e9"}';

  test("photosite surprise 5: the comment cursor is JSON text and goes back byte for byte", async () => {
    const { samples, requests } = tikhubAnswers({
      [`${v3}/get_post_comments`]: ({ query }: SampleRequest) =>
        query?.min_id === undefined
          ? {
              comments: [{ pk: "1" }],
              has_more_comments: false,
              has_more_headload_comments: true,
              next_min_id: token,
            }
          : { comments: [{ pk: "2" }], has_more_comments: true, next_min_id: "" },
    });
    const pages = await playToEnd<{ id: string }>(
      "photosite.posts.comments",
      { shortcode: "CAnqPB-Jzcj", limit: 1 },
      { samples },
    );
    expect(pages.map((page) => ids(page))).toEqual([["1"], ["2"]]);
    expect(requests.at(-1)?.query?.min_id).toBe(token);
  });

  test("replies are requested by the number behind the shortcode", async () => {
    const { requests } = await found(
      "photosite.comments.replies",
      { shortcode: "CAnqPB-Jzcj", commentId: "17900000000000001" },
      {
        [`${v3}/get_comment_replies`]: { child_comments: [] },
      },
    );
    expect(requests[0]?.query).toMatchObject({
      media_id: "2317006284167526179",
      comment_id: "17900000000000001",
    });
  });

  test.each([[null], [{ items: [] }], [{ items: null }]])(
    "a post that answers %j is not found",
    async (data) => {
      const { played } = await found(
        "photosite.posts.get",
        { shortcode: "CAnqPB-Jzcj" },
        { [`${v3}/get_post_info_by_code`]: data },
      );
      expect(played).toMatchObject({ ok: false, type: "not_found" });
    },
  );

  test.each([["x"], [{}], [{ items: ["x"] }], [{ items: "x" }]])(
    "a post that answers %j does not fit",
    async (data) => {
      const { played } = await found(
        "photosite.posts.get",
        { shortcode: "CAnqPB-Jzcj" },
        { [`${v3}/get_post_info_by_code`]: data },
      );
      expect(played).toMatchObject({ ok: false, type: "response_shape_error" });
    },
  );

  test("likes continue by a token outside of their wrapper", async () => {
    const { played } = await found(
      "photosite.posts.likes",
      { shortcode: "CAnqPB-Jzcj" },
      {
        [`${v2}/fetch_post_likes`]: ({ query }: SampleRequest) => ({
          data: { count: 1, items: [someone(query?.end_cursor === undefined ? 1 : 2)] },
          ...(query?.end_cursor === undefined ? { end_cursor: "e" } : { end_cursor: null }),
        }),
      },
    );
    expect(played.ok && ids(played.data)).toEqual(["1", "2"]);
  });
});

describe("photosite places and search", () => {
  test("photosite surprise 4: explore posts are walked out of their layout, without repeats", async () => {
    const media = (pk: number) => ({ media: { pk, code: `code${pk}` } });
    const { played } = await found(
      "photosite.explore.section_posts",
      { id: "5" },
      {
        [`${v1}/fetch_section_posts`]: {
          sectional_items: [
            { layout_content: { medias: [media(1), media(2)] } },
            {
              layout_content: {
                fill_items: [media(2)],
                one_by_two_item: { clips: { items: [media(3)] } },
              },
            },
          ],
          more_available: false,
          max_id: "0",
        },
      },
    );
    expect(played.ok && ids(played.data)).toEqual(["1", "2", "3"]);
  });

  test("photosite surprise 7: repeated hits are dropped and a hashtag query keeps its mark", async () => {
    const { played, requests } = await found(
      "photosite.search",
      { q: "#sea", limit: 50 },
      {
        [`${v3}/general_search`]: ({ query }: SampleRequest) =>
          query?.next_max_id === undefined
            ? {
                users: [{ user: someone(1) }, { user: someone(1) }],
                has_more: true,
                next_max_id: "n",
                rank_token: "r",
              }
            : {
                users: [{ user: someone(1) }],
                hashtags: [{ hashtag: { id: "1" } }],
                has_more: false,
              },
      },
    );
    expect(played.ok && played.data).toMatchObject([{ type: "user" }, { type: "hashtag" }]);
    expect(requests.map(({ query }) => query)).toMatchObject([
      { query: "#sea" },
      { query: "#sea", next_max_id: "n", rank_token: "r" },
    ]);
  });

  test("photosite surprise 10: posts of a location come by token, or ranked and recent by edges", async () => {
    const plain = await found(
      "photosite.locations.posts",
      { id: "7" },
      {
        [`${v2}/fetch_location_posts`]: {
          data: { items: [{ code: "CAnqPB-Jzcj" }] },
          pagination_token: "",
        },
      },
    );
    expect(plain.played).toMatchObject({ ok: true, records: 1 });
    const tabbed = await found(
      "photosite.locations.posts",
      { id: "7", tab: "recent" },
      {
        [`${v1}/fetch_location_posts`]: {
          edges: [{ node: { shortcode: "CAnqPB-Jzcj" } }],
          page_info: { has_next_page: false, end_cursor: null },
        },
      },
    );
    expect(tabbed.played).toMatchObject({ ok: true, records: 1, pagination: { has_more: false } });
    expect(tabbed.requests[0]?.query).toMatchObject({ location_id: "7", tab: "recent" });
  });

  test("cities and their locations page by number", async () => {
    const { played, requests } = await found(
      "photosite.cities.places",
      { cityId: "2791472" },
      {
        [`${v1}/fetch_locations`]: ({ query }: SampleRequest) => ({
          location_list: [{ id: String(query?.page ?? 1) }],
          next_page: query?.page === undefined ? 2 : null,
        }),
      },
    );
    expect(played.ok && ids(played.data)).toEqual(["1", "2"]);
    expect(requests[0]?.query?.city_id).toBe("c2791472");
  });

  test("lists that come whole have no pagination and end where the balance does", async () => {
    const { samples } = tikhubAnswers({
      [`${v3}/search_users`]: { users: [1, 2, 3].map((pk) => ({ user: someone(pk) })) },
    });
    const played = await play("photosite.search.users", { q: "x" }, { samples, maxRecords: 2 });
    expect(played).toMatchObject({ ok: true, records: 2, truncated: true });
    expect(played).not.toHaveProperty("pagination");
  });

  test.each([["x"], [null], [{}], [{ users: "x" }], [{ users: [{}, 5] }]])(
    "a user search that answers %j does not fit",
    async (data) => {
      const { played } = await found(
        "photosite.search.users",
        { q: "x" },
        { [`${v3}/search_users`]: data },
      );
      expect(played).toMatchObject({ ok: false, type: "response_shape_error" });
    },
  );
});
