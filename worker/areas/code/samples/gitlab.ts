import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { vary } from "../../../sandbox/vary.ts";
import { content, day, faults, listed, sha, word } from "./rows.ts";

/** Sample answers of GitLab, written for this project. */

const site = "https://gitlab.example";
/** A moment with a fraction and an offset, as GitLab writes some. */
const moment = (...seed: (string | number)[]) => day(...seed).replace("Z", ".250+02:00");

function project(path: string) {
  const v = vary("gitlab", path);
  const name = path.slice(path.lastIndexOf("/") + 1);
  return {
    id: v.int("id", 1000, 900_000),
    description: `Parses ${word(path)}`,
    name,
    name_with_namespace: path.replaceAll("/", " / "),
    path: name,
    path_with_namespace: path,
    created_at: day(path),
    default_branch: "main",
    topics: [word(path, "topic")],
    web_url: `${site}/${path}`,
    readme_url: `${site}/${path}/-/blob/main/docs/README.md`,
    avatar_url: `${site}/${name}.png`,
    forks_count: v.int("forks", 1, 90),
    star_count: v.int("stars", 1, 900),
    last_activity_at: moment(path, "activity"),
    namespace: { kind: "group", full_path: path.slice(0, path.lastIndexOf("/")) },
    archived: true,
    open_issues_count: v.int("issues", 1, 90),
    forked_from_project: { path_with_namespace: `origin/${name}` },
  };
}

function release(path: string, index: number) {
  const tag = `v2.${200 - index}.0`;
  return {
    tag_name: tag,
    name: `${word(path, index)} ${tag}`,
    description: `## ${word(path, index, "change")}`,
    created_at: moment(path, index),
    released_at: moment(path, index, "released"),
    upcoming_release: true,
    author: { username: "sample", name: "Sample" },
    assets: {
      count: 2,
      sources: [{ format: "zip", url: `${site}/${path}/-/archive/${tag}.zip` }],
      links: [
        {
          name: `kit-${tag}.bin`,
          url: `${site}/files/${tag}`,
          direct_asset_url: `${site}/${path}/-/releases/${tag}/downloads/kit`,
          link_type: "other",
        },
      ],
    },
    _links: { self: `${site}/${path}/-/releases/${tag}` },
  };
}

function issue(path: string, iid: number) {
  const v = vary("gitlab issue", path, iid);
  return {
    id: 70_000 + iid,
    iid,
    title: `${word(path, iid)} needs ${word(iid)}`,
    description: `As in ${word(iid, path)}.`,
    state: "closed",
    author: { username: v.pick("user", ["sam", "kim"]), name: "Sample" },
    labels: [v.pick("label", ["bug", "feature"])],
    assignees: [{ username: "kim" }],
    milestone: { title: `${v.int("milestone", 1, 9)}.1` },
    user_notes_count: v.int("notes", 1, 30),
    created_at: moment(path, iid),
    updated_at: moment(path, iid, "updated"),
    closed_at: moment(path, iid, "closed"),
    web_url: `${site}/${path}/-/issues/${iid}`,
  };
}

const folderOf = ({ query = {} }: SampleRequest) =>
  query.path === undefined ? "" : `${String(query.path)}/`;

export const gitlab: Samples = {
  upstream: "gitlab",
  answers: {
    "GET /projects/{path}": ({ parts }) => ({
      ...project(parts.path as string),
      license: { key: "mit", name: "MIT License" },
    }),
    "GET /projects/{path}/releases": (request) =>
      listed(request, (index) => release(request.parts.path as string, index)),
    "GET /projects/{path}/repository/tree": (request) =>
      listed(request, (index) => {
        const path = `${folderOf(request)}${word(index)}-${index}`;
        const isFolder = index % 5 === 4;
        return {
          id: sha(path),
          name: path.slice(path.lastIndexOf("/") + 1),
          type: isFolder ? "tree" : "blob",
          path,
          mode: isFolder ? "040000" : index % 5 === 3 ? "120000" : "100644",
        };
      }),
    "GET /projects/{path}/repository/files/{file}": ({ parts, query }) => {
      const path = parts.file as string;
      return {
        file_name: path.slice(path.lastIndexOf("/") + 1),
        file_path: path,
        size: 40,
        encoding: "base64",
        content: content(path),
        ref: query?.ref,
        blob_id: sha(path),
      };
    },
    "GET /projects/{path}/issues": (request) =>
      listed(request, (index) => issue(request.parts.path as string, 400 - index)),
    "GET /projects/{path}/issues/{number}": ({ parts }) =>
      issue(parts.path as string, Number(parts.number)),
    "GET /projects/{path}/repository/contributors": (request) =>
      listed(request, (index) => ({
        name: `${word(index)} ${word(index, 2)} ${index}`,
        email: `${index}@mail.example`,
        commits: 900 - index,
        additions: 0,
        deletions: 0,
      })),
    "GET /projects/{path}/languages": ({ empty }) => (empty ? {} : { Ruby: 66.69, Go: 33.31 }),
    "GET /users": ({ query = {} }) => [
      {
        id: vary("gitlab user", String(query.username)).int("id", 1, 9000),
        username: query.username,
        name: `${word(String(query.username))} Sample`,
        state: "active",
        avatar_url: `${site}/${String(query.username)}.png`,
        web_url: `${site}/${String(query.username)}`,
      },
    ],
    "GET /users/{name}/projects": (request) =>
      listed(request, (index) => project(`${request.parts.name}/kit-${index}`)),
    "GET /groups/{path}": ({ parts }) => {
      const path = parts.path as string;
      return {
        id: vary("gitlab group", path).int("id", 1, 9000),
        name: `${word(path)} group`,
        path: path.slice(path.lastIndexOf("/") + 1),
        full_path: path,
        description: `Makes ${word(path, 2)}`,
        visibility: "public",
        avatar_url: `${site}/${path}.png`,
        web_url: `${site}/groups/${path}`,
        created_at: day(path),
      };
    },
  },
  faults,
};

export const gitlabSearch: Samples = {
  upstream: "gitlab-search",
  answers: {
    "GET /projects": (request) =>
      listed(request, (index) =>
        project(`${word(String(request.query?.search), index)}/kit-${index}`),
      ),
  },
  faults,
};
