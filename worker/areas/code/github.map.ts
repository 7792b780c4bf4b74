import type { CodeHost } from "../../../contract/areas/code/hosts.ts";
import type {
  CodeContributor,
  CodeEntry,
  CodeFile,
  CodeIssue,
  CodeLanguages,
  CodeOrganization,
  CodeRelease,
  CodeRepository,
  CodeUser,
} from "../../../contract/areas/code/records.ts";
import { type Wire, at, count, defined, each, integer, need, object, text } from "#wire";
import { fileOf, moment, nameIn, ownerIn, stateOf, website } from "./values.map.ts";

/** Answers of GitHub, and of Codeberg's Forgejo, whose interface follows GitHub's. */

type Host = Exclude<CodeHost, "gitlab">;
type Read<T> = (host: Host, row: Wire) => T;

const pages = { github: "https://github.com", codeberg: "https://codeberg.org" } as const;

export const repository: Read<CodeRepository> = (host, row) => {
  const path = need(text(row.full_name), "repository.full_name");
  const license = text(at(row, "license", "spdx_id"));
  return defined({
    host,
    repository: path,
    name: nameIn(path),
    owner: ownerIn(path),
    description: text(row.description),
    homepage_url: website(row.homepage) ?? website(row.website),
    repository_url: text(row.html_url) ?? `${pages[host]}/${path}`,
    avatar_url: text(row.avatar_url) ?? text(at(row, "owner", "avatar_url")),
    default_branch: text(row.default_branch),
    language: text(row.language),
    topics: each(row.topics, text),
    license: license === "NOASSERTION" ? text(at(row, "license", "name")) : license,
    star_count: count(row.stargazers_count) ?? count(row.stars_count),
    fork_count: count(row.forks_count),
    // GitHub's watchers_count repeats the stars.
    watcher_count: host === "github" ? count(row.subscribers_count) : count(row.watchers_count),
    open_issue_count: count(row.open_issues_count),
    is_fork: row.fork === true,
    is_archived: row.archived === true,
    parent: text(at(row, "parent", "full_name")),
    created_at: moment(row.created_at),
    updated_at: moment(row.updated_at),
  });
};

export const release: Read<CodeRelease> = (_host, row) =>
  defined({
    tag: need(text(row.tag_name), "release.tag_name"),
    name: text(row.name),
    text: text(row.body),
    is_prerelease: row.prerelease === true,
    author: text(at(row, "author", "login")),
    created_at: moment(row.created_at),
    published_at: moment(row.published_at),
    url: text(row.html_url),
    assets: each(row.assets, (entry) => {
      const name = text(at(entry, "name"));
      const url = text(at(entry, "browser_download_url"));
      if (name === undefined || url === undefined) return undefined;
      return defined({
        name,
        url,
        content_type: text(at(entry, "content_type")),
        size: count(at(entry, "size")),
        download_count: count(at(entry, "download_count")),
      });
    }),
  });

const kinds: ReadonlyMap<string, CodeEntry["type"]> = new Map([
  ["file", "file"],
  ["dir", "directory"],
  ["symlink", "symlink"],
  ["submodule", "submodule"],
]);

export function entry(row: Wire): CodeEntry {
  const path = need(text(row.path), "entry.path");
  const type = need(kinds.get(text(row.type) ?? ""), "entry.type");
  return defined({
    path,
    name: nameIn(path),
    type,
    sha: text(row.sha),
    size: type === "file" ? count(row.size) : undefined,
    url: text(row.html_url),
  });
}

export function file(host: Host, repositoryName: string, body: unknown): CodeFile {
  const row = need(object(body), "file");
  return fileOf({
    host,
    repository: repositoryName,
    path: need(text(row.path), "file.path"),
    size: row.size,
    sha: row.sha,
    content: row.content,
    url: text(row.html_url),
  });
}

/** Undefined for a pull request, which both hosts list among the issues. */
export function issue(row: Wire): CodeIssue | undefined {
  if (object(row.pull_request)) return undefined;
  return defined({
    number: need(integer(row.number), "issue.number"),
    title: need(text(row.title), "issue.title"),
    text: text(row.body),
    state: stateOf(row.state),
    author: text(at(row, "user", "login")),
    labels: each(row.labels, (label) => text(at(label, "name"))),
    assignees: each(row.assignees, (user) => text(at(user, "login"))),
    milestone: text(at(row, "milestone", "title")),
    comment_count: count(row.comments),
    created_at: moment(row.created_at),
    updated_at: moment(row.updated_at),
    closed_at: moment(row.closed_at),
    url: need(text(row.html_url), "issue.html_url"),
  });
}

const types: ReadonlyMap<string, CodeUser["type"]> = new Map([
  ["User", "user"],
  ["Organization", "organization"],
  ["Bot", "bot"],
]);

const accountOf = (host: Host, row: Wire, username: string) => ({
  host,
  username,
  display_name: text(host === "github" ? row.name : row.full_name),
  description: text(row.bio) ?? text(row.description),
  location: text(row.location),
  website_url: website(row.blog) ?? website(row.website),
  avatar_url: text(row.avatar_url),
  repository_count: count(row.public_repos),
  follower_count: count(row.followers) ?? count(row.followers_count),
  created_at: moment(row.created_at) ?? moment(row.created),
  url: text(row.html_url) ?? `${pages[host]}/${username}`,
});

export const user: Read<CodeUser> = (host, row) =>
  defined({
    ...accountOf(host, row, need(text(row.login), "user.login")),
    type: types.get(text(row.type) ?? ""),
    company: text(row.company),
    following_count: count(row.following) ?? count(row.following_count),
  });

export const organization: Read<CodeOrganization> = (host, row) => {
  const given = text(row.login) ?? text(row.username) ?? text(row.name);
  return defined(accountOf(host, row, need(given, "organization.login")));
};

export function contributor(row: Wire): CodeContributor {
  return defined({
    username: text(row.login),
    // An author without an account has a name only.
    display_name: text(row.name),
    avatar_url: text(row.avatar_url),
    commit_count: need(count(row.contributions), "contributor.contributions"),
    url: text(row.html_url),
  });
}

/** Bytes by language. */
export function languages(host: Host, repositoryName: string, body: unknown): CodeLanguages {
  const sizes = Object.entries(need(object(body), "languages")).flatMap(([name, value]) => {
    const bytes = count(value);
    return bytes === undefined ? [] : [{ name, bytes }];
  });
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const shares = sizes.map(({ name, bytes }) => ({
    name,
    percent: total === 0 ? 0 : Math.round((bytes / total) * 10_000) / 100,
    bytes,
  }));
  return { host, repository: repositoryName, languages: largestFirst(shares) };
}

export const largestFirst = (shares: CodeLanguages["languages"]): CodeLanguages["languages"] =>
  shares.toSorted((one, other) => other.percent - one.percent);
