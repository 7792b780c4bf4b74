import { describe, expect, test } from "vitest";
import { postNumber } from "../../../worker/areas/cnblog/id.map.ts";
import { timeOf } from "../../../worker/areas/cnblog/time.map.ts";
import type { SampleRequest, Samples } from "../../../worker/sandbox/sample.ts";
import { hotSearch } from "../../../worker/upstreams/weibo/client.ts";
import type { Wire } from "#wire";
import { expectValues } from "../input.ts";
import { play, playToEnd } from "../play.ts";
import { found as answered, tikhubAnswers } from "../tikhub-answers.ts";

const web = "/api/v1/weibo/web_v2";
const uid = "1200000123";
const writer = { idstr: uid, screen_name: "n" };
const status = (id: number, more: Wire = {}): Wire => ({
  idstr: `51000000000000${id}`,
  user: writer,
  ...more,
});
const ids = (data: unknown) => (data as { id: string }[]).map(({ id }) => id.slice(-2));

function found(id: string, input: Record<string, unknown>, answer: unknown) {
  const names: Record<string, string> = {
    "cnblog.posts.get": "fetch_post_detail",
    "cnblog.posts.comments": "fetch_post_comments",
    "cnblog.users.get": "fetch_user_info",
    "cnblog.users.fans": "fetch_user_fans",
    "cnblog.users.following": "fetch_user_following",
    "cnblog.users.posts": "fetch_user_posts",
  };
  return answered(id, input, { [`${web}/${names[id]}`]: answer });
}

const postOf = async (row: Wire) =>
  (await found("cnblog.posts.get", { id: "5100000000000123" }, { ok: 1, ...status(10), ...row }))
    .data;
const postsOf = (list: Wire[], more: Wire = {}) =>
  found("cnblog.users.posts", { uid }, { ok: 1, data: { list, since_id: "", ...more } });

