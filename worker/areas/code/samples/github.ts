import type { Sample, Samples } from "../../../sandbox/sample.ts";
import { vary } from "../../../sandbox/vary.ts";
import { content, day, faults, listed, sha, word } from "./rows.ts";

/** Sample answers of GitHub, written for this project. */

const site = "https://github.example";

function repository(path: string) {
  const v = vary("github", path);
  const [owner = "", name = ""] = path.split("/");
  return {
    id: v.int("id", 100_000, 900_000),
    name,
    full_name: path,
    private: false,
    owner: { login: owner, avatar_url: `${site}/${owner}.png`, type: "User" },
    html_url: `${site}/${path}`,
    description: `Formats ${word(path)}`,
    fork: true,
    homepage: `https://${name}.example`,
    default_branch: "main",
    language: v.pick("language", ["TypeScript", "Go", "Python"]),
    topics: [word(path, "topic"), "sample"],
    license: { key: "mit", name: "MIT License", spdx_id: "MIT" },
    stargazers_count: v.int("stars", 1, 9000),
    watchers_count: v.int("stars", 1, 9000),
    forks_count: v.int("forks", 1, 900),
    open_issues_count: v.int("issues", 1, 300),
    archived: true,
    created_at: day(path, "created"),
    updated_at: day(path, "updated"),
    pushed_at: day(path, "pushed"),
  };
}

function release(path: string, index: number) {
  const v = vary("github release", path, index);
  const tag = `v3.${200 - index}.0`;
  return {
    id: v.int("id", 1000, 900_000),
    tag_name: tag,
    name: `${word(path, index)} ${tag}`,
    body: `## Changes\n\n- ${word(path, index, "change")}\n`,
    draft: false,
    prerelease: true,
    author: { login: "sample", type: "User" },
    created_at: day(path, index),
    published_at: day(path, index, "published"),
    html_url: `${site}/${path}/releases/tag/${tag}`,
    assets: [
      {
        name: `kit-${tag}.tar.gz`,
        content_type: "application/gzip",
        size: v.int("size", 1000, 900_000),
        download_count: v.int("downloads", 1, 90_000),
        browser_download_url: `${site}/${path}/releases/download/${tag}/kit.tar.gz`,
      },
    ],
  };
}

const entry = (path: string, type: "file" | "dir") => ({
  name: path.slice(path.lastIndexOf("/") + 1),
  path,
  sha: sha(path),
  size: type === "dir" ? 0 : vary("github size", path).int("size", 10, 9000),
  type,
  html_url: `${site}/sample/kit/${type === "dir" ? "tree" : "blob"}/main/${path}`,
  download_url: null,
});

const file = (path: string) => ({
  ...entry(path, "file"),
  encoding: "base64",
  content: content(path, true),
});

const directory =
  (folder: string): Sample =>
  (request) =>
    listed(request, (index) =>
      entry(`${folder}${word(folder, index)}-${index}`, index % 5 === 4 ? "dir" : "file"),
    );

const contents: Sample = (request) => {
  const { folder = "", below } = request.parts;
  if (below !== undefined) return file(`${folder}/${below}`);
  return folder.includes(".") ? file(folder) : directory(`${folder}/`)(request);
};

function issue(path: string, number: number) {
  const v = vary("github issue", path, number);
  return {
    number,
    title: `${word(path, number)} is ${word(number)}`,
    body: `Seen with ${word(number, path)}.`,
    state: "closed",
    user: { login: v.pick("user", ["sam", "kim", "alex"]), type: "User" },
    labels: [{ name: v.pick("label", ["bug", "help wanted"]), color: "ffffff" }],
    assignees: [{ login: "kim" }],
    milestone: { title: `${v.int("milestone", 1, 9)}.0`, number: 1 },
    comments: v.int("comments", 1, 40),
    created_at: day(path, number),
    updated_at: day(path, number, "updated"),
    closed_at: day(path, number, "closed"),
    html_url: `${site}/${path}/issues/${number}`,
  };
}

function account(login: string, type: "User" | "Organization") {
  const v = vary("github account", login);
  return {
    login,
    type,
    name: `${word(login)} ${word(login, 2)}`,
    company: `${word(login, 3)} Ltd`,
    blog: `${login}.example`,
    location: v.pick("location", ["Bremen", "Lyon", "Osaka"]),
    ...(type === "User"
      ? { bio: `Writes about ${word(login, 4)}` }
      : { description: `Makes ${word(login, 4)}` }),
    public_repos: v.int("repositories", 1, 90),
    followers: v.int("followers", 1, 9000),
    following: v.int("following", 1, 90),
    avatar_url: `${site}/${login}.png`,
    html_url: `${site}/${login}`,
    created_at: day(login),
    updated_at: day(login, "updated"),
  };
}

const named = ({ owner, name }: Record<string, string>) => `${owner}/${name}`;

export const github: Samples = {
  upstream: "github",
  answers: {
    "GET /repos/{owner}/{name}": ({ parts }) => ({
      ...repository(named(parts)),
      subscribers_count: vary("github", named(parts)).int("subscribers", 1, 300),
      parent: { full_name: `origin/${parts.name}` },
    }),
    "GET /repos/{owner}/{name}/releases": (request) =>
      listed(request, (index) => release(named(request.parts), index)),
    "GET /repos/{owner}/{name}/contents": directory(""),
    "GET /repos/{owner}/{name}/contents/{folder}": contents,
    "GET /repos/{owner}/{name}/contents/{folder}/{below}": contents,
    "GET /repos/{owner}/{name}/readme": () => file("README.md"),
    "GET /repos/{owner}/{name}/issues": (request) =>
      listed(request, (index) => issue(named(request.parts), 400 - index)),
    "GET /repos/{owner}/{name}/issues/{number}": ({ parts }) =>
      issue(named(parts), Number(parts.number)),
    "GET /repos/{owner}/{name}/contributors": (request) =>
      listed(request, (index) => ({
        login: `${word(named(request.parts), index)}-${index}`,
        avatar_url: `${site}/${index}.png`,
        html_url: `${site}/${index}`,
        type: "User",
        contributions: 900 - index,
      })),
    "GET /repos/{owner}/{name}/languages": ({ parts, empty }) => {
      const v = vary("github languages", named(parts));
      return empty
        ? {}
        : { TypeScript: v.int("first", 9000, 90_000), Shell: v.int("second", 100, 9000) };
    },
    "GET /users/{name}": ({ parts }) => account(parts.name as string, "User"),
    "GET /users/{owner}/repos": (request) =>
      listed(request, (index) => repository(`${request.parts.owner}/kit-${index}`)),
    "GET /orgs/{name}": ({ parts }) => account(parts.name as string, "Organization"),
  },
  faults,
};

export const githubSearch: Samples = {
  upstream: "github-search",
  answers: {
    "GET /search/repositories": (request) => {
      const items = listed(request, (index) =>
        repository(`${word(String(request.query?.q), index)}/kit-${index}`),
      );
      return { total_count: items.length, incomplete_results: false, items };
    },
  },
  faults,
};
