import { expect, test } from "vitest";
import { operations } from "../../../contract/index.ts";
import type { Sample, SampleRequest, Samples } from "../../../worker/sandbox/sample.ts";
import { parse } from "../input.ts";
import { play, playToEnd } from "../play.ts";

const listing = (children: unknown[], after: string | null = null) => ({
  kind: "Listing",
  data: { children, after, before: null },
});
const t3 = (id: string, more: object = {}) => ({ kind: "t3", data: { name: `t3_${id}`, ...more } });
const t1 = (id: string, more: object = {}) => ({
  kind: "t1",
  data: { name: `t1_${id}`, body: id, replies: "", ...more },
});
const ids = (rows: unknown) => (rows as { id: string }[]).map(({ id }) => id);

/** A Reddit with a test's answers: path -> body, or a function of the request. */
function redditAnswers(answers: Record<string, unknown>) {
  const requests: SampleRequest[] = [];
  const samples: Samples = {
    upstream: "reddit",
    answers: Object.fromEntries(
      Object.entries(answers).map(([path, answer]): [string, Sample] => [
        `GET ${path}`,
        (request) => {
          requests.push(request);
          return typeof answer === "function" ? (answer(request) as unknown) : answer;
        },
      ]),
    ),
    faults: {
      not_found: { status: 404, body: {} },
      upstream_error: { status: 400, body: {} },
      upstream_unavailable: { status: 503, body: {} },
    },
  };
  return { samples: [samples], requests };
}

async function found(id: string, input: Record<string, unknown>, answers: Record<string, unknown>) {
  const { samples, requests } = redditAnswers(answers);
  const played = await play(id, input, { samples });
  expect(played.faults).toEqual([]);
  return { played, requests };
}

test("forum surprise 3: pinned posts beyond the limit are kept, and the next page follows them", async () => {
  const { samples, requests } = redditAnswers({
    "/r/baking/hot": ({ query }: SampleRequest) =>
      query?.after === "t3_b"
        ? listing([t3("c")])
        : listing([t3("p1"), t3("p2"), t3("a"), t3("b")], "t3_b"),
  });
  const pages = await playToEnd(
    "forum.communities.posts",
    { subreddit_name: "r/baking", limit: 2 },
    { samples },
  );
  expect(pages.flatMap(ids)).toEqual(["t3_p1", "t3_p2", "t3_a", "t3_b", "t3_c"]);
  expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
  expect(requests.at(-1)?.query).toMatchObject({ limit: 2, after: "t3_b", count: 4, raw_json: 1 });
});

test("a list whose cursor does not move ends", async () => {
  const { played, requests } = await found(
    "forum.search",
    { q: "x", limit: 100 },
    {
      "/search": ({ query }: SampleRequest) =>
        listing([t3(`p${String(query?.count ?? 0)}`)], "t3_same"),
    },
  );
  expect(played).toMatchObject({ ok: true, pagination: { has_more: false } });
  expect(requests).toHaveLength(2);
});

test("forum surprise 4: comments are in the second of two listings", async () => {
  const input = { post_id: "t3_9", sort: "top", depth: 2, limit: 50 };
  const { played, requests } = await found("forum.posts.comments", input, {
    "/comments/9": [listing([t3("9")]), listing([t1("a")])],
  });
  expect(played).toMatchObject({ ok: true, data: [{ id: "t1_a" }] });
  expect(requests[0]?.query).toEqual({ raw_json: 1, depth: 2, sort: "top", limit: 50 });
  const bare = await found("forum.posts.comments", input, { "/comments/9": listing([t1("a")]) });
  expect(bare.played).toMatchObject({ type: "response_shape_error" });
});

test("forum surprise 5: a look-up by ids mixes kinds and omits unknown ones", async () => {
  const { played, requests } = await found(
    "forum.posts.batch",
    { ids: ["t3_b", "t3_x", "t3_a", "t3_b"] },
    { "/api/info": listing([t3("a"), t1("z"), { kind: "t5", data: {} }, t3("b")]) },
  );
  expect(played.ok && ids(played.data)).toEqual(["t3_b", "t3_a"]);
  expect(requests[0]?.query).toMatchObject({ id: "t3_b,t3_x,t3_a" });
  const none = await found("forum.posts.get", { post_id: "t3_x" }, { "/api/info": listing([]) });
  expect(none.played).toMatchObject({ ok: false, type: "not_found" });
});