describe("cnblog records", () => {
  test("cnblog surprise 1: a user of the web dialect and one of the mobile dialect", async () => {
    const ajax = { ok: 1, data: { user: { idstr: uid, followers_count: 7, friends_count: 2 } } };
    expect((await found("cnblog.users.get", { uid }, ajax)).data).toMatchObject({
      id: uid,
      follower_count: 7,
      following_count: 2,
    });
    const userInfo = {
      id: 1_200_000_123,
      followers_count: "145.5万",
      follow_count: 34,
      domain: "",
    };
    const mobile = await found("cnblog.users.get", { uid }, { ok: 1, data: { userInfo } });
    expect(mobile.data).toMatchObject({ id: uid, follower_count: 1_455_000, following_count: 34 });
    expect(mobile.data).not.toHaveProperty("username");
  });

  test.each([
    [
      "infos beside ids",
      {
        pic_ids: ["b", "a"],
        pic_infos: { a: { largest: { url: "1" } }, b: { large: { url: "2" } } },
      },
      ["2", "1"],
    ],
    ["a list", { pics: [{ large: { url: "1" } }, { url: "2" }] }, ["1", "2"]],
    ["an object by index", { pics: { 0: { large: { url: "1" } }, 1: { large: {} } } }, ["1"]],
    ["nothing", { pic_ids: [] }, undefined],
  ])("cnblog surprise 1: pictures as %s", async (_name, row, images) => {
    expect((await postOf(row)).images).toEqual(images);
  });

  test("cnblog surprise 1: text with and without markup, counts as text", async () => {
    const marked = 'a<br />b <img alt=[x] src="1"> <a href="/t">#t#</a> &lt;3';
    expect(await postOf({ text: marked, attitudes_count: "100万+" })).toMatchObject({
      text: "a\nb [x] #t# <3",
      topics: ["t"],
      like_count: 1_000_000,
    });
    expect(await postOf({ text_raw: "raw\u200b\u200b", text: "x" })).toMatchObject({ text: "raw" });
  });

  test.each([
    ["without a user", { user: null }],
    ["marked as deleted", { deleted: "1" }],
  ])("cnblog surprise 2: a repost %s is absent", async (_name, marks) => {
    const gone = await postOf({ retweeted_status: { ...status(11), ...marks } });
    expect(gone).toHaveProperty("id");
    expect(gone).not.toHaveProperty("repost");
  });

  test("cnblog surprise 2: an existing repost is mapped", async () => {
    expect(await postOf({ retweeted_status: status(11, { text_raw: "r" }) })).toMatchObject({
      repost: { id: "5100000000000011", text: "r" },
    });
  });

  test("cnblog surprise 4: a cut text is marked, the long one is whole", async () => {
    expect(await postOf({ isLongText: true, text_raw: "cut" })).toMatchObject({
      text: "cut",
      is_truncated: true,
    });
    const marked = 'cut...<a href="/status/5100000000000123">全文</a>';
    expect(await postOf({ isLongText: true, text: marked })).toMatchObject({ text: "cut..." });
    const longText = { longTextContent: "whole\u200b" };
    expect(await postOf({ isLongText: true, text_raw: "cut", longText })).toMatchObject({
      text: "whole",
      is_truncated: false,
    });
  });

  test("cnblog surprise 8: addresses of pictures are passed on unchanged", async () => {
    const url = "https://wx1.example/large/1.jpg?KID=a,b&Expires=1";
    expect(await postOf({ pics: [{ large: { url } }] })).toMatchObject({ images: [url] });
  });

  test("a video, and a link to a page", async () => {
    const media_info = { stream_url: "s", stream_url_hd: "h", duration: 103.165 };
    const film = { type: "video", media_info, page_pic: { url: "c" } };
    expect(await postOf({ page_info: film })).toMatchObject({
      video: { url: "h", cover_image_url: "c", duration: 103 },
    });
    const page = { type: "24", object_type: "article", page_title: "t", page_url: "u" };
    expect(await postOf({ page_info: page })).toMatchObject({ link: { title: "t", url: "u" } });
  });

  const now = Date.UTC(2026, 6, 1, 2, 0, 30);
  const china = (...at: [number, number, number, number?, number?]) =>
    Date.UTC(...at) / 1000 - 8 * 3600;
  test.each([
    ["Thu Jun 17 16:00:11 +0800 2021", Date.UTC(2021, 5, 17, 8, 0, 11) / 1000],
    ["Thu Jun 17 16:00:11 -0130 2021", Date.UTC(2021, 5, 17, 17, 30, 11) / 1000],
    ["刚刚", now / 1000],
    ["5分钟前", now / 1000 - 300],
    ["2小时前", now / 1000 - 7200],
    ["今天 09:30", china(2026, 6, 1, 9, 30)],
    ["昨天 12:30", china(2026, 5, 30, 12, 30)],
    ["06-27", china(2026, 5, 27)],
    ["12-31", china(2025, 11, 31)],
    ["2020-06-27", china(2020, 5, 27)],
    ["some time", undefined],
    ["Thu Foo 17 16:00:11 +0800 2021", undefined],
  ])("cnblog surprise 10: %s is %j", (written, seconds) => {
    expect(timeOf(written, now)).toBe(seconds);
  });
});

