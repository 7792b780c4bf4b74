import { expect, test } from "vitest";
import type { SampleRequest } from "../../../worker/sandbox/sample.ts";
import type { Wire } from "#wire";
import { parse } from "../input.ts";
import { play, playToEnd } from "../play.ts";
import { found, tikhubAnswers } from "../tikhub-answers.ts";

const web = "/api/v1/threads/web";
const pk = "3877000000000000004";
const writer = { pk: "71", username: "writer", full_name: "W" };

const post = (id: number | string, more: Wire = {}, info: Wire = {}): Wire => ({
  pk: String(id),
  user: writer,
  caption: { text: `post ${id}` },
  ...more,
  text_post_app_info: { is_post_unavailable: false, ...info },
});
const edge = (...posts: Wire[]) => ({
  node: { thread_items: posts.map((one) => ({ post: one })) },
});
const edges = (list: unknown[], end_cursor: string | null = null) => ({
  edges: list,
  page_info: { end_cursor, has_next_page: true },
});
const nothing = { errors: [{ message: "execution error" }], data: null, status: "ok" };
const known = { [`${web}/fetch_user_info`]: { data: { user: writer } } };
const ids = (rows: unknown) => (rows as { id: string }[]).map(({ id }) => id);

const single = (data: unknown, id = pk) =>
  found("threads.posts.get", { post_id: id }, { [`${web}/fetch_post_detail`]: data });
const replies = (data: unknown) =>
  found("threads.posts.replies", { post_id: pk }, { [`${web}/fetch_post_comments`]: data });

test("threads surprise 1: a page without a cursor is the last, whatever it claims", async () => {
  const { played, requests } = await replies({ data: edges([edge(post(100))]) });
  expect(played).toMatchObject({ ok: true, records: 1, pagination: { has_more: false } });
  expect(requests).toHaveLength(1);
});

test("threads surprise 1: a cursor is followed although the page says there is no next one", async () => {
  const page = ({ query }: SampleRequest) =>
    query?.end_cursor === "c1"
      ? { data: edges([edge(post(101))], "c1") }
      : {
          data: {
            edges: [edge(post(100))],
            page_info: { end_cursor: "c1", has_next_page: false },
          },
        };
  const { played, requests } = await replies(page);
  expect(played).toMatchObject({ ok: true, pagination: { has_more: false } });
  expect(played.ok && ids(played.data)).toEqual(["100", "101"]);
  expect(requests).toHaveLength(2);
});

test("threads surprise 1: a cursor is followed past pages of posts that are gone", async () => {
  const page = ({ query }: SampleRequest) => {
    const number = Number(query?.end_cursor ?? 0) + 1;
    const gone = edge(post(100 + number, {}, { is_post_unavailable: true }));
    return { data: number < 6 ? edges([gone], String(number)) : edges([edge(post(100))]) };
  };
  const { played, requests } = await replies(page);
  expect(played).toMatchObject({ data: [{ id: "100" }], pagination: { has_more: false } });
  expect(requests).toHaveLength(6);
  const input = { username: "writer" };
  const own = await found("threads.users.replies", input, {
    ...known,
    [`${web}/fetch_user_replies`]: page,
  });
  expect(own.played).toMatchObject({ data: [{ id: "100" }], pagination: { has_more: false } });
});

test.each([
  ["bare", edges([edge(post(pk))])],
  ["in data", { data: edges([edge(post(pk))]) }],
  ["in data of data", { data: { data: edges([edge(post(pk))]), extensions: {} } }],
])("threads surprise 2: a post page %s", async (_name, data) => {
  expect((await single(data)).played).toMatchObject({ ok: true, data: { id: pk } });
});

test("threads surprise 3: nulls count as missing", async () => {
  const empty = { caption: null, video_versions: null, carousel_media: null, audio: null };
  const row = post(
    pk,
    {
      ...empty,
      media_type: 19,
      like_count: -1,
      like_and_view_counts_disabled: true,
      image_versions2: { candidates: [] },
    },
    { direct_reply_count: null, tag_header: null, text_fragments: null, share_info: null },
  );
  const { played } = await single({ data: edges([edge(row)]) });
  expect(played.ok && played.data).toEqual({
    id: pk,
    code: expect.stringMatching(/^[\w-]{11}$/),
    share_url: expect.stringContaining("https://www.threads.com/@writer/post/"),
    text: "",
    author: { id: "71", username: "writer", display_name: "W" },
    media_type: "text",
    images: [],
    videos: [],
    hashtags: [],
    mentions: [],
    links: [],
  });
});

