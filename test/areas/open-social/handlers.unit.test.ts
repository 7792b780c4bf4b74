import { expect, test } from "vitest";
import * as blueskyMap from "../../../worker/areas/open-social/bluesky.map.ts";
import * as lemmyMap from "../../../worker/areas/open-social/lemmy.map.ts";
import * as mastodonMap from "../../../worker/areas/open-social/mastodon.map.ts";
import { unixSeconds } from "../../../worker/areas/open-social/values.map.ts";
import { bluesky, lemmy, mastodon } from "../../../worker/upstreams/open-social/client.ts";
import { ask } from "../answering.ts";
import { issues } from "../input.ts";

const reply = (status: number, body: unknown = {}, headers = {}) => ({ status, headers, body });
const author = { did: "did:plc:a", handle: "a.bsky.social" };
const view = (rkey: string, more: object = {}) => ({
  uri: `at://did:plc:a/app.bsky.feed.post/${rkey}`,
  author,
  record: { text: rkey, createdAt: "2026-05-01T10:00:00Z" },
  ...more,
});

test("open-social surprise 1: a lost name of Bluesky gives way to the DID", () => {
  const user = blueskyMap.user({ did: "did:plc:a", handle: "handle.invalid" });
  expect(user).toMatchObject({ username: "did:plc:a" });
  expect(user.share_url).toBe("https://bsky.app/profile/did:plc:a");
});

test("open-social surprise 1: the same of who passed a post on", () => {
  const by = (handle?: string) =>
    blueskyMap.entry({
      post: view("3k"),
      reason: { $type: "app.bsky.feed.defs#reasonRepost", by: { did: "did:plc:b", handle } },
    }).reposted_by_username;
  expect(by("b.bsky.social")).toBe("b.bsky.social");
  expect([by("handle.invalid"), by()]).toEqual(["did:plc:b", "did:plc:b"]);
});

test("open-social surprise 2: what Bluesky does not know", async () => {
  const gone = [
    { error: "NotFound", message: "Post not found" },
    { error: "InvalidRequest", message: "Profile not found" },
    { error: "AccountTakedown", message: "Account has been suspended" },
    { error: "InvalidRequest", message: "could not find feed" },
  ];
  for (const body of gone) {
    expect(bluesky.judge(reply(400, body)), body.error).toMatchObject({ type: "not_found" });
  }
  const wrong = { error: "InvalidRequest", message: "Error: limit must be at most 100" };
  expect(bluesky.judge(reply(400, wrong))).toMatchObject({ type: "validation_error" });
  const id = "at://did:plc:a/app.bsky.feed.post/3k";
  const none = await ask("open_social.posts.get", { network: "bluesky", id }, () => ({
    body: { posts: [] },
  }));
  expect(none.played).toMatchObject({ ok: false, type: "not_found" });
});

const status = (id: string, more: object = {}) => ({
  id,
  content: `<p>Number ${id}</p>`,
  account: { id: "1", acct: "sam" },
  ...more,
});

test("open-social surprise 3: a repost of Mastodon is the original", () => {
  const row = status("9", { account: { id: "2", acct: "kim@b.example" }, reblog: status("4") });
  expect(mastodonMap.post("a.example")(row)).toMatchObject({
    id: "4",
    author: { username: "sam@a.example" },
    reposted_by_username: "kim@b.example",
  });
});

test.each([
  ["<p>a<br>b</p><p>c</p>", "a\nb\n\nc"],
  ["<p>c &lt;d&gt;</p><ul><li>x</li><li>y</li></ul><p>z</p>", "c <d>\nx\ny\n\nz"],
  ["<blockquote><p>q</p></blockquote>said", "q\n\nsaid"],
  ["<h1>t</h1><pre><code>k</code></pre>end", "t\nk\nend"],
])("blocks of a status do not run together: %s", (content, text) => {
  expect(mastodonMap.post("a.example")(status("4", { content }))).toMatchObject({ text });
});

