import { describe, expect, test } from "vitest";
import type { SampleRequest } from "../../../worker/sandbox/sample.ts";
import type { Wire } from "#wire";
import { play, playToEnd } from "../play.ts";
import { found, tikhubAnswers } from "../tikhub-answers.ts";

const app = "/api/v1/tiktok/app/v3";
const web = "/api/v1/tiktok/web";
const searchPath = `${app}/fetch_video_search_result`;

const aweme = (id: number | string, more: Wire = {}): Wire => ({
  aweme_id: String(id),
  desc: `clip ${id}`,
  author: { uid: "71", unique_id: "maker" },
  ...more,
});
const ids = (rows: unknown) => (rows as { id: string }[]).map(({ id }) => id);

describe("shortclip lists", () => {
  test.each([
    ["search_item_list with aweme_info", { search_item_list: [{ aweme_info: aweme(100001) }] }],
    ["aweme_list", { aweme_list: [aweme(100001)] }],
    ["mixed data of the app", { data: [{ type: 1, aweme_info: aweme(100001) }] }],
    ["mixed data of the web", { data: [{ type: 1, item: { id: "100001", video: {} } }] }],
    ["one more wrapper", { data: { aweme_list: [aweme(100001)], has_more: 0 } }],
  ])("shortclip surprise 1: a search may come as %s", async (_name, data) => {
    const { played } = await found(
      "shortclip.search",
      { q: "x" },
      { [searchPath]: { has_more: 0, ...data } },
    );
    expect(played).toMatchObject({ ok: true, records: 1 });
  });

  test("shortclip surprise 1: entries of users are no videos", async () => {
    const data = [{ type: 4, user_list: [{ user_info: { uid: "9" } }] }, { aweme_info: aweme(1) }];
    const { played } = await found(
      "shortclip.search",
      { q: "x" },
      { [searchPath]: { data, has_more: 0 } },
    );
    expect(played.ok && ids(played.data)).toEqual(["1"]);
  });

  test.each([[1], [true]])(
    "shortclip surprise 2: an empty page with has_more %j is followed, then believed",
    async (has_more) => {
      const { played, requests } = await found(
        "shortclip.search",
        { q: "x" },
        {
          [searchPath]: ({ query }: SampleRequest) => ({
            search_item_list: [],
            has_more,
            cursor: Number(query?.offset) + 10,
          }),
        },
      );
      expect(played).toMatchObject({ ok: true, data: [], pagination: { has_more: false } });
      expect(requests.length).toBeGreaterThan(1);
      expect(requests.length).toBeLessThanOrEqual(4);
    },
  );

  test("shortclip surprise 2: without has_more a list continues while its pages have rows", async () => {
    const { played, requests } = await found(
      "shortclip.search",
      { q: "x", limit: 50 },
      {
        [searchPath]: ({ query }: SampleRequest) => {
          const offset = Number(query?.offset);
          const list = offset < 30 ? [aweme(200000 + offset)] : [];
          return { aweme_list: list, cursor: offset + 10 };
        },
      },
    );
    expect(played.ok && ids(played.data)).toEqual(["200000", "200010", "200020"]);
    expect(requests).toHaveLength(4);
  });

  test("shortclip surprise 2: a cursor that does not move ends the list", async () => {
    const { requests } = await found(
      "shortclip.search",
      { q: "x", limit: 50 },
      {
        [searchPath]: { aweme_list: [aweme(1)], cursor: 0, has_more: 1 },
      },
    );
    expect(requests).toHaveLength(1);
  });

  test("shortclip surprise 2: pages that only repeat themselves end the list", async () => {
    const { played, requests } = await found(
      "shortclip.search",
      { q: "x", limit: 50 },
      {
        [searchPath]: ({ query }: SampleRequest) => ({
          aweme_list: [aweme(1)],
          cursor: Number(query?.offset) + 1,
          has_more: 1,
        }),
      },
    );
    expect(played).toMatchObject({ records: 1, pagination: { has_more: false } });
    expect(requests.length).toBeLessThan(6);
  });

  test("shortclip surprise 3: a user's videos continue before max_cursor, in milliseconds", async () => {
    const path = `${app}/fetch_user_post_videos`;
    const { played, requests } = await found(
      "shortclip.users.videos",
      { username: "maker", sort: "popular", limit: 2 },
      {
        [path]: ({ query }: SampleRequest) =>
          query?.max_cursor === 0
            ? { aweme_list: [aweme(1)], max_cursor: 1_611_080_207_000, has_more: 1 }
            : { aweme_list: [aweme(2)], max_cursor: 0, has_more: 0 },
      },
    );
    expect(played.ok && ids(played.data)).toEqual(["1", "2"]);
    expect(requests.map(({ query }) => query?.max_cursor)).toEqual([0, 1_611_080_207_000]);
    expect(requests[0]?.query).toMatchObject({ unique_id: "maker", sort_type: 1 });
  });

  test("shortclip surprises 5 and 6: deleted, hidden and promoted videos are left out of a search", async () => {
    const list = [
      aweme(1, { status: { is_delete: true } }),
      aweme(2, { status: { is_prohibited: true } }),
      aweme(3, { is_ads: true }),
      { item: { id: "4", video: {}, isAd: true } },
      { aweme_info: aweme(5) },
    ];
    const { played } = await found(
      "shortclip.search",
      { q: "x" },
      { [searchPath]: { aweme_list: list, has_more: 0 } },
    );
    expect(played.ok && ids(played.data)).toEqual(["5"]);
  });

  test("shortclip surprise 6: a promoted video in a user's list is marked", async () => {
    const { played } = await found(
      "shortclip.users.videos",
      { username: "maker" },
      {
        [`${app}/fetch_user_post_videos`]: {
          aweme_list: [aweme(1, { is_ads: true })],
          has_more: 0,
        },
      },
    );
    expect(played.ok && played.data).toMatchObject([{ is_ad: true }]);
  });

  test("the look-up of a hashtag or a user stays in the cursor: later pages cost one call", async () => {
    const calls: string[] = [];
    const tagPath = `${web}/fetch_tag_detail`;
    const { samples } = tikhubAnswers({
      [tagPath]: () => {
        calls.push("detail");
        return { challengeInfo: { challenge: { id: "55", title: "t" }, stats: {} } };
      },
      [`${app}/fetch_hashtag_video_list`]: ({ query }: SampleRequest) => {
        calls.push(`list ${query?.ch_id}`);
        const from = Number(query?.cursor);
        return {
          aweme_list: [aweme(from + 1), aweme(from + 2)],
          cursor: from + 2,
          has_more: from < 4 ? 1 : 0,
        };
      },
    });
    const pages = await playToEnd<{ id: string }>(
      "shortclip.hashtags.videos",
      { tag: "#t", limit: 1 },
      { samples },
    );
    expect(pages.flat().map(({ id }) => id)).toEqual(["1", "2", "3", "4", "5", "6"]);
    expect(calls.filter((call) => call === "detail")).toHaveLength(1);
    expect(new Set(calls)).toEqual(new Set(["detail", "list 55"]));
  });

  test("a hashtag of digits is requested by its number, a name of digits has a hash", async () => {
    const asking = async (id: string, tag: string) => {
      const { samples, requests } = tikhubAnswers({
        [`${app}/fetch_hashtag_detail`]: { ch_info: { cid: "2087230", cha_name: "Olympian" } },
        [`${web}/fetch_tag_detail`]: { challengeInfo: { challenge: { id: "55", title: "t" } } },
        [`${app}/fetch_hashtag_video_list`]: { aweme_list: [aweme(1)], has_more: 0 },
      });
      const played = await play(id, { tag }, { samples });
      expect(played).toMatchObject({ ok: true });
      const sent = requests.map(({ path, query }) => [path.split("/").at(-1), query]);
      return sent as [string, Record<string, unknown>][];
    };
    const [detail, list] = ["shortclip.hashtags.get", "shortclip.hashtags.videos"];
    const byNumber = { ch_id: "2087230" };
    expect(await asking(detail, "2087230")).toMatchObject([["fetch_hashtag_detail", byNumber]]);
    expect(await asking(list, "2087230")).toMatchObject([["fetch_hashtag_video_list", byNumber]]);
    for (const [tag, tag_name] of [
      ["#2024", "2024"],
      ["#food", "food"],
      ["2024x", "2024x"],
    ] as const) {
      expect(await asking(detail, tag)).toMatchObject([["fetch_tag_detail", { tag_name }]]);
      expect(await asking(list, tag)).toMatchObject([
        ["fetch_tag_detail", { tag_name }],
        ["fetch_hashtag_video_list", { ch_id: "55" }],
      ]);
    }
  });

  test("followers continue by min_time and page_token together", async () => {
    const { samples, requests } = tikhubAnswers({
      [`${app}/fetch_user_follower_list`]: ({ query }: SampleRequest) =>
        query?.page_token === ""
          ? {
              followers: [{ uid: "1", follower_count: 0 }],
              has_more: true,
              min_time: 170,
              page_token: "t1",
            }
          : { followers: [{ uid: "2", follower_count: 7 }], has_more: false, min_time: 0 },
    });
    const played = await play(
      "shortclip.users.followers",
      { username: "7486586574684881927" },
      { samples },
    );
    expect(played.ok && played.data).toEqual([{ id: "1" }, { id: "2", follower_count: 7 }]);
    expect(requests.map(({ query }) => query)).toMatchObject([
      { user_id: "7486586574684881927", min_time: 0, page_token: "" },
      { user_id: "7486586574684881927", min_time: 170, page_token: "t1" },
    ]);
  });

  test.each([
    ["no list", {}],
    ["a null list", { followings: null, aweme_list: null }],
    ["an empty list", { followings: [], aweme_list: [], has_more: 0 }],
  ])("a refusal with %s: a user's list is not found, a search is a fault", async (_name, rest) => {
    const hidden = { status_code: 3002060, status_msg: "hidden", ...rest };
    const list = await found(
      "shortclip.users.following",
      { username: "7486586574684881927" },
      {
        [`${app}/fetch_user_following_list`]: hidden,
      },
    );
    expect(list.played).toMatchObject({ ok: false, type: "not_found" });
    const search = await found("shortclip.search", { q: "x" }, { [searchPath]: hidden });
    expect(search.played).toMatchObject({ ok: false, type: "upstream_error" });
  });

  test.each([["x"], [7], [[]], [{}], [{ aweme_list: "x" }], [{ aweme_list: [{ video: {} }, 3] }]])(
    "a search that answers %j does not fit",
    async (data) => {
      const { played } = await found("shortclip.search", { q: "x" }, { [searchPath]: data });
      expect(played).toMatchObject({ ok: false, type: "response_shape_error" });
    },
  );
});

