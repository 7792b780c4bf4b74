import { expect, test } from "vitest";
import * as githubMap from "../../../worker/areas/code/github.map.ts";
import * as gitlabMap from "../../../worker/areas/code/gitlab.map.ts";
import { moment, website } from "../../../worker/areas/code/values.map.ts";
import { codeberg, github, gitlab } from "../../../worker/upstreams/code-hosts/client.ts";
import { operations } from "../../../contract/index.ts";
import type { Outbound } from "../../../worker/run.ts";
import { play } from "../../operations/play.ts";
import { type Answer, ask } from "../answering.ts";
import { issues as refusedFields } from "../input.ts";

const issue = (number: number, more: object = {}) => ({
  number,
  title: `Issue ${number}`,
  html_url: `https://github.com/a/b/issues/${number}`,
  ...more,
});

test("code surprise 1: pull requests are no issues, and a page of them is no end", async () => {
  const pulls = Array.from({ length: 100 }, (_, index) => issue(index, { pull_request: {} }));
  const { played, asked } = await ask(
    "code.issues.list",
    { host: "github", repository: "a/b" },
    ({ query }) => ({ body: Number(query?.page) < 4 ? pulls : [issue(7)] }),
  );
  expect(played).toMatchObject({ ok: true, data: [{ number: 7 }] });
  expect(asked).toHaveLength(4);
  const busy = await ask("code.issues.list", { host: "github", repository: "a/b" }, () => ({
    body: pulls,
  }));
  expect(busy.played).toMatchObject({ ok: true, data: [], pagination: { has_more: true } });
  expect(busy.asked.length).toBeLessThan(20);
  const one = await ask(
    "code.issues.get",
    { host: "github", repository: "a/b", number: 3 },
    () => ({
      body: issue(3, { pull_request: {} }),
    }),
  );
  expect(one.played).toMatchObject({ ok: false, type: "not_found" });
});

test("code surprise 2: a renamed repository is followed at the same host", async () => {
  const moved = { status: 301, body: { url: "https://api.github.com/repositories/1000" } };
  const repository = { full_name: "a/new", html_url: "https://github.com/a/new" };
  const get = (answer: Answer, host = "github") =>
    ask("code.repositories.get", { host, repository: "a/old" }, answer);
  const followed = await get(({ path }) =>
    path.startsWith("/repositories/") ? { body: repository } : moved,
  );
  expect(followed.played).toMatchObject({ ok: true, data: { repository: "a/new" } });
  const location = "https://codeberg.org/api/v1/repos/a/new";
  const elsewhere = await get(
    ({ path }) =>
      path === "/repos/a/new"
        ? { body: repository }
        : { status: 307, headers: { location }, body: undefined },
    "codeberg",
  );
  expect(elsewhere.asked.map(({ path }) => path)).toEqual(["/repos/a/old", "/repos/a/new"]);
  const circle = await get(() => moved);
  expect(circle.played).toMatchObject({ ok: false, type: "not_found" });
  expect(circle.asked).toHaveLength(3);
});

test("code surprise 3: moments are UTC, and one that never was is absent", () => {
  expect(moment("0001-01-01T00:00:00Z")).toBeUndefined();
  expect(moment("2026-03-01T01:00:00.250+02:00")).toBe("2026-02-28T23:00:00.250Z");
  expect(moment("yesterday")).toBeUndefined();
});

test("code surprise 4: watchers are no stars", () => {
  const row = { full_name: "a/b", stargazers_count: 9, watchers_count: 9, subscribers_count: 2 };
  expect(githubMap.repository("github", row).watcher_count).toBe(2);
  const other = { full_name: "a/b", stars_count: 9, watchers_count: 3 };
  expect(githubMap.repository("codeberg", other)).toMatchObject({
    star_count: 9,
    watcher_count: 3,
  });
});

test("code surprise 5: large, empty and binary files", () => {
  const read = (more: object) =>
    githubMap.file("github", "a/b", { path: "docs/x.md", size: 5, ...more });
  expect(read({ content: "aGVs\nbG8=\n" })).toMatchObject({ text: "hello", is_binary: false });
  expect(read({ content: "" })).not.toHaveProperty("text");
  expect(read({ content: "", size: 0 })).toMatchObject({ text: "", is_binary: false });
  const binary = read({ content: Buffer.from([0, 1, 2]).toString("base64") });
  expect(binary).toMatchObject({ name: "x.md", is_binary: true });
  expect(binary).not.toHaveProperty("text");
  expect(read({ content: Buffer.from([0xff, 0xfe]).toString("base64") }).is_binary).toBe(true);
});