test("a repost within reposts has no depth", () => {
  let row: object = status("4");
  for (let depth = 0; depth < 50_000; depth += 1) row = status("9", { reblog: row });
  expect(mastodonMap.post("a.example")(row as never)).toMatchObject({
    id: "9",
    reposted_by_username: "sam@a.example",
  });
});

test("open-social surprise 4: short pages of Mastodon, and pages of followers", async () => {
  const pages = [[status("30"), status("20")], [status("10")], []];
  const { played, asked } = await ask(
    "open_social.hashtags.posts",
    { hashtag: "#tea", instance: "a.example" },
    ({ query }) => ({ body: pages[["30", "20", "10"].indexOf(String(query?.max_id))] ?? pages[0] }),
  );
  expect(played).toMatchObject({ ok: true, records: 3 });
  expect(asked.map(({ query }) => query?.max_id)).toEqual([undefined, "20", "10"]);
  const link = '<https://a.example/api/v1/accounts/1/followers?limit=80&max_id=777>; rel="next"';
  const followers = await ask(
    "open_social.users.followers",
    { network: "mastodon", instance: "a.example", username: "sam@a.example" },
    ({ path, query }) => {
      if (path.endsWith("/lookup")) return { body: { id: "1" } };
      const id = query?.max_id === "777" ? "6" : "5";
      return { body: [{ id, acct: "kim" }], headers: id === "5" ? { link } : {} };
    },
  );
  expect(followers.played).toMatchObject({ ok: true, data: [{ id: "5" }, { id: "6" }] });
  expect(followers.asked[0]?.query).toEqual({ acct: "sam" });
});

test("open-social surprise 5: accounts of the instance itself get its name", () => {
  const of = (acct: string) => mastodonMap.user("a.example")({ id: "1", acct }).username;
  expect([of("sam"), of("kim@b.example")]).toEqual(["sam@a.example", "kim@b.example"]);
});

test("open-social surprise 6: moments and modes of Lemmy's versions", () => {
  expect(unixSeconds("2023-07-01T12:00:00.123456")).toBe(unixSeconds("2023-07-01T12:00:00Z"));
  const of = (registration_mode: string) => {
    const site = { name: "S", actor_id: "https://a.example/" };
    const body = { site_view: { site, local_site: { registration_mode } } };
    const { is_open, needs_approval } = lemmyMap.instance("x.example", body);
    return [is_open, needs_approval];
  };
  expect(of("require_application")).toEqual([true, true]);
  expect(of("RequireApplication")).toEqual([true, true]);
  expect(of("Open")).toEqual([true, false]);
  expect(of("Closed")).toEqual([false, false]);
});

const comment = (id: number, path: string) => ({
  comment: { id, post_id: 7, content: "x", path },
  creator: { id: 1, name: "sam", actor_id: "https://a.example/u/sam" },
});

test("open-social surprise 7: comments of Lemmy have ids of their own", async () => {
  expect(lemmyMap.comment(comment(5, "0.5"))).toMatchObject({
    id: "c5",
    depth: 1,
    in_reply_to_post_id: "7",
  });
  expect(lemmyMap.comment(comment(6, "0.5.6"))).toMatchObject({
    depth: 2,
    in_reply_to_post_id: "c5",
  });
  const branch = await ask("open_social.posts.thread", { network: "lemmy", id: "c5" }, () => ({
    body: { comments: [comment(5, "0.4.5"), comment(6, "0.4.5.6"), comment(8, "0.4.5.6.8")] },
  }));
  expect(branch.asked[0]?.query).toMatchObject({ parent_id: "5" });
  expect(branch.played).toMatchObject({
    data: [
      { id: "c6", depth: 1 },
      { id: "c8", depth: 2 },
    ],
  });
});

