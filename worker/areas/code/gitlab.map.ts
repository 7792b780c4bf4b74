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
import {
  type Wire,
  array,
  at,
  count,
  defined,
  each,
  integer,
  need,
  number,
  object,
  text,
} from "#wire";
import { escapedPath, unescaped } from "../../mapping/path.map.ts";
import { largestFirst } from "./github.map.ts";
import { fileOf, moment, nameIn, ownerIn, stateOf } from "./values.map.ts";

/** Answers of GitLab. */

const host = "gitlab" as const;

export function project(row: Wire): CodeRepository {
  const path = need(text(row.path_with_namespace), "project.path_with_namespace");
  return defined({
    host,
    repository: path,
    name: nameIn(path),
    owner: ownerIn(path),
    description: text(row.description),
    repository_url: text(row.web_url) ?? `https://gitlab.com/${path}`,
    avatar_url: text(row.avatar_url),
    default_branch: text(row.default_branch),
    // Older versions call them tags.
    topics: each(array(row.topics) ?? row.tag_list, text),
    license: text(at(row, "license", "name")),
    star_count: count(row.star_count),
    fork_count: count(row.forks_count),
    open_issue_count: count(row.open_issues_count),
    is_fork: object(row.forked_from_project) !== undefined,
    is_archived: row.archived === true,
    parent: text(at(row, "forked_from_project", "path_with_namespace")),
    created_at: moment(row.created_at),
    updated_at: moment(row.last_activity_at),
  });
}

/** An upcoming release has its day still ahead. */
export function release(row: Wire): CodeRelease {
  return defined({
    tag: need(text(row.tag_name), "release.tag_name"),
    name: text(row.name),
    text: text(row.description),
    is_prerelease: row.upcoming_release === true,
    author: text(at(row, "author", "username")),
    created_at: moment(row.created_at),
    published_at: moment(row.released_at),
    url: text(at(row, "_links", "self")),
    assets: each(at(row, "assets", "links"), (link) => {
      const name = text(at(link, "name"));
      const url = text(at(link, "direct_asset_url")) ?? text(at(link, "url"));
      return name === undefined || url === undefined ? undefined : { name, url };
    }),
  });
}

const kinds: ReadonlyMap<string, CodeEntry["type"]> = new Map([
  ["blob", "file"],
  ["tree", "directory"],
  ["commit", "submodule"],
]);

export function entry(row: Wire): CodeEntry {
  const path = need(text(row.path), "entry.path");
  const type = need(kinds.get(text(row.type) ?? ""), "entry.type");
  return defined({
    path,
    name: nameIn(path),
    // Git writes a symbolic link as a file of this mode.
    type: row.mode === "120000" ? "symlink" : type,
    sha: text(row.id),
  });
}

export function file(repository: string, body: unknown): CodeFile {
  const row = need(object(body), "file");
  const path = need(text(row.file_path), "file.file_path");
  const ref = text(row.ref) ?? "HEAD";
  return fileOf({
    host,
    repository,
    path,
    size: row.size,
    sha: row.blob_id,
    content: row.content,
    url: `https://gitlab.com/${repository}/-/blob/${escapedPath(ref)}/${escapedPath(path)}`,
  });
}

export function issue(row: Wire): CodeIssue {
  return defined({
    number: need(integer(row.iid), "issue.iid"),
    title: need(text(row.title), "issue.title"),
    text: text(row.description),
    state: stateOf(row.state),
    author: text(at(row, "author", "username")),
    labels: each(row.labels, text),
    assignees: each(row.assignees, (user) => text(at(user, "username"))),
    milestone: text(at(row, "milestone", "title")),
    comment_count: count(row.user_notes_count),
    created_at: moment(row.created_at),
    updated_at: moment(row.updated_at),
    closed_at: moment(row.closed_at),
    url: need(text(row.web_url), "issue.web_url"),
  });
}

export function user(row: Wire): CodeUser {
  const username = need(text(row.username), "user.username");
  return defined({
    host,
    username,
    display_name: text(row.name),
    avatar_url: text(row.avatar_url),
    url: text(row.web_url) ?? `https://gitlab.com/${username}`,
  });
}

export function group(row: Wire): CodeOrganization {
  const username = need(text(row.full_path), "group.full_path");
  return defined({
    host,
    username,
    display_name: text(row.name),
    description: text(row.description),
    avatar_url: text(row.avatar_url),
    created_at: moment(row.created_at),
    url: text(row.web_url) ?? `https://gitlab.com/${username}`,
  });
}

/** GitLab counts commits by name and address of mail, and knows no accounts here. */
export function contributor(row: Wire): CodeContributor {
  return defined({
    display_name: text(row.name),
    commit_count: need(count(row.commits), "contributor.commits"),
  });
}

/** Percent by language. */
export function languages(repository: string, body: unknown): CodeLanguages {
  const shares = Object.entries(need(object(body), "languages")).flatMap(([name, value]) => {
    const percent = number(value);
    return percent === undefined ? [] : [{ name, percent }];
  });
  return { host, repository, languages: largestFirst(shares) };
}

/** Branch and path in the address of a project's README; the branch may have slashes, so it is given. */
export function readmePath(row: Wire): { ref: string; path: string } | undefined {
  const ref = text(row.default_branch);
  const mark = ref === undefined ? undefined : `/-/blob/${ref}/`;
  const url = text(row.readme_url);
  const from = mark === undefined ? -1 : (url?.indexOf(mark) ?? -1);
  if (ref === undefined || mark === undefined || url === undefined || from < 0) return undefined;
  return { ref, path: unescaped(url.slice(from + mark.length)) };
}
