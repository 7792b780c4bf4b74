import { describe, expect, test } from "vitest";
import type { SampleRequest } from "../../../worker/sandbox/sample.ts";
import type { Wire } from "#wire";
import { expectValues } from "../input.ts";
import { play, playToEnd } from "../play.ts";
import { found as answered, tikhubAnswers } from "../tikhub-answers.ts";

const web = "/api/v1/bilibili/web";
const bvid = (letter: string) => `BV1${letter.repeat(9)}`;

/**
 * Plays answers inside the platform's own wrapper around `data`; a function answers by the request.
 */
function found(id: string, input: Record<string, unknown>, answers: Record<string, unknown>) {
  const platform = Object.entries(answers).map(([name, answer]) => [
    `${web}/${name}`,
    (request: SampleRequest) => ({
      code: 0,
      message: "0",
      ttl: 1,
      data: typeof answer === "function" ? (answer(request) as unknown) : answer,
    }),
  ]);
  return answered(id, input, Object.fromEntries(platform) as Record<string, unknown>);
}

async function dynamicOf(item: Wire) {
  const { played } = await found(
    "cnvideo.dynamics.get",
    { id: "900001" },
    { fetch_dynamic_detail_v2: { item: { id_str: "900001", modules: {}, ...item } } },
  );
  if (!played.ok) throw new Error(played.message);
  return played.data as Record<string, unknown>;
}

const showing = (module_dynamic: Wire): Wire => ({ modules: { module_dynamic } });

