import type { Samples } from "../../../sandbox/sample.ts";
import { vary } from "../../../sandbox/vary.ts";
import { content, day, faults, listed, sha, word } from "./rows.ts";

/** Sample answers of Codeberg, written for this project. */

const site = "https://codeberg.example";
const moment = (...seed: (string | number)[]) => day(...seed).replace("Z", "+02:00");

function repository(path: string) {
  const v = vary("codeberg", path);
  const [owner = "", name = ""] = path.split("/");
  return {
    id: v.int("id", 1000, 90_000),
    owner: { login: owner, avatar_url: `${site}/${owner}.png` },
    name,
    full_name: path,
    description: `Draws ${word(path)}`,
    fork: true,
    parent: { full_name: `origin/${name}` },
    website: `https://${name}.example`,
    html_url: `${site}/${path}`,
    avatar_url: "",
    default_branch: "main",
    language: v.pick("language", ["Zig", "Lua"]),
    topics: [word(path, "topic")],
    stars_count: v.int("stars", 1, 900),
    forks_count: v.int("forks", 1, 90),
    watchers_count: v.int("watchers", 1, 90),
    open_issues_count: v.int("issues", 1, 90),
    archived: true,
    created_at: moment(path),
    updated_at: moment(path, "updated"),
  };
}

const entry = (path: string, type: "file" | "dir") => ({
  name: path.slice(path.lastIndexOf("/") + 1),
  path,
  sha: sha(path),
  type,
  size: type === "dir" ? 0 : 40,
  content: null,
  html_url: `${site}/sample/kit/src/branch/main/${path}`,
});

const file = (path: string) => ({
  ...entry(path, "file"),
  encoding: "base64",
  content: content(path),
});

function issue(path: string, number: number) {
  const v = vary("codeberg issue", path, number);
  return {
    number,
    title: `${word(path, number)} or ${word(number)}`,
    body: `See ${word(number, path)}.`,
    state: "closed",
    user: { login: v.pick("user", ["sam", "kim"]) },
    labels: [{ name: "bug" }],
    assignees: [{ login: "kim" }],
    milestone: { title: "1.2" },
    comments: v.int("comments", 1, 30),
    created_at: moment(path, number),
    updated_at: moment(path, number, "updated"),
    closed_at: moment(path, number, "closed"),
    html_url: `${site}/${path}/issues/${number}`,
    pull_request: null,
  };
}

const named = ({ owner, name }: Record<string, string>) => `${owner}/${name}`;

export const codeberg: Samples = {
  upstream: "codeberg",
  answers: {
    "GET /repos/search": (request) => ({
      ok: true,
      data: listed(request, (index) =>
        repository(`${word(String(request.query?.q), index)}/kit-${index}`),
      ),
    }),
    "GET /repos/{owner}/{name}": ({ parts }) => repository(named(parts)),
    "GET /repos/{owner}/{name}/releases": (request) =>
      listed(request, (index) => {
        const tag = `v1.${200 - index}.0`;
        return {
          tag_name: tag,
          name: `${word(index)} ${tag}`,
          body: `- ${word(index, 2)}`,
          prerelease: true,
          author: { login: "sample" },
          created_at: moment(index),
          published_at: moment(index, "published"),
          html_url: `${site}/${named(request.parts)}/releases/tag/${tag}`,
          assets: [
            {
              name: `kit-${tag}.zip`,
              size: 4000 + index,
              download_count: 70 + index,
              browser_download_url: `${site}/kit-${tag}.zip`,
            },
          ],
        };
      }),
    "GET /repos/{owner}/{name}/contents": (request) => [
      entry("README.md", "file"),
      ...listed(request, (index) => entry(`${word(index)}-${index}`, "file")),
    ],
    "GET /repos/{owner}/{name}/contents/{folder}": (request) => {
      const { folder = "" } = request.parts;
      if (folder.includes(".")) return file(folder);
      return listed(request, (index) => entry(`${folder}/${word(index)}-${index}`, "file"));
    },
    "GET /repos/{owner}/{name}/contents/{folder}/{below}": ({ parts }) =>
      file(`${parts.folder}/${parts.below}`),
    "GET /repos/{owner}/{name}/issues": (request) =>
      listed(request, (index) => issue(named(request.parts), 400 - index)),
    "GET /repos/{owner}/{name}/issues/{number}": ({ parts }) =>
      issue(named(parts), Number(parts.number)),
    "GET /repos/{owner}/{name}/languages": ({ parts, empty }) =>
      empty ? {} : { Zig: vary("codeberg", named(parts)).int("bytes", 900, 9000), Shell: 120 },
    "GET /users/{name}": ({ parts }) => {
      const name = parts.name as string;
      return {
        login: name,
        full_name: `${word(name)} Sample`,
        description: `Draws ${word(name, 2)}`,
        location: "Tampere",
        website: `https://${name}.example`,
        avatar_url: `${site}/${name}.png`,
        html_url: `${site}/${name}`,
        followers_count: vary("codeberg user", name).int("followers", 1, 90),
        following_count: vary("codeberg user", name).int("following", 1, 90),
        created: moment(name),
      };
    },
    "GET /users/{owner}/repos": (request) =>
      listed(request, (index) => repository(`${request.parts.owner}/kit-${index}`)),
    "GET /orgs/{name}": ({ parts }) => {
      const name = parts.name as string;
      return {
        name,
        username: name,
        full_name: `${word(name)} organization`,
        description: `Draws ${word(name, 2)}`,
        location: "Ghent",
        website: `https://${name}.example`,
        avatar_url: `${site}/${name}.png`,
      };
    },
  },
  faults,
};
