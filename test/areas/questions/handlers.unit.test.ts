import { expect, test } from "vitest";
import { answer, question } from "../../../worker/areas/questions/posts.map.ts";
import { stackExchange } from "../../../worker/upstreams/stack-exchange/client.ts";
import type { Call } from "../../../worker/connector.ts";
import handlers from "../../../worker/areas/questions/handlers.ts";
import { ask } from "../answering.ts";
import { issues } from "../input.ts";

const fault = (error_id: number, error_message = "") =>
  stackExchange.judge({ status: 400, headers: {}, body: { error_id, error_message } });

test("questions surprise 1: titles and names are HTML", () => {
  const owner = { user_id: 1, display_name: "A &amp; B" };
  const row = { question_id: 4, title: "What is &quot;--&gt;&quot;?", owner };
  expect(question(row)).toMatchObject({
    title: 'What is "-->"?',
    author: { display_name: "A & B" },
  });
});

test("questions surprise 2: an empty list is nothing", async () => {
  const body = { items: [], has_more: false };
  for (const id of ["questions.get", "questions.users.get"]) {
    const { played } = await ask(id, { id: "4" }, () => ({ body }));
    expect(played, id).toMatchObject({ ok: false, type: "not_found" });
  }
});

test("questions surprise 3: faults are numbered", () => {
  expect(fault(400, "No site found for name `x`")).toMatchObject({ field: "site" });
  expect(fault(400, "pagesize")).toMatchObject({ type: "validation_error" });
  expect(fault(404)).toMatchObject({ type: "not_found" });
  const throttled = "too many requests from this IP, more requests available in 84 seconds";
  expect(fault(502, throttled)).toMatchObject({ retry: false, retryAfter: 84 });
  expect(fault(502)).toMatchObject({ type: "upstream_unavailable", retry: false });
  expect(fault(503)).toMatchObject({ retry: true });
  expect(fault(402)).toMatchObject({ operator: "credential refused" });
});

test("questions surprise 4: a method rests as long as the source says", async () => {
  let sent = 0;
  const call = {
    mode: "live",
    maxRecords: 5,
    startedAt: 0,
    deadline: 1e12,
    async send() {
      sent += 1;
      const items = [{ name: "tea", count: 2 }];
      return { status: 200, headers: {}, body: { items, has_more: false, backoff: 300 } };
    },
  } as unknown as Call;
  const input = { sort: "popular", site: "cooking", limit: 5 } as const;
  expect(await handlers["questions.tags"](input, call)).toMatchObject({ data: [{ name: "tea" }] });
  await expect(handlers["questions.tags"](input, call)).rejects.toMatchObject({
    type: "upstream_unavailable",
    retryAfter: 30,
  });
  expect(sent).toBe(1);
});

test("questions surprise 5: answers of deleted accounts have no address", () => {
  const of = (owner: object) => answer({ answer_id: 7, question_id: 4, owner });
  expect(of({ user_type: "does_not_exist", display_name: "user1" })).toMatchObject({
    author: { display_name: "user1" },
  });
  expect(of({ display_name: "user1" })).not.toHaveProperty("share_url");
  const link = "https://math.stackexchange.com/users/2/sam";
  expect(of({ user_id: 2, display_name: "sam", link })).toMatchObject({
    share_url: "https://math.stackexchange.com/a/7",
  });
});

test("a search needs words or tags, and has no fit without words", async () => {
  expect(issues("questions.search", {})).toEqual(["query"]);
  expect(issues("questions.search", { tags: ["c d"] })).toEqual(["tags.0"]);
  const named = await ask(
    "questions.search",
    { tags: ["JavaScript", " регулярные-выражения"] },
    () => ({
      body: { items: [], has_more: false },
    }),
  );
  expect(named.asked[0]?.query).toMatchObject({ tagged: "javascript;регулярные-выражения" });
  const { asked } = await ask("questions.search", { tags: ["c++", "git-branch"] }, () => ({
    body: { items: [], has_more: false },
  }));
  expect(asked[0]?.query).toMatchObject({ tagged: "c++;git-branch", sort: "votes" });
});

test("questions surprise 6: a question has all of the tags", async () => {
  const of = (question_id: number, ...tags: string[]) => ({ question_id, title: "t", tags });
  const pages = [
    [of(1, "c", "git"), of(2, "c")],
    [of(3, "c")],
    [of(4, "c")],
    [of(5, "c")],
    [of(6, "git", "c", "x")],
  ];
  const { played, asked } = await ask(
    "questions.search",
    { query: "merge", tags: ["c", "git"], limit: 5 },
    ({ query }) => {
      const page = Number(query?.page);
      return { body: { items: pages[page - 1], has_more: page < pages.length } };
    },
  );
  expect(played).toMatchObject({
    data: [{ id: "1" }, { id: "6" }],
    pagination: { has_more: false },
  });
  expect(asked[0]).toMatchObject({
    path: "/search/advanced",
    query: { q: "merge", tagged: "c;git" },
  });
  const alone = await ask("questions.search", { tags: ["c", "git"] }, () => ({
    body: { items: [of(1, "c", "git")], has_more: false },
  }));
  expect(alone.asked).toMatchObject([{ path: "/questions", query: { tagged: "c;git" } }]);
  expect(alone.played).toMatchObject({ records: 1 });
});

test("a list ends at the last page that the source shows without a user's token", async () => {
  const { asked } = await ask(
    "questions.users.search",
    { query: "a", limit: 100 },
    ({ query }) => ({
      body: {
        items: [{ user_id: Number(query?.page), display_name: "a", reputation: 1 }],
        has_more: true,
      },
    }),
  );
  expect(asked.map(({ query }) => query?.page)).toHaveLength(25);
});

test("the id of every author is taken, that of the site's own account is -1", async () => {
  const owner = { user_id: -1, display_name: "Community" };
  const author = question({ question_id: 4, title: "What?", owner }).author;
  expect(author).toMatchObject({ id: "-1" });
  const body = { items: [owner] };
  const { asked } = await ask("questions.users.get", { id: author?.id }, () => ({ body }));
  expect(asked.map(({ path }) => path)).toEqual(["/users/-1"]);
  for (const id of ["--1", "-", "1-", "-2"])
    expect(issues("questions.users.get", { id }), id).toEqual(["id"]);
  expect(issues("questions.get", { id: "-1" })).toEqual(["id"]);
});