test("a submodule is no file", async () => {
  const submodule = { type: "submodule", path: "vendor/kit", size: 0, content: null };
  for (const host of ["github", "codeberg"]) {
    const input = { host, repository: "a/b", path: "vendor/kit" };
    const { played } = await ask("code.file", input, () => ({ body: submodule }));
    expect(played, host).toMatchObject({ ok: false, type: "not_found" });
  }
});

test("paths in GitLab's addresses are escaped, and a bare percent sign is read", () => {
  const file = gitlabMap.file("a/b", { file_path: "docs/a b#1.md", ref: "release/1", content: "" });
  expect(file.url).toBe("https://gitlab.com/a/b/-/blob/release/1/docs/a%20b%231.md");
  const readme_url = "https://gitlab.com/a/b/-/blob/main/README 100%.md";
  expect(gitlabMap.readmePath({ default_branch: "main", readme_url })).toEqual({
    ref: "main",
    path: "README 100%.md",
  });
});

test("code surprise 6: GitLab's users are a list, its contributors are names", async () => {
  const unknown = await ask("code.users.get", { host: "gitlab", username: "no" }, () => ({}));
  expect(unknown.played).toMatchObject({ ok: false, type: "not_found" });
  expect(gitlabMap.contributor({ name: "Sam", email: "sam@mail.example", commits: 4 })).toEqual({
    display_name: "Sam",
    commit_count: 4,
  });
});

test("GitLab's older versions call topics tags", () => {
  const row = { path_with_namespace: "a/b", tag_list: ["old"] };
  expect(gitlabMap.project(row).topics).toEqual(["old"]);
  expect(gitlabMap.project({ ...row, topics: ["new"] }).topics).toEqual(["new"]);
});

test("code surprise 7: GitLab's README is named by an address with its branch", () => {
  const row = {
    default_branch: "release/1.x",
    readme_url: "https://gitlab.com/a/b/-/blob/release/1.x/docs/READ%20ME.md",
  };
  expect(gitlabMap.readmePath(row)).toEqual({ ref: "release/1.x", path: "docs/READ ME.md" });
  expect(gitlabMap.readmePath({ default_branch: "main", readme_url: null })).toBeUndefined();
});

test("code surprise 8: home pages without a scheme", () => {
  expect(website("octocat.example")).toBe("https://octocat.example");
  expect(website("http://octocat.example")).toBe("http://octocat.example");
  expect(website("javascript:alert(1)")).toBeUndefined();
  expect(website(" ")).toBeUndefined();
});

test("Codeberg's README is found among the files, Markdown first", async () => {
  const file = (path: string) => ({ path, type: "file", name: path });
  const { played, asked } = await ask(
    "code.readme",
    { host: "codeberg", repository: "a/b" },
    ({ path }) =>
      path.endsWith("/contents")
        ? { body: [file("readme.txt"), file("LICENSE"), file("README.md")] }
        : { body: { ...file("README.md"), size: 2, content: "aGk=" } },
  );
  expect(asked.at(-1)?.path).toBe("/repos/a/b/contents/README.md");
  expect(played).toMatchObject({ ok: true, data: { text: "hi" } });
});

test("limits that are used up, refused tokens and members' pages", () => {
  const reply = (status: number, headers = {}, body: unknown = {}) => ({ status, headers, body });
  const used = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" };
  expect(github.judge(reply(403, used))).toMatchObject({ retryAfter: 1, retry: true });
  expect(github.judge(reply(429, { "retry-after": "60" }))).toMatchObject({ retryAfter: 60 });
  expect(github.judge(reply(403))).toMatchObject({ type: "upstream_error" });
  // The limit on bursts may come without a header.
  const burst = { message: "You have exceeded a secondary rate limit. Please wait a few minutes." };
  expect(github.judge(reply(403, {}, burst))).toMatchObject({ retryAfter: 60, retry: true });
  expect(github.judge(reply(401))).toMatchObject({ operator: "credential refused" });
  expect(github.judge(reply(422))).toMatchObject({ type: "validation_error" });
  expect(github.judge(reply(204))).toMatchObject({ type: "not_found" });
  expect(github.judge(reply(451))).toMatchObject({ type: "not_found" });
  expect(gitlab.judge(reply(403))).toMatchObject({ type: "upstream_error" });
  const invalid = reply(401, {}, { error: "invalid_token" });
  expect(gitlab.judge(invalid)).toMatchObject({ operator: "credential refused" });
  expect(codeberg.judge(reply(404))).toMatchObject({ type: "not_found" });
});

test("a token stands in the header that its host knows", async () => {
  const none = { get: async () => "" };
  expect(await github.authorize?.({ GITHUB_TOKEN: "t" }, none)).toMatchObject({
    authorization: "Bearer t",
  });
  expect(await github.authorize?.({}, none)).not.toHaveProperty("authorization");
  expect(await gitlab.authorize?.({ GITLAB_TOKEN: "t" }, none)).toEqual({ "private-token": "t" });
  expect(await codeberg.authorize?.({ CODEBERG_TOKEN: "t" }, none)).toEqual({
    authorization: "token t",
  });
});