test("open-social surprise 8: servers that are no instance, and names inside", () => {
  for (const upstream of [mastodon("a.example"), lemmy("a.example")]) {
    const judge = (given: ReturnType<typeof reply>) => upstream.judge(given);
    expect(judge(reply(301))).toMatchObject({ type: "upstream_error" });
    expect(judge(reply(401))).toMatchObject({ type: "upstream_error", message: /members/ });
    expect(judge(reply(422))).toMatchObject({ type: "upstream_error" });
    expect(judge(reply(404))).toMatchObject({ type: "not_found" });
    expect(judge(reply(408))).toMatchObject({ type: "upstream_unavailable", retry: true });
  }
  const unknown = lemmy("a.example").judge(reply(400, { error: "couldnt_find_post" }));
  expect(unknown).toMatchObject({ type: "not_found" });
  const reset = { "x-ratelimit-reset": new Date(Date.now() + 9500).toISOString() };
  const busy = mastodon("a.example").judge(reply(429, {}, reset));
  expect(busy).toMatchObject({ type: "upstream_unavailable", retry: true });
  const inside = [
    "localhost",
    "db.internal",
    "printer.local",
    "10.0.0.1",
    "[::1]",
    "0x7f.1",
    "a.example:8080",
    "https://a.example",
    "user@a.example",
    "a..example",
    "intranet",
  ];
  for (const instance of inside) {
    const refused = issues("open_social.instance", { network: "mastodon", instance });
    expect(refused, instance).toEqual(["instance"]);
  }
  for (const instance of ["mastodon.social", "xn--bcher-kva.example", "A.Example"]) {
    expect(issues("open_social.instance", { network: "lemmy", instance }), instance).toEqual([]);
  }
});

test("open-social surprise 9: a thread of Bluesky is in the order of reading, without what is gone", () => {
  const node = (rkey: string, replies: object[] = []) => ({
    $type: "app.bsky.feed.defs#threadViewPost",
    post: view(rkey),
    replies,
  });
  const lost = { $type: "app.bsky.feed.defs#notFoundPost", notFound: true };
  const thread = {
    ...node("root", [node("a", [node("b"), lost]), lost, node("c")]),
    parent: { ...node("up"), parent: node("top") },
  };
  const read = blueskyMap.thread({ thread }).map(({ text, depth }) => [text, depth]);
  expect(read).toEqual([
    ["top", -2],
    ["up", -1],
    ["a", 1],
    ["b", 2],
    ["c", 1],
  ]);
  expect(blueskyMap.thread({ thread: lost })).toEqual([]);
  const broken = { ...node("x", [node("below")]), post: { uri: view("x").uri } };
  const rest = blueskyMap.thread({ thread: node("root", [broken, node("c")]) });
  expect(rest.map(({ text, depth }) => [text, depth])).toEqual([
    ["below", 2],
    ["c", 1],
  ]);
});

test("open-social surprise 10: an empty page of Bluesky with a cursor is no end", async () => {
  const follow = async (id: string, input: object, list: string, row: object) =>
    ask(id, { network: "bluesky", ...input }, ({ query }) => {
      const page = Number(query?.cursor ?? 0);
      return { body: page < 5 ? { [list]: [], cursor: `${page + 1}` } : { [list]: [row] } };
    });
  const of = { username: "a.bsky.social" };
  for (const [id, input, list, row] of [
    ["open_social.users.followers", of, "followers", author],
    ["open_social.users.posts", of, "feed", { post: view("3k") }],
    ["open_social.search.users", { query: "a" }, "actors", author],
  ] as const) {
    const { played } = await follow(id, input, list, row);
    expect(played, id).toMatchObject({ records: 1, pagination: { has_more: false } });
  }
  // Anybody's service may make a feed, and may never end it.
  const endless = await follow("open_social.feed", {}, "feed", { post: view("3k") });
  expect(endless.played).toMatchObject({ records: 0, pagination: { has_more: false } });
});