describe("shortclip single reads", () => {
  test.each([
    ["null", { aweme_detail: null, status_code: 0 }],
    ["a platform fault", { status_code: 2053 }],
    ["a deleted video", { aweme_detail: aweme(1, { status: { is_delete: true } }) }],
  ])("shortclip surprise 5: %s is not found", async (_name, data) => {
    const { played } = await found(
      "shortclip.videos.get",
      { video_id: "7300000000000000001" },
      { [`${app}/fetch_one_video`]: data },
    );
    expect(played).toMatchObject({ ok: false, type: "not_found" });
  });

  test("a video without its number does not fit", async () => {
    const { played } = await found(
      "shortclip.videos.get",
      { video_id: "7300000000000000001" },
      {
        [`${app}/fetch_one_video`]: { aweme_detail: { aweme_id: {}, desc: "x" } },
      },
    );
    expect(played).toMatchObject({ ok: false, type: "response_shape_error" });
  });

  test("a country selects the call that takes one", async () => {
    const { requests } = await found(
      "shortclip.videos.get",
      { video_id: "7300000000000000001", country: "gb" },
      {
        [`${app}/fetch_one_video_v3`]: { aweme_details: [aweme(1)] },
      },
    );
    expect(requests[0]?.query).toEqual({ aweme_id: "7300000000000000001", region: "GB" });
  });

  test("shortclip surprise 8: a batch reads each video once; unknown ones are absent", async () => {
    const { played, requests } = await found(
      "shortclip.videos.batch",
      {
        ids: [
          "7300000000000000003",
          "7300000000000000001",
          "7300000000000000003",
          "7300000000000000002",
        ],
      },
      {
        [`${app}/fetch_one_video`]: ({ query }: SampleRequest) => ({
          aweme_detail:
            query?.aweme_id === "7300000000000000001" ? null : aweme(String(query?.aweme_id)),
        }),
      },
    );
    expect(played.ok && ids(played.data)).toEqual(["7300000000000000003", "7300000000000000002"]);
    expect(requests).toHaveLength(3);
  });

  test("missing videos of a batch do not use up the balance", async () => {
    const numbers = [1, 2, 3, 4].map((last) => `730000000000000000${last}`);
    const { samples, requests } = tikhubAnswers({
      [`${app}/fetch_one_video`]: ({ query }: SampleRequest) => ({
        aweme_detail: query?.aweme_id === numbers[0] ? null : aweme(String(query?.aweme_id)),
      }),
    });
    const input = { ids: numbers };
    const cut = await play("shortclip.videos.batch", input, { samples, maxRecords: 2 });
    expect(cut).toMatchObject({ ok: true, truncated: true, records: 2 });
    expect(cut.ok && ids(cut.data)).toEqual(numbers.slice(1, 3));
    expect(requests).toHaveLength(3);
    const whole = await play("shortclip.videos.batch", input, { samples, maxRecords: 3 });
    expect(whole).toMatchObject({ ok: true, truncated: false, records: 3 });
  });

  test("a reply of a batch that does not fit is lost alone, unless none fits", async () => {
    const path = `${app}/fetch_one_video`;
    const two = { ids: ["7300000000000000001", "7300000000000000002"] };
    const some = await found("shortclip.videos.batch", two, {
      [path]: ({ query }: SampleRequest) => ({
        aweme_detail: query?.aweme_id === "7300000000000000001" ? "x" : aweme(2),
      }),
    });
    expect(some.played).toMatchObject({ ok: true, data: [{ id: "2" }] });
    const none = await found("shortclip.videos.batch", two, { [path]: { aweme_detail: "x" } });
    expect(none.played).toMatchObject({ ok: false, type: "response_shape_error" });
  });

  test.each([
    ["maker", { unique_id: "maker" }],
    ["@maker", { unique_id: "maker" }],
    ["7486586574684881927", { user_id: "7486586574684881927" }],
    ["MS4wLjABAAAAmade-up_0123456789", { sec_user_id: "MS4wLjABAAAAmade-up_0123456789" }],
  ])("a user is requested by the kind of %s", async (username, query) => {
    const { requests } = await found(
      "shortclip.users.get",
      { username },
      { [`${app}/handler_user_profile`]: { user: { uid: "1" } } },
    );
    expect(requests[0]?.query).toEqual(query);
  });

  test.each([
    ["https://www.tiktok.com/@maker/video/7300000000000000001?lang=en", "7300000000000000001"],
    ["https://www.tiktok.com/@maker/photo/7300000000000000001", "7300000000000000001"],
    ["https://m.tiktok.com/v/7300000000000000001.html", "7300000000000000001"],
  ])("the long link %s is read without a call", async (url, video_id) => {
    const { played, requests } = await found("shortclip.resolve.video_id", { url }, {});
    expect(played).toMatchObject({ ok: true, data: { video_id } });
    expect(requests).toEqual([]);
  });

  test("a short link is resolved by a call", async () => {
    const { played } = await found(
      "shortclip.resolve.video_id",
      { url: "https://vm.tiktok.com/ZTsample/" },
      {
        [`${web}/get_aweme_id`]: "7300000000000000001",
      },
    );
    expect(played).toMatchObject({ ok: true, data: { video_id: "7300000000000000001" } });
  });
});