test("unknown ids of a look-up do not use up the balance", async () => {
  const { samples } = redditAnswers({ "/api/info": listing([t3("b"), t3("c"), t3("d")]) });
  const input = { ids: ["t3_a", "t3_b", "t3_c", "t3_d"] };
  const cut = await play("forum.posts.batch", input, { samples, maxRecords: 2 });
  expect(cut).toMatchObject({ ok: true, truncated: true, records: 2 });
  expect(cut.ok && ids(cut.data)).toEqual(["t3_b", "t3_c"]);
  const whole = await play("forum.posts.batch", input, { samples, maxRecords: 3 });
  expect(whole).toMatchObject({ ok: true, truncated: false, records: 3 });
});

test("forum surprise 6: the page of a deleted comment has no replies", async () => {
  const { played } = await found(
    "forum.comments.replies",
    { post_id: "t3_9", comment_id: "t1_a" },
    { "/comments/9": [listing([t3("9")]), listing([])] },
  );
  expect(played).toMatchObject({ ok: true, data: [], pagination: { has_more: false } });
});

test("forum surprise 14: an unknown comment is answered with the whole thread", async () => {
  const { played } = await found(
    "forum.comments.replies",
    { post_id: "t3_9", comment_id: "t1_zz" },
    { "/comments/9": [listing([t3("9")]), listing([t1("a"), t1("b")])] },
  );
  expect(played).toMatchObject({ ok: false, type: "not_found" });
});

test("replies of a comment come without the comment, omitted ones by their ids", async () => {
  const stands = { kind: "more", data: { parent_id: "t1_a", count: 1, children: ["c"] } };
  const { samples, requests } = redditAnswers({
    "/comments/9": [
      listing([t3("9")]),
      listing([t1("a", { replies: listing([t1("b", { depth: 1 }), stands]) })]),
    ],
    "/api/morechildren": {
      json: { errors: [], data: { things: [t1("c", { parent_id: "t1_a", depth: 1 })] } },
    },
  });
  const pages = await playToEnd(
    "forum.comments.replies",
    { post_id: "t3_9", comment_id: "t1_a", depth: 1, limit: 1 },
    { samples },
  );
  expect(pages.map(ids)).toEqual([["t1_b"], ["t1_c"]]);
  expect(requests.map(({ query }) => query)).toMatchObject([
    { comment: "a", depth: 2 },
    { link_id: "t3_9", children: "c", limit_children: false, api_type: "json" },
  ]);
});

test("long threads load a hundred at a time, and ids that fit no cursor are dropped", async () => {
  const left = Array.from({ length: 1500 }, (_, index) => `c${String(index).padStart(6, "0")}`);
  const { samples, requests } = redditAnswers({
    "/comments/9": [
      listing([]),
      listing([t1("a"), { kind: "more", data: { count: 1500, children: left } }]),
    ],
    "/api/morechildren": ({ query }: SampleRequest) => ({
      json: {
        errors: [],
        data: {
          things: String(query?.children)
            .split(",")
            .map((id) => t1(id)),
        },
      },
    }),
  });
  const pages = await playToEnd(
    "forum.posts.comments",
    { post_id: "t3_9", limit: 500 },
    { samples },
  );
  const all = pages.flatMap(ids);
  expect(new Set(all).size).toBe(all.length);
  expect(all.length).toBeGreaterThan(600);
  expect(String(requests[1]?.query?.children).split(",")).toHaveLength(100);
});

test("omitted comments that are gone do not end a thread", async () => {
  const left = Array.from({ length: 500 }, (_, index) => `c${index}`);
  const { played } = await found(
    "forum.posts.comments",
    { post_id: "t3_9" },
    {
      "/comments/9": [
        listing([]),
        listing([{ kind: "more", data: { count: 500, children: left } }]),
      ],
      "/api/morechildren": ({ query }: SampleRequest) => {
        const things = String(query?.children).endsWith("c499") ? [t1("c499")] : [];
        return { json: { errors: [], data: { things } } };
      },
    },
  );
  expect(played).toMatchObject({ data: [{ id: "t1_c499" }], pagination: { has_more: false } });
});