describe("cnvideo answers", () => {
  test.each([
    [-404, "not_found"],
    [-400, "not_found"],
    [62002, "not_found"],
    [-352, "upstream_unavailable"],
    [-799, "upstream_unavailable"],
    [-403, "upstream_error"],
    [12345, "upstream_error"],
  ])("cnvideo surprise 1: the platform's code %i is %s", async (code, type) => {
    const { samples } = tikhubAnswers({
      [`${web}/fetch_one_video`]: { code, message: "x", ttl: 1 },
    });
    const played = await play("cnvideo.videos.get", { bv_id: bvid("a") }, { samples });
    expect(played).toMatchObject({ ok: false, type, faults: [] });
  });

  test("cnvideo surprise 1: nothing under the platform's data is not found", async () => {
    const { played } = await found(
      "cnvideo.videos.get",
      { bv_id: bvid("a") },
      { fetch_one_video: null },
    );
    expect(played).toMatchObject({ ok: false, type: "not_found" });
  });

  test.each([
    [-400, "internal_error"],
    [-404, "upstream_error"],
    [-412, "upstream_unavailable"],
  ])("cnvideo surprise 1: a search refused with %i is %s, never not found", async (code, type) => {
    const { samples } = tikhubAnswers({ [`${web}/fetch_general_search`]: { code } });
    const played = await play("cnvideo.search", { q: "x" }, { samples });
    expect(played).toMatchObject({ ok: false, type });
  });

  test("cnvideo surprise 2: search titles lose their markup, addresses get a scheme", async () => {
    const { played } = await found(
      "cnvideo.search",
      { q: "x" },
      {
        fetch_general_search: {
          numPages: 1,
          result: [
            {
              type: "video",
              bvid: bvid("a"),
              title: 'a <em class="keyword">b</em> &lt;c&gt; &amp;amp; &#39;d&#39;',
              pic: "//i.example/1.jpg",
            },
          ],
        },
      },
    );
    expect(played).toMatchObject({
      data: [{ title: "a b <c> &amp; 'd'", cover_image_url: "https://i.example/1.jpg" }],
    });
  });

  test("cnvideo surprise 3: text alone, and pictures as draw or as opus", async () => {
    const words = await dynamicOf(showing({ desc: { text: "words" }, major: null }));
    expect(words).toMatchObject({ text: "words" });
    expect(words).not.toHaveProperty("images");
    const drawn = { draw: { items: [{ src: "https://i.example/1" }, { src: null }] } };
    expect(await dynamicOf(showing({ desc: { text: "d" }, major: drawn }))).toMatchObject({
      text: "d",
      images: ["https://i.example/1"],
    });
    const opus = {
      opus: { title: "t", summary: { text: "s" }, pics: [{ url: "https://i.example/2" }] },
    };
    expect(await dynamicOf(showing({ desc: null, major: opus }))).toMatchObject({
      text: "t\ns",
      images: ["https://i.example/2"],
    });
  });

  test("cnvideo surprise 4: a live room is JSON inside a text", async () => {
    const content = JSON.stringify({ live_play_info: { room_id: 77, title: "t", cover: "//c/1" } });
    expect(await dynamicOf(showing({ major: { live_rcmd: { content } } }))).toMatchObject({
      live: {
        room_id: "77",
        title: "t",
        cover_image_url: "https://c/1",
        url: "https://live.bilibili.com/77",
      },
    });
    const broken = await dynamicOf(showing({ major: { live_rcmd: { content: "{" } } }));
    expect(broken).not.toHaveProperty("live");
  });

  test("cnvideo surprise 5: a forward of something deleted has no original", async () => {
    const gone = { type: "DYNAMIC_TYPE_NONE", id_str: null, modules: {} };
    const forward = await dynamicOf({ type: "DYNAMIC_TYPE_FORWARD", orig: gone });
    expect(forward).toMatchObject({ type: "forward" });
    expect(forward).not.toHaveProperty("original");
    const kept = await dynamicOf({ orig: { type: "DYNAMIC_TYPE_WORD", id_str: "900002" } });
    expect(kept).toMatchObject({ original: { id: "900002", type: "word" } });
  });

  test("cnvideo surprise 6: a pinned dynamic comes first and is marked", async () => {
    const items = [
      {
        id_str: "900001",
        modules: { module_tag: { text: " 置顶" }, module_author: { pub_ts: 5 } },
      },
      { id_str: "900002", modules: { module_author: { pub_ts: "9" } } },
    ];
    const { played } = await found(
      "cnvideo.users.dynamic",
      { uid: "12" },
      { fetch_user_dynamic: { items, has_more: false, offset: "" } },
    );
    expect(played).toMatchObject({
      data: [
        { id: "900001", is_pinned: true, create_time: 5 },
        { id: "900002", create_time: 9 },
      ],
    });
    expect(played.ok && (played.data as unknown[])[1]).not.toHaveProperty("is_pinned");
  });

  test("cnvideo surprise 7: empty pages that claim more are followed twice", async () => {
    const page = ({ query }: SampleRequest) => ({
      items: [],
      has_more: true,
      offset: `${Number(query?.offset) + 1}`,
    });
    const { played, requests } = await found(
      "cnvideo.users.dynamic",
      { uid: "12" },
      { fetch_user_dynamic: page },
    );
    expect(played).toMatchObject({ ok: true, data: [], pagination: { has_more: false } });
    expect(requests).toHaveLength(3);
  });

  test("cnvideo surprise 8: courses and promoted entries are left out of a search", async () => {
    const result = [
      { type: "ketang", bvid: bvid("a") },
      { type: "video", title: "promoted" },
      { type: "video", bvid: bvid("c") },
    ];
    const { played } = await found(
      "cnvideo.search",
      { q: "x" },
      { fetch_general_search: { result, numPages: 1 } },
    );
    expect(played).toMatchObject({ records: 1, data: [{ id: bvid("c") }] });
  });

  test("cnvideo surprise 9: the hot search is requested with its limit", async () => {
    const list = [{ keyword: "a&b", word_type: 5 }, { keyword: null }, { keyword: "c" }];
    const { played, requests } = await found(
      "cnvideo.hot_search",
      { limit: 3 },
      { fetch_hot_search: { trending: { list } } },
    );
    expect(requests[0]?.query).toEqual({ limit: 3 });
    expect(played.ok && played.data).toEqual([
      { rank: 1, keyword: "a&b", tag: "hot", url: "https://search.bilibili.com/all?keyword=a%26b" },
      { rank: 3, keyword: "c", url: "https://search.bilibili.com/all?keyword=c" },
    ]);
  });

  test.each([
    ["14150:36", 849_036],
    ["1:02:03", 3723],
    ["00:24", 24],
    ["x", undefined],
  ])("cnvideo surprise 10: a length of %s is %j seconds", async (duration, seconds) => {
    const result = [{ type: "video", bvid: bvid("a"), duration, play: "--" }];
    const { played } = await found(
      "cnvideo.search",
      { q: "x" },
      { fetch_general_search: { result, numPages: 1 } },
    );
    const [row] = (played.ok ? played.data : []) as Record<string, unknown>[];
    expect(row?.duration).toBe(seconds);
    expect(row).not.toHaveProperty("view_count");
  });

  test.each([
    ["12.3万", 123_000],
    ["1.5亿", 150_000_000],
    ["100万+", 1_000_000],
    ["7", 7],
    ["many", undefined],
  ])("cnvideo surprise 10: a count of %s is %j", async (play, views) => {
    const archive = { bvid: bvid("a"), stat: { play } };
    const { video } = await dynamicOf(showing({ major: { archive } }));
    expect((video as { view_count?: number }).view_count).toBe(views);
  });

  test("cnvideo surprise 11: no description, and a turned picture", async () => {
    const dimension = { width: 1920, height: 1080, rotate: 1 };
    const { played } = await found(
      "cnvideo.videos.get",
      { bv_id: bvid("a") },
      { fetch_one_video: { bvid: bvid("a"), desc: "-", dimension } },
    );
    expect(played).toMatchObject({ data: { width: 1080, height: 1920 } });
    expect(played.ok && played.data).not.toHaveProperty("description");
  });

  test("a dynamic in an unusual form is read by the older call", async () => {
    const { played, requests } = await found(
      "cnvideo.dynamics.get",
      { id: "900001" },
      {
        fetch_dynamic_detail_v2: { item: { id_str: "900001", modules: [{}] } },
        fetch_dynamic_detail: { item: { id_str: "900001", modules: {} } },
      },
    );
    expect(played).toMatchObject({ ok: true, data: { id: "900001" } });
    expect(requests).toHaveLength(2);
  });
});