test("names and paths that cannot be any are refused", () => {
  const refused = (input: object) => refusedFields("code.file", { path: "a", ...input });
  expect(refused({ host: "github", repository: "a/b/c" })).toEqual(["repository"]);
  expect(refused({ host: "gitlab", repository: "a/b/c" })).toEqual([]);
  for (const repository of ["a/.github", "a/-b", "a/b.js", "a_b/.b-c"])
    expect(refused({ host: "github", repository }), repository).toEqual([]);
  for (const repository of ["a/.", "a/..", "../b", "a/...", "/b", "a/b c"])
    expect(refused({ host: "github", repository }), repository).toEqual(["repository"]);
  const at = { host: "github", repository: "a/b" };
  for (const ref of ["@scope/kit@1.0.0", "release/1.x", "v1.0#2", "fonction-é", "a=b,c"])
    expect(refused({ ...at, ref }), ref).toEqual([]);
  for (const ref of [
    "",
    "-x",
    "a b",
    "a:b",
    "a~1",
    "a^",
    "a?",
    "a*",
    "a[",
    "a\\b",
    "a\tb",
    "x".repeat(256),
  ])
    expect(refused({ ...at, ref }), ref).toEqual(["ref"]);
  for (const path of ["../a", "a/../b", "/a", "a//b", "a/"]) {
    expect(refused({ host: "github", repository: "a/b", path }), path).toEqual(["path"]);
  }
  expect(refusedFields("code.contributors", { host: "codeberg", repository: "a/b" })).toEqual([
    "host",
  ]);
});

test("a program of GitHub is an account: its name ends in [bot]", async () => {
  const login = "dependabot[bot]";
  const listed = await ask("code.contributors", { host: "github", repository: "a/b" }, () => ({
    body: [{ login, contributions: 3, html_url: "https://github.com/apps/dependabot" }],
  }));
  expect(listed.played).toMatchObject({ ok: true, data: [{ username: login }] });
  const input = { host: "github", username: login };
  const { asked } = await ask("code.users.get", input, () => ({ body: { login } }));
  expect(asked.map(({ path }) => path)).toEqual(["/users/dependabot%5Bbot%5D"]);
  for (const username of ["[bot]", "a[bot", "a[bot]b", "a[x]", "a[bot][bot]"])
    expect(refusedFields("code.users.get", { ...input, username }), username).toEqual(["username"]);
});

test("code surprise 9: a search ends at the last row that its host shows", async () => {
  const operation = operations.get("code.repositories.search");
  if (!operation) throw new Error("no such operation");
  const row = { path_with_namespace: "a/b", full_name: "a/b" };
  const list = Array.from({ length: 100 }, (_, id) => ({ ...row, id }));
  for (const [host, page] of [
    ["github", 10],
    ["gitlab", 500],
  ] as const) {
    const asked: unknown[] = [];
    const outbound: Outbound = {
      fetchFor: () => fetch,
      async send(_upstream, { query }) {
        asked.push(query?.page);
        return { status: 200, headers: {}, body: host === "gitlab" ? list : { items: list } };
      },
    };
    const input = operation.input.parse({ host, query: "kit" }) as Record<string, unknown>;
    const last = await play(operation, input, { cursor: { u: page }, outbound });
    expect(last, host).toMatchObject({ ok: true, pagination: { has_more: false } });
    expect(asked).toEqual([page]);
  }
});

test("code surprise 10: GitHub's issues are followed by the mark of the next page", async () => {
  const pull = { pull_request: {} };
  const pageAt = (from: number) =>
    Array.from({ length: 100 }, (_, index) => issue(from + index, index < 40 ? {} : pull));
  const link = (mark: string) => ({
    link: `<https://api.github.com/repositories/1/issues?after=${mark}&per_page=100>; rel="next", <https://api.github.com/repositories/1/issues?before=x>; rel="prev"`,
  });
  const input = { host: "github", repository: "a/b", limit: 100 };
  const { played, asked } = await ask("code.issues.list", input, ({ query }) => {
    if (query?.page === 1) return { body: pageAt(1), headers: link("Y3Vy%3D") };
    if (query?.after === "Y3Vy=") return { body: pageAt(101), headers: link("7") };
    return { body: query?.after === "7" ? [issue(201)] : [] };
  });
  expect(played).toMatchObject({ ok: true, records: 81, pagination: { has_more: false } });
  expect(asked.map(({ query }) => query?.page)).toEqual([1, undefined, undefined]);
});