test("threads surprise 4: the thread of the post itself is no reply", async () => {
  const thread = edge(post(90), post(pk), post(91));
  const { played } = await replies({ data: edges([thread, edge(post(100), post(101))]) });
  expect(played.ok && played.data).toMatchObject([
    { id: "100", reply_to_post_id: pk },
    { id: "101", reply_to_post_id: "100" },
  ]);
});

test("threads surprise 4: a post's continuations by its author follow it, others' posts do not", async () => {
  const other = { user: { pk: "72", username: "other" } };
  const data = { mediaData: edges([edge(post(1), post(2), post(3, other))]) };
  const { played } = await found(
    "threads.users.posts",
    { username: "@Writer" },
    { ...known, [`${web}/fetch_user_posts`]: data },
  );
  expect(played.ok && ids(played.data)).toEqual(["1", "2"]);
});

test("threads surprise 5: in a user's replies the last of a chain is the reply", async () => {
  const data = { mediaData: edges([edge(post(1), post(2), post(3))]) };
  const { played } = await found(
    "threads.users.replies",
    { username: "writer" },
    { ...known, [`${web}/fetch_user_replies`]: data },
  );
  expect(played.ok && played.data).toMatchObject([{ id: "3", reply_to_post_id: "2" }]);
});

test("threads surprise 6: the remains of a deleted post are left out of lists and not found alone", async () => {
  const gone = post(pk, { user: null, caption: null }, { is_post_unavailable: true });
  const other = post(100, {}, { share_info: { quoted_post: gone } });
  const { played } = await replies({ data: edges([edge({ ...gone, pk: "99" }), edge(other)]) });
  expect(played.ok && ids(played.data)).toEqual(["100"]);
  expect(played.ok && played.data).not.toMatchObject([{ quoted_post: expect.anything() }]);
  for (const alone of [gone, { ...gone, pk: null }]) {
    const { played: one } = await single({ data: edges([edge(alone)]) });
    expect(one).toMatchObject({ type: "not_found" });
  }
  const unread = await single({ data: edges([edge({ ...post(1), pk: null } as Wire)]) });
  expect(unread.played).toMatchObject({ type: "response_shape_error" });
});

test("threads surprise 6: a reply below a deleted one without a number does not answer the root", async () => {
  const gone = { pk: null, user: null, text_post_app_info: { is_post_unavailable: true } };
  const { played } = await replies({ data: edges([edge(post(100), gone, post(102))]) });
  const [first, second] = (played.ok ? played.data : []) as Wire[];
  expect(first).toMatchObject({ id: "100", reply_to_post_id: pk });
  expect(second).toMatchObject({ id: "102" });
  expect(second).not.toHaveProperty("reply_to_post_id");
});

test("threads surprise 7: addresses of pictures and videos are passed on unchanged", async () => {
  const url = "https://media.example/a.jpg?oe=69F0&oh=x";
  const part = {
    image_versions2: { candidates: [{ url, width: 10, height: 20 }, { url: "small" }] },
    video_versions: [{ url: "https://media.example/a.mp4?oe=1" }],
    original_width: 30,
    original_height: 40,
    accessibility_caption: "a picture",
  };
  const row = post(pk, { media_type: 8, carousel_media: [part, null, {}] });
  const { played } = await single({ data: edges([edge(row)]) });
  expect(played.ok && played.data).toMatchObject({
    media_type: "carousel",
    images: [{ url, width: 10, height: 20, alt_text: "a picture" }],
    videos: [{ url: "https://media.example/a.mp4?oe=1", width: 30, height: 40 }],
  });
});

test.each([[nothing], [null], [{ data: null }], [{ data: edges([edge(post(5))]) }]])(
  "threads surprise 8: a wrong number is answered with 200 and %j",
  async (data) => {
    expect((await single(data)).played).toMatchObject({ ok: false, type: "not_found" });
  },
);

