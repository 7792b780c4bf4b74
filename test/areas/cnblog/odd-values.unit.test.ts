import { expect, test } from "vitest";
import type { SampleRequest } from "../../../worker/sandbox/sample.ts";
import type { Wire } from "#wire";
import { play } from "../play.ts";
import { found } from "../tikhub-answers.ts";

const web = "/api/v1/weibo/web_v2";
const uid = "1200000123";
const postId = "5100000000000123";
const user = { idstr: uid, screen_name: "n" };

const answered = async (row: Wire) =>
  found(
    "cnblog.posts.get",
    { id: postId },
    { [`${web}/fetch_post_detail`]: { ok: 1, idstr: postId, user, ...row } },
  );
const postOf = async (row: Wire) => (await answered(row)).data;

test("zero-width characters go at the end of a text only", async () => {
  const inside = "a\u200bb";
  expect(await postOf({ text_raw: `${inside} \u200b\n\u200b` })).toMatchObject({ text: inside });
  expect(await postOf({ longText: { longTextContent: `${inside}\u200b` } })).toMatchObject({
    text: inside,
  });
  expect(await postOf({ text_raw: "\u200b" })).not.toHaveProperty("text");
});

test.each([
  [{ mp4_720p_mp4: "720", mp4_hd_mp4: "hd", mp4_ld_mp4: "ld" }, "720"],
  [{ mp4_hd_mp4: "hd", mp4_ld_mp4: "ld" }, "hd"],
  [{ mp4_ld_mp4: "ld" }, "ld"],
])("a video whose addresses are %j only", async (urls, url) => {
  const page_info = { type: "video", urls, page_pic: { url: "p" } };
  expect(await postOf({ page_info })).toMatchObject({ video: { url, cover_image_url: "p" } });
});

test("the answers to a comment may be counted in words", async () => {
  const list = { ok: 1, data: [{ idstr: "1", text: "x", total_number: "1.2万" }], max_id: 0 };
  const { data } = await found(
    "cnblog.posts.comments",
    { id: postId },
    { [`${web}/fetch_post_comments`]: list },
  );
  expect(data).toMatchObject([{ reply_count: 12_000 }]);
});

test("cnblog surprise 2: a deleted post is not found, and in no list", async () => {
  const gone = { user: null, text: "抱歉，此微博已被作者删除" };
  for (const row of [gone, { ...gone, deleted: "1" }, { ...gone, deleted: 1 }]) {
    expect((await answered(row)).played).toMatchObject({ ok: false, type: "not_found" });
    const list = [
      { ...row, idstr: "5100000000000124" },
      { idstr: postId, user },
    ];
    const { data } = await found(
      "cnblog.users.posts",
      { uid },
      { [`${web}/fetch_user_posts`]: { ok: 1, data: { list, since_id: "" } } },
    );
    expect(data).toMatchObject([{ id: postId }]);
    expect(data).toHaveLength(1);
  }
});

test("cnblog surprise 3: pages of entries that are left out do not end a list", async () => {
  const liked = { idstr: "5100000000000124", user, title: { text: "他赞过的微博" } };
  const answer = ({ query }: SampleRequest) => {
    const page = Number(query?.page);
    const list = page < 5 ? [liked] : [{ idstr: postId, user }];
    return { ok: 1, data: { list, since_id: page < 5 ? `${page}` : "" } };
  };
  const { data, played } = await found(
    "cnblog.users.posts",
    { uid },
    { [`${web}/fetch_user_posts`]: answer },
  );
  expect(data).toMatchObject([{ id: postId }]);
  expect(played).toMatchObject({ pagination: { has_more: false } });
});

test("many headlines take no longer than their number", async () => {
  const hotgovs = Array.from({ length: 50_000 }, (_, index) => ({ name: `h${index}` }));
  const samples = [
    {
      upstream: "weibo",
      answers: {
        "GET /ajax/side/hotSearch": () => ({
          ok: 1,
          data: { realtime: [], hotgov: { name: "h1" }, hotgovs },
        }),
      },
      faults: {
        not_found: { status: 404, body: {} },
        upstream_error: { status: 403, body: {} },
        upstream_unavailable: { status: 503, body: {} },
      },
    },
  ];
  const start = performance.now();
  const played = await play("cnblog.hot_search", { limit: 3 }, { samples });
  expect(played.ok && played.data).toMatchObject([
    { keyword: "h1" },
    { keyword: "h0" },
    { keyword: "h2" },
  ]);
  expect(performance.now() - start).toBeLessThan(2000);
});