describe("cnblog lists", () => {
  test("cnblog surprise 3: entries that are not the user's posts are left out", async () => {
    const { data } = await postsOf([
      status(10),
      status(11, { title: { text: "他赞过的微博" } }),
      status(12, { promotion: { type: "ad" } }),
      status(13, { ad_state: 1 }),
      status(14, { user: { idstr: "99999" } }),
      status(15, { user: null, deleted: "1" }),
    ]);
    expect(ids(data)).toEqual(["10", "13"]);
  });

  test("cnblog surprise 3: cards of other kinds are left out", async () => {
    const cards = [
      { card_type: 11, card_group: [] },
      {
        card_type: 9,
        mblog: { id: "5100000000000010", user: { id: Number(uid) }, bid: "Kjc77D1jz" },
      },
    ];
    const { data } = await found("cnblog.users.posts", { uid }, { ok: 1, data: { cards } });
    expect(data).toEqual([
      expect.objectContaining({
        id: "5100000000000010",
        url: `https://weibo.com/${uid}/Kjc77D1jz`,
      }),
    ]);
  });

  test("cnblog surprise 5: max_id stays exact, and 0 is the end", async () => {
    const mark = "138535123456789012";
    const { played, requests } = await found(
      "cnblog.posts.comments",
      { id: "Kjc77D1jz", limit: 2 },
      ({ query }: SampleRequest) =>
        query?.max_id === ""
          ? { ok: 1, data: [{ idstr: "1" }], max_id: mark }
          : { ok: 1, data: { data: [{ id: "2", text: "x" }], max_id: 0, max_id_type: 0 } },
    );
    expect(played).toMatchObject({ records: 2, pagination: { has_more: false } });
    expect(requests.map(({ query }) => query?.max_id)).toEqual(["", mark]);
    expect(requests[0]?.query?.id).toBe("4645748019299849");
    // The number of all comments counts those that are not shown.
    const filtered = { ok: 1, data: [{ idstr: "1" }], max_id: "", total_number: 9 };
    const whole = await found("cnblog.posts.comments", { id: "Kjc77D1jz" }, () => filtered);
    expect(whole.played).toMatchObject({ records: 1, pagination: { has_more: false } });
    // A last page may have no mark at all.
    const pages = ({ query }: SampleRequest) =>
      query?.max_id === ""
        ? { ok: 1, data: [{ idstr: "1" }], max_id: mark, total_number: 9 }
        : { ok: 1, data: [{ idstr: "2" }], total_number: 9 };
    const unmarked = await found("cnblog.posts.comments", { id: "Kjc77D1jz" }, pages);
    expect(unmarked.played).toMatchObject({ records: 2, pagination: { has_more: false } });
  });

  test("cnblog surprise 6: posts begin at page 1, people at page 0", async () => {
    const people = ({ query }: SampleRequest) => ({
      ok: 1,
      users: [{ idstr: `${20_000 + Number(query?.page)}` }],
      next_cursor: query?.page === 2 ? 0 : 50,
    });
    for (const id of ["cnblog.users.fans", "cnblog.users.following"]) {
      const { requests } = await found(id, { uid }, people);
      expect(requests.map(({ query }) => query?.page)).toEqual([0, 1, 2]);
    }
    const { requests } = await postsOf([status(10)]);
    expect(requests[0]?.query).toEqual({ uid, page: 1, feature: 0, since_id: undefined });
  });

  test("cnblog surprise 7: empty pages of comments are followed twice", async () => {
    const { played, requests } = await found(
      "cnblog.posts.comments",
      { id: "5100000000000123" },
      ({ query }: SampleRequest) => ({ ok: 1, data: [], max_id: `1${String(query?.max_id)}` }),
    );
    expect(played).toMatchObject({ ok: true, data: [], pagination: { has_more: false } });
    expect(requests).toHaveLength(3);
  });

  test("cnblog surprise 9: a pinned post is delivered once, over all pages", async () => {
    const pages: Wire[][] = [
      [status(30, { isTop: 1 }), status(10), status(11)],
      [status(12), status(30), status(13)],
    ];
    const { samples, requests } = tikhubAnswers({
      [`${web}/fetch_user_posts`]: ({ query }: SampleRequest) => ({
        ok: 1,
        data: {
          list: pages[Number(query?.page) - 1],
          since_id: query?.page === 1 ? 4646131823281332 : "",
        },
      }),
    });
    const parts = await playToEnd("cnblog.users.posts", { uid, limit: 2 }, { samples });
    expect(ids(parts.flat())).toEqual(["30", "10", "11", "12", "13"]);
    expect(requests.at(-1)?.query).toMatchObject({ page: 2, since_id: "4646131823281332" });
  });

  test("embedded replies, pictures and the location of a comment", async () => {
    const row = {
      idstr: "1",
      text: '<img alt="[哈]" src="1">',
      source: "来自北京",
      comments: [{ idstr: "2", text: "r" }, {}],
      pic_infos: { a: { large: { url: "p" } } },
    };
    const reply = { ok: 1, data: [row, { idstr: "3", text: "t", comments: false }], max_id: 0 };
    const { data } = await found("cnblog.posts.comments", { id: "5100000000000123" }, reply);
    const post_id = "5100000000000123";
    expect(data).toEqual([
      {
        id: "1",
        post_id,
        text: "[哈]",
        region: "北京",
        images: ["p"],
        replies: [{ id: "2", post_id, text: "r" }],
      },
      { id: "3", post_id, text: "t" },
    ]);
  });
});

