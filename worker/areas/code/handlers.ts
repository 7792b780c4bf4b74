import type { code } from "../../../contract/areas/code/index.ts";
import type { CodeHost } from "../../../contract/areas/code/hosts.ts";
import type { CodeRepository } from "../../../contract/areas/code/records.ts";
import type { Call, Connector } from "../../connector.ts";
import { nextParameter } from "../../mapping/link-header.ts";
import { listed, type Page } from "../../mapping/list.ts";
import { escapedPath } from "../../mapping/path.map.ts";
import { codeberg, githubSearch, gitlabSearch } from "../../upstreams/code-hosts/client.ts";
import { type Wire, array, at, count, each, found, need, object, rows, text } from "#wire";
import { type At, get, getReply, type Query, repositoryAt, upstreamOf } from "./calls.ts";
import * as githubMap from "./github.map.ts";
import * as gitlabMap from "./gitlab.map.ts";
import { nameIn } from "./values.map.ts";

export default {
  "code.repositories.get": async (input, call) => {
    const query = input.host === "gitlab" ? { license: true } : {};
    const body = await get(call, repositoryAt(input), query);
    return { data: repositoryOf(input.host, need(object(body), "repository")) };
  },
  "code.repositories.search": async (input, call) =>
    pages(call, input, (page) => searchPage(call, input, page), byRepository),
  "code.releases": async (input, call) =>
    pages(
      call,
      input,
      (page) =>
        pageOf(call, repositoryAt(input, "/releases"), page, {}, (row) =>
          input.host === "gitlab" ? gitlabMap.release(row) : githubMap.release(input.host, row),
        ),
      (row) => row.tag,
    ),
  "code.contents": async (input, call) =>
    pages(
      call,
      input,
      (page) => contentsPage(call, input, page),
      (row) => row.path,
    ),
  "code.file": async (input, call) => ({ data: await fileAt(call, input, input.path, input.ref) }),
  "code.readme": async (input, call) => ({ data: await readme(call, input) }),
  "code.issues.list": async (input, call) => {
    const { host, state, label: labels } = input;
    const query =
      host === "gitlab"
        ? { state: gitlabStates[state], labels, order_by: "created_at", sort: "desc" }
        : { state, labels, ...(host === "codeberg" ? { type: "issues" } : {}) };
    const read = host === "gitlab" ? gitlabMap.issue : githubMap.issue;
    return listed(call, {
      limit: input.limit,
      key: (row) => String(row.number),
      async fetch(position) {
        const place = text(position) ?? count(position) ?? 1;
        return {
          ...(await pageOf(call, repositoryAt(input, "/issues"), place, query, read)),
          // A full page of GitHub's may hold pull requests only, and many such pages may follow each other.
          advances: true,
        };
      },
    });
  },
  "code.issues.get": async (input, call) => {
    const row = need(
      object(await get(call, repositoryAt(input, `/issues/${input.number}`))),
      "issue",
    );
    const issue = input.host === "gitlab" ? gitlabMap.issue(row) : githubMap.issue(row);
    return { data: found(issue, "issue") };
  },
  "code.users.get": async ({ host, username }, call) => {
    if (host !== "gitlab") {
      const body = await get(call, [upstreamOf[host], `/users/${encodeURIComponent(username)}`]);
      return { data: githubMap.user(host, need(object(body), "user")) };
    }
    const list = await get(call, [upstreamOf.gitlab, "/users"], { username });
    const row = found(object(need(array(list), "users")[0]), "user");
    return { data: gitlabMap.user(row) };
  },
  "code.users.repositories": async (input, call) => {
    const { host, username } = input;
    const name = encodeURIComponent(username);
    const path = host === "gitlab" ? `/users/${name}/projects` : `/users/${name}/repos`;
    return pages(
      call,
      input,
      (page) => pageOf(call, [upstreamOf[host], path], page, {}, (row) => repositoryOf(host, row)),
      byRepository,
    );
  },
  "code.organizations.get": async ({ host, organization }, call) => {
    if (host !== "gitlab") {
      const body = await get(call, [upstreamOf[host], `/orgs/${escapedPath(organization)}`]);
      return { data: githubMap.organization(host, need(object(body), "organization")) };
    }
    const path = `/groups/${encodeURIComponent(organization)}`;
    const body = await get(call, [upstreamOf.gitlab, path], { with_projects: false });
    return { data: gitlabMap.group(need(object(body), "group")) };
  },
  "code.contributors": async (input, call) => {
    const isGitlab = input.host === "gitlab";
    const below = isGitlab ? "/repository/contributors" : "/contributors";
    const query = isGitlab ? { order_by: "commits", sort: "desc" } : {};
    const read = isGitlab ? gitlabMap.contributor : githubMap.contributor;
    return pages(call, input, (page) =>
      pageOf(call, repositoryAt(input, below), page, query, read),
    );
  },
  "code.languages": async (input, call) => {
    const { host, repository } = input;
    const body = await get(call, repositoryAt(input, "/languages"));
    const data =
      host === "gitlab"
        ? gitlabMap.languages(repository, body)
        : githubMap.languages(host, repository, body);
    return { data };
  },
} satisfies Connector<typeof code>;

const gitlabStates = { open: "opened", closed: "closed", all: "all" } as const;

const byRepository = (row: CodeRepository) => row.repository.toLowerCase();