describe("cnvideo lists", () => {
  test("a search continues by page up to the platform's last", async () => {
    const { samples, requests } = tikhubAnswers({
      [`${web}/fetch_general_search`]: ({ query }: SampleRequest) => ({
        code: 0,
        data: { numPages: 3, result: [{ type: "video", bvid: `${bvid("a")}${query?.page}` }] },
      }),
    });
    const input = { q: "x", sort: "newest", duration: "long", limit: 2 };
    const pages = await playToEnd<{ id: string }>("cnvideo.search", input, { samples });
    expect(pages.map((page) => page.length)).toEqual([2, 1]);
    expect(requests[0]?.query).toMatchObject({
      keyword: "x",
      order: "pubdate",
      duration: 3,
      page: 1,
      page_size: 42,
    });
  });

  test("cnvideo surprise 8: pages of courses do not end a search before its last page", async () => {
    const { played, requests } = await found(
      "cnvideo.search",
      { q: "x" },
      {
        fetch_general_search: ({ query }: SampleRequest) => ({
          numPages: 6,
          result: [{ type: query?.page === 6 ? "video" : "ketang", bvid: bvid("aa") }],
        }),
      },
    );
    expect(played).toMatchObject({ records: 1, pagination: { has_more: false } });
    expect(requests).toHaveLength(6);
  });

  test("a user's videos continue while pages leave some", async () => {
    const { played, requests } = await found(
      "cnvideo.users.videos",
      { uid: "12", sort: "views", limit: 50 },
      {
        fetch_user_post_videos: ({ query }: SampleRequest) => ({
          list: { vlist: [{ bvid: `${bvid("a")}${query?.pn}` }] },
          page: { pn: query?.pn, ps: 1, count: 3 },
        }),
      },
    );
    expect(played).toMatchObject({ records: 3, pagination: { has_more: false } });
    expect(requests.map(({ query }) => query?.order)).toEqual(["click", "click", "click"]);
  });

  test("a search without hits may come without a list", async () => {
    const { played } = await found(
      "cnvideo.search",
      { q: "x" },
      { fetch_general_search: { numResults: 0, numPages: 0 } },
    );
    expect(played).toMatchObject({ ok: true, data: [] });
  });
});

test.each([
  ["cnvideo.videos.get", "bv_id", ["BV1Sampmp123"], ["bv1Sampmp123", "BV1Sampmp120", "av12", ""]],
  ["cnvideo.dynamics.get", "id", ["900000000000000123"], ["1234", "9".repeat(21), "x12345"]],
  ["cnvideo.users.videos", "uid", ["1", "3691001075993433"], ["0", "012", "-1", "a"]],
])("ids of %s", (operation, field, good, bad) => {
  expectValues(operation, field, good, bad);
});