describe("cnblog hot search", () => {
  const hot = (data: unknown): readonly Samples[] => [
    {
      upstream: "weibo",
      answers: { "GET /ajax/side/hotSearch": () => ({ ok: 1, data }) },
      faults: {
        not_found: { status: 404, body: {} },
        upstream_error: { status: 403, body: {} },
        upstream_unavailable: { status: 503, body: {} },
      },
    },
  ];

  test.each([
    ["object", { word: "#h#", note: "h", icon_desc: "热" }],
    ["list", [{ word: "#h#", note: "h", icon_desc: "热" }]],
  ])(
    "cnblog surprise 11: a headline as %s comes first, adverts are left out",
    async (_name, hotgov) => {
      const realtime = [
        { word: "a", realpos: 1, num: 5 },
        { word: "ad", is_ad: 1 },
        { word: "b", rank: 2 },
      ];
      const samples = hot({ realtime, hotgov, hotgovs: [{ name: "#h#" }] });
      const played = await play("cnblog.hot_search", { limit: 50 }, { samples });
      expect(played.ok && played.data).toEqual([
        {
          rank: 0,
          keyword: "#h#",
          title: "h",
          label: "热",
          is_pinned: true,
          url: "https://s.weibo.com/weibo?q=%23h%23",
        },
        {
          rank: 1,
          keyword: "a",
          heat_score: 5,
          is_pinned: false,
          url: "https://s.weibo.com/weibo?q=%23a%23",
        },
        { rank: 3, keyword: "b", is_pinned: false, url: "https://s.weibo.com/weibo?q=%23b%23" },
      ]);
    },
  );

  test("cnblog surprise 11: the request carries the site's Referer", async () => {
    const sent: unknown[] = [];
    await hotSearch({
      async send(_upstream, request) {
        sent.push(request);
        return { status: 200, headers: {}, body: {} };
      },
    });
    expect(sent).toEqual([
      { method: "GET", path: "/ajax/side/hotSearch", headers: { referer: "https://weibo.com/" } },
    ]);
  });
});

describe("cnblog refusals", () => {
  test.each([
    ["cnblog.posts.get", { ok: 0, msg: "x" }, "not_found"],
    ["cnblog.posts.get", { ok: 0, error_code: 20101 }, "not_found"],
    ["cnblog.posts.get", { ok: 0, error_code: 10022 }, "upstream_unavailable"],
    ["cnblog.posts.get", { ok: -100, url: "https://passport.example/signin" }, "upstream_error"],
    ["cnblog.posts.get", null, "not_found"],
    ["cnblog.posts.get", { ok: 1 }, "response_shape_error"],
    ["cnblog.posts.comments", { ok: 0, msg: "微博不存在" }, "not_found"],
  ])("cnblog surprise 12: %s answered %j is %s", async (id, answer, type) => {
    const { played } = await found(id, { id: "5100000000000123" }, answer);
    expect(played).toMatchObject({ ok: false, type });
  });

  test("cnblog surprise 12: an empty list is a list", async () => {
    const answer = { ok: 0, msg: "这里还没有内容", data: { cards: [] } };
    const { played } = await found("cnblog.users.posts", { uid }, answer);
    expect(played).toMatchObject({ ok: true, data: [], pagination: { has_more: false } });
  });
});

test.each([
  ["KjOcn14sr", "4647211990255467"],
  ["Kjc77D1jz", "4645748019299849"],
  ["4647211990255467", "4647211990255467"],
])("the post %s is number %s", (given, number) => {
  expect(postNumber(given)).toBe(number);
});

test.each([
  [
    "cnblog.posts.get",
    "id",
    ["5100000000000123", "KjOcn14sr"],
    ["123", "Kj-cn14sr", "5".repeat(18)],
  ],
  ["cnblog.users.get", "uid", ["12345", "1200000123"], ["1234", "01234", "1200000123456", "me"]],
])("ids of %s", (operation, field, good, bad) => {
  expectValues(operation, field, good, bad);
});