const repositoryOf = (host: CodeHost, row: Wire): CodeRepository =>
  host === "gitlab" ? gitlabMap.project(row) : githubMap.repository(host, row);

/** Most rows of one request. */
const rowsOf = (upstream: At[0]): number => (upstream === codeberg ? 50 : 100);
/** GitHub and GitLab show no more rows of a search. */
const mostFound = { github: 1000, gitlab: 50_000 };

/** A list whose position is the number of its page, from 1. */
const pages = <Row>(
  call: Call,
  { limit }: { limit: number },
  fetch: (page: number) => Promise<Page<Row>>,
  key?: (row: Row) => string,
) => listed(call, { limit, key, fetch: (position) => fetch(count(position) ?? 1) });

/**
 * One page, by its number or by GitHub's mark of it: GitHub refuses high numbers of pages of issues. A short
 * page is the last one: the hosts state the end in headers only.
 */
async function pageOf<Row>(
  call: Call,
  where: At,
  place: number | string,
  query: Query,
  read: (row: Wire) => Row | undefined,
  list: (body: unknown) => unknown = (body) => body,
): Promise<Page<Row>> {
  const most = rowsOf(where[0]);
  const size = where[0] === codeberg ? { limit: most } : { per_page: most };
  const by = typeof place === "string" ? { after: place } : { page: place };
  const reply = await getReply(call, where, { ...query, ...size, ...by });
  const body = list(reply.body);
  const isLast = (array(body)?.length ?? 0) < most;
  const mark = nextParameter(reply.headers.link, "after");
  const next = mark ?? (typeof place === "string" ? undefined : place + 1);
  return { rows: rows(body, "list", read), next: isLast ? undefined : next };
}

interface Search {
  host: CodeHost;
  query: string;
  sort: "best" | "stars" | "updated";
}

async function searchPage(
  call: Call,
  { host, query, sort }: Search,
  page: number,
): Promise<Page<CodeRepository>> {
  const read = (row: Wire) => repositoryOf(host, row);
  if (host === "gitlab") {
    const order = { best: "similarity", stars: "star_count", updated: "last_activity_at" } as const;
    const more = { search: query, order_by: order[sort], sort: "desc", visibility: "public" };
    const found = await pageOf(call, [gitlabSearch, "/projects"], page, more, read);
    return page * rowsOf(gitlabSearch) < mostFound.gitlab ? found : { rows: found.rows };
  }
  const order = sort === "best" ? {} : { sort, order: "desc" };
  if (host === "codeberg") {
    const inData = (body: unknown) => at(body, "data");
    const where: At = [codeberg, "/repos/search"];
    return pageOf(call, where, page, { q: query, ...order }, read, inData);
  }
  const where: At = [githubSearch, "/search/repositories"];
  const inItems = (body: unknown) => at(body, "items");
  const found = await pageOf(call, where, page, { q: query, ...order }, read, inItems);
  return page * rowsOf(githubSearch) < mostFound.github ? found : { rows: found.rows };
}

type Directory = {
  host: CodeHost;
  repository: string;
  path?: string | undefined;
  ref?: string | undefined;
};

/** GitHub and Codeberg send a directory whole, and a file as itself. */
async function contentsPage(call: Call, input: Directory, page: number) {
  const { host, path, ref } = input;
  if (host === "gitlab") {
    const where = repositoryAt(input, "/repository/tree");
    return pageOf(call, where, page, { path, ref }, gitlabMap.entry);
  }
  const below = path === undefined ? "/contents" : `/contents/${escapedPath(path)}`;
  const body = await get(call, repositoryAt(input, below), { ref });
  return { rows: rows(object(body) ? [body] : body, "entries", githubMap.entry), next: null };
}

async function fileAt(
  call: Call,
  input: { host: CodeHost; repository: string },
  path: string,
  ref: string | undefined,
) {
  const { host, repository } = input;
  if (host === "gitlab") {
    const where = repositoryAt(input, `/repository/files/${encodeURIComponent(path)}`);
    return gitlabMap.file(repository, await get(call, where, { ref: ref ?? "HEAD" }));
  }
  const body = await get(call, repositoryAt(input, `/contents/${escapedPath(path)}`), { ref });
  // A list is a directory, and a submodule the commit of another repository.
  const isFile = at(body, "type") !== "submodule";
  return githubMap.file(host, repository, found(isFile ? object(body) : undefined, "file"));
}

/** GitHub finds the README itself, GitLab names its address, and of Codeberg's files one is called so. */
async function readme(call: Call, input: { host: CodeHost; repository: string }) {
  const { host, repository } = input;
  if (host === "github") {
    return githubMap.file(host, repository, await get(call, repositoryAt(input, "/readme")));
  }
  if (host === "gitlab") {
    const project = need(object(await get(call, repositoryAt(input))), "project");
    const { ref, path } = found(gitlabMap.readmePath(project), "README");
    return fileAt(call, input, path, ref);
  }
  const list = await get(call, repositoryAt(input, "/contents"));
  const names = each(need(array(list), "entries"), (entry) =>
    at(entry, "type") === "file" ? text(at(entry, "path")) : undefined,
  );
  const isReadme = (path: string) => /^readme(\.[a-z]+)*$/i.test(nameIn(path));
  const path = names.find((name) => /^readme\.md$/i.test(name)) ?? names.find(isReadme);
  return fileAt(call, input, found(path, "README"), undefined);
}