test("pages without rows do not end a listing that names a next one", async () => {
  const pages = [[], [t3("ad", { promoted: true })], [], [], [t3("a")]];
  const { played, requests } = await found(
    "forum.communities.posts",
    { subreddit_name: "baking" },
    {
      "/r/baking/hot": ({ query }: SampleRequest) => {
        const page = Number(String(query?.after ?? "t3_0").slice(3));
        return listing(pages[page] ?? [], page < 4 ? `t3_${page + 1}` : null);
      },
    },
  );
  expect(played).toMatchObject({ data: [{ id: "t3_a" }], pagination: { has_more: false } });
  expect(requests).toHaveLength(5);
});

test("forum surprise 10: keys beside the entries of a search are ignored", async () => {
  const body = listing([t3("a"), t3("b", { promoted: true })]);
  const { played, requests } = await found(
    "forum.communities.search",
    { subreddit_name: "baking", q: "rye" },
    { "/r/baking/search": { ...body, data: { ...body.data, facets: {}, dist: 9, modhash: "" } } },
  );
  expect(played.ok && ids(played.data)).toEqual(["t3_a"]);
  expect(requests[0]?.query).toMatchObject({
    q: "rye",
    restrict_sr: true,
    type: "link",
    t: "all",
  });
});

test.each([
  ["forum.users.get", "username", "/u/Some-Body", "Some-Body"],
  ["forum.users.get", "username", "ab", undefined],
  ["forum.communities.get", "subreddit_name", "r/AskBakers", "AskBakers"],
  ["forum.communities.get", "subreddit_name", "reddit.com", "reddit.com"],
  ["forum.communities.get", "subreddit_name", "t:1337", "t:1337"],
  ["forum.communities.get", "subreddit_name", "u_someone", "u_someone"],
  ["forum.communities.get", "subreddit_name", "allotment", "allotment"],
  ["forum.communities.get", "subreddit_name", "All", undefined],
  ["forum.communities.get", "subreddit_name", "popular", undefined],
  ["forum.communities.get", "subreddit_name", "a1+b2", undefined],
  ["forum.posts.get", "post_id", "t3_abc12", "t3_abc12"],
  ["forum.posts.get", "post_id", "abc12", undefined],
  ["forum.posts.get", "post_id", "t1_abc12", undefined],
])("%s: %s %s becomes %s", (operation, field, given, expected) => {
  expect(parse(operation, { [field]: given }).data?.[field]).toBe(expected);
});

test("a ranked list without time is that of a day", async () => {
  const lists: [string, Record<string, unknown>, string][] = [
    ["forum.users.posts", { username: "abc" }, "/user/abc/submitted"],
    ["forum.users.comments", { username: "abc" }, "/user/abc/comments"],
    ["forum.communities.posts", { subreddit_name: "baking" }, "/r/baking/top"],
    ["forum.feed.popular", {}, "/r/popular/top"],
  ];
  for (const [id, input, path] of lists) {
    const { requests } = await found(id, { ...input, sort: "top" }, { [path]: listing([]) });
    expect(requests[0]?.query?.t, id).toBe("day");
    const week = await found(id, { ...input, sort: "top", time: "week" }, { [path]: listing([]) });
    expect(week.requests[0]?.query?.t, id).toBe("week");
  }
  const newest = await found(
    "forum.users.posts",
    { username: "abc" },
    { "/user/abc/submitted": listing([]) },
  );
  expect(newest.requests[0]?.query?.t).toBeUndefined();
});

test("time is valid with two of the orders only", () => {
  const { input } = operations.get("forum.feed.popular") ?? {};
  expect(input?.safeParse({ sort: "top", time: "week" }).success).toBe(true);
  const refused = input?.safeParse({ sort: "new", time: "week" });
  expect(refused?.error?.issues).toMatchObject([{ path: ["time"] }]);
});