test("threads surprise 8: lists of a missing owner are not found, a search without a list does not fit", async () => {
  expect((await replies(nothing)).played).toMatchObject({ type: "not_found" });
  const searched = await found(
    "threads.search.top",
    { q: "x" },
    { [`${web}/search_top`]: nothing },
  );
  expect(searched.played).toMatchObject({ type: "response_shape_error" });
});

test("threads surprise 9: flattened lists end by has_more and continue by next_cursor", async () => {
  const { samples } = tikhubAnswers({
    ...known,
    [`${web}/fetch_user_posts`]: ({ query }: SampleRequest) =>
      query?.end_cursor === "n1"
        ? { threads: [{ post: post(3) }], next_cursor: "n2", has_more: false }
        : {
            threads: [post(1), { thread_items: [{ post: post(2) }] }],
            next_cursor: "n1",
            has_more: true,
          },
  });
  const pages = await playToEnd(
    "threads.users.posts",
    { username: "writer", limit: 2 },
    { samples },
  );
  expect(pages.map(ids)).toEqual([["1", "2"], ["3"]]);
});

test("a user whose look-up fails is searched for", async () => {
  const { samples, requests } = tikhubAnswers({
    [`${web}/search_profiles`]: {
      data: {
        xdt_api__v1__users__search_connection: {
          edges: [{ node: { pk: "70", username: "writer2" } }, { node: writer }],
        },
      },
    },
    [`${web}/fetch_user_info_by_id`]: { ...writer, follower_count: 3 },
  });
  const failing = () => ({ code: 500, message: "Request failed", data: null });
  const answers = { ...samples[0]?.answers, [`GET ${web}/fetch_user_info`]: failing };
  const faults = samples[0]?.faults as never;
  const options = { samples: [{ upstream: "tikhub", answers, faults }] };
  const played = await play("threads.users.get", { username: "writer" }, options);
  expect(played).toMatchObject({ ok: true, data: { id: "71", follower_count: 3 } });
  expect(requests.map(({ query }) => query)).toEqual([{ query: "writer" }, { user_id: "71" }]);
  const unknown = await play("threads.users.get", { username: "nobody" }, options);
  expect(unknown).toMatchObject({ ok: false, type: "not_found" });
});

test("lists of a private account are not found, its profile is found", async () => {
  const user = { ...writer, text_post_app_is_private: true };
  const answers = { [`${web}/fetch_user_info`]: { user } };
  const list = await found("threads.users.posts", { username: "writer" }, answers);
  expect(list.played).toMatchObject({ ok: false, type: "not_found" });
  const profile = await found("threads.users.get", { username: "writer" }, answers);
  expect(profile.played).toMatchObject({ ok: true, data: { is_private: true } });
});

test("a post without a number is lost alone", async () => {
  const { pk: _gone, ...nameless } = post(1);
  const good = await replies({ data: edges([edge(nameless), edge(post(100))]) });
  expect(good.played.ok && ids(good.played.data)).toEqual(["100"]);
  const bad = await replies({ data: edges([edge(nameless)]) });
  expect(bad.played).toMatchObject({ type: "response_shape_error" });
});

test.each([
  ["username", "@Some.Writer_1", "some.writer_1"],
  ["username", "bad name", undefined],
  ["username", "a".repeat(31), undefined],
  ["post_id", "3877000000000000004", "3877000000000000004"],
  ["post_id", "3877000000000000004_71", "3877000000000000004"],
  ["post_id", "DXO2PlPEoOQ", "DXO2PlPEoOQ"],
  ["post_id", "DXO2PlPEoO", undefined],
  ["post_id", "38770000000000", undefined],
])("%s %s becomes %s", (field, given, expected) => {
  const id = field === "username" ? "threads.users.get" : "threads.posts.get";
  expect(parse(id, { [field]: given }).data?.[field]).toBe(expected);
});

test("a short code is requested by its number", async () => {
  const { requests } = await single(nothing, "DXO2PlPEoOQ");
  expect(requests[0]?.query).toEqual({ post_id: "3877274894497645456" });
});