test("embeds of Bluesky: what is quoted is a post, and galleries are pictures", () => {
  const picture = {
    fullsize: "https://cdn.example/f",
    thumbnail: "https://cdn.example/t",
    alt: "a",
  };
  const gallery = { $type: "app.bsky.embed.gallery#view", items: [picture] };
  expect(blueskyMap.post(view("x", { embed: gallery })).media).toEqual([
    {
      type: "image",
      url: "https://cdn.example/f",
      preview_image_url: "https://cdn.example/t",
      alt_text: "a",
    },
  ]);
  const list = { uri: "at://did:plc:a/app.bsky.graph.list/3k" };
  const of = (record: object) =>
    blueskyMap.post(view("x", { embed: { $type: "app.bsky.embed.record#view", record } }));
  expect(of(list)).not.toHaveProperty("quoted_post_id");
  expect(of(view("q"))).toMatchObject({ quoted_post_id: view("q").uri });
});

test("addresses of pages are ids, and ids of another network are refused", async () => {
  const page = "https://bsky.app/profile/a.bsky.social/post/3kabc";
  const { asked, played } = await ask(
    "open_social.posts.get",
    { network: "bluesky", id: page },
    ({ path }) =>
      // A look-up knows posts by the DID of their account only.
      path.endsWith("getPosts")
        ? { body: { posts: [] } }
        : { body: { thread: { post: view("3kabc") } } },
  );
  expect(played).toMatchObject({ ok: true, data: { id: view("3kabc").uri } });
  const uri = "at://a.bsky.social/app.bsky.feed.post/3kabc";
  expect(asked).toMatchObject([{ query: { uri, depth: 0, parentHeight: 0 } }]);
  const gone = { $type: "app.bsky.feed.defs#notFoundPost", uri, notFound: true };
  const none = await ask("open_social.posts.get", { network: "bluesky", id: page }, () => ({
    body: { thread: gone },
  }));
  expect(none.played).toMatchObject({ ok: false, type: "not_found" });
  for (const end of ["/", "?ref_src=embed", "/?a=b#c", "#c"]) {
    expect(issues("open_social.posts.get", { network: "bluesky", id: page + end }), end).toEqual(
      [],
    );
  }
  const quotes = { network: "bluesky", id: `${page}/quotes` };
  expect(issues("open_social.posts.get", quotes)).toContain("id");
  const at = "at://did:plc:a/app.bsky.feed.post/3k";
  expect(issues("open_social.posts.get", { network: "mastodon", id: at })).toEqual(["id"]);
  expect(issues("open_social.posts.get", { network: "bluesky", id: "12" })).toEqual(["id"]);
  expect(issues("open_social.posts.get", { network: "mastodon", id: "c12" })).toEqual(["id"]);
  const feeds = {
    feed: "at://did:plc:a/app.bsky.feed.generator/f",
    community: "birds@b.example",
  };
  for (const [name, network] of [
    ["feed", "bluesky"],
    ["community", "lemmy"],
  ] as const) {
    for (const other of ["bluesky", "mastodon", "lemmy"]) {
      const wrong = issues("open_social.feed", { network: other, [name]: feeds[name] });
      expect(wrong, `${name} ${other}`).toEqual(other === network ? [] : [name]);
    }
  }
  const withHost = { network: "bluesky", username: "a", instance: "a.example" };
  expect(issues("open_social.users.get", withHost)).toEqual(["instance"]);
});

test("the name of every topic of Mastodon is a hashtag, also one with a sign between its words", async () => {
  for (const name of ["tea", "a_b", "col·lecció", "マリオ・カート", "نیم\u200cفاصله"]) {
    const { played } = await ask("open_social.trends.topics", { network: "mastodon" }, () => ({
      body: [{ name }],
    }));
    expect(played, name).toMatchObject({ ok: true, data: [{ name }] });
    const { asked } = await ask("open_social.hashtags.posts", { hashtag: name }, () => ({}));
    expect(asked.map(({ path }) => path)).toEqual([
      `/api/v1/timelines/tag/${encodeURIComponent(name)}`,
    ]);
  }
  for (const hashtag of ["a b", "a-b", "a/b", "a\u200db", "a\u202eb", "..", ""])
    expect(issues("open_social.hashtags.posts", { hashtag }), hashtag).toEqual(["hashtag"]);
});
