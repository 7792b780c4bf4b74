import type { Sample, SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { more, thread } from "./comments.ts";
import {
  comment,
  community,
  indexOf,
  kindOf,
  nameOf,
  post,
  rule,
  shortId,
  trophy,
  user,
} from "./records.ts";
import { slice } from "../../../sandbox/vary.ts";

/** Entries of a sample list; a second page needs more than the largest `limit`. */
const entries = { default: 40, long: 260 };

type Thing = { kind: string; data: { name: string } };

function listing(children: unknown[], after: string | null = null) {
  return { kind: "Listing", data: { children, after, before: null, dist: children.length } };
}

/** Continues after `after`, a name that contains its position. `extra` precedes the first page. */
function listOf(
  make: (request: SampleRequest, index: number) => Thing,
  extra: (request: SampleRequest) => Thing[] = () => [],
): Sample {
  return (request) => {
    const { query, empty, secondPage } = request;
    const total = empty ? 0 : secondPage ? entries.long : entries.default;
    const after = query?.after;
    const offset = after === undefined ? 0 : indexOf(String(after)) + 1;
    const count = Number(query?.limit ?? 25);
    const page = slice({ total, offset, count }, (index) => make(request, index));
    const name = offset + page.length < total ? (page.at(-1)?.data.name ?? null) : null;
    return listing([...(offset === 0 && !empty ? extra(request) : []), ...page], name);
  };
}

const posts = (seed: (request: SampleRequest) => string) =>
  listOf((request, index) => {
    const subreddit = request.parts.name ?? nameOf("place", seed(request), index);
    const advert = index % 11 === 9 ? { promoted: true } : {};
    return post(shortId(seed(request), index), index, subreddit, advert);
  });

/** Two posts are pinned above the hottest ones, beyond the requested number. */
const hot = listOf(
  (request, index) => {
    const name = request.parts.name as string;
    return post(shortId(`hot ${name}`, index), index, name);
  },
  (request) =>
    [0, 1].map((index) => {
      const name = request.parts.name as string;
      return post(shortId(`pinned ${name}`, index), index + 3, name, { stickied: true });
    }),
);

const ask = (request: SampleRequest, name: string) => String(request.query?.[name] ?? "");
const ordered = (request: SampleRequest) => `${request.path} ${ask(request, "t")}`;
const searched = (request: SampleRequest) =>
  `${request.path} ${ask(request, "q")} ${ask(request, "sort")} ${ask(request, "t")}`;
const communities = (seed: (request: SampleRequest) => string) =>
  listOf((request, index) => {
    const id = shortId(seed(request), index);
    return community(nameOf("community", id), id, index);
  });

/** Ids that end in "0" are unknown. */
const info: Sample = (request) => {
  const ids = request.empty ? [] : ask(request, "id").split(",");
  const known = ids.filter((name) => !name.endsWith("0"));
  return listing(
    known.map((name) => post(name.slice(3), (kindOf(name) + 3) % 5, nameOf("place", name))),
  );
};

const sorted = ["new", "top", "rising", "controversial"];

/** Sample answers of Reddit, written for this project. */
export const reddit: Samples = {
  upstream: "reddit",
  answers: {
    "GET /user/{name}/about": ({ parts }) => ({ kind: "t2", data: user(parts.name as string) }),
    "GET /user/{name}/submitted": listOf((request, index) =>
      post(shortId(`${ordered(request)} ${ask(request, "sort")}`, index), index, nameOf(index), {
        author: request.parts.name,
      }),
    ),
    "GET /user/{name}/comments": listOf((request, index) => {
      const id = shortId(`${ordered(request)} ${ask(request, "sort")}`, index);
      const above = shortId(`above ${id}`, index);
      const data = comment(id, index, {
        author: request.parts.name,
        link_id: `t3_${above}`,
        parent_id: index % 2 === 0 ? `t3_${above}` : `t1_${above}`,
        link_title: `What of sample ${index + 1}?`,
        link_url: `https://www.reddit.com/comments/${above}/`,
      });
      return { kind: "t1", data };
    }),
    "GET /api/v1/user/{name}/trophies": ({ parts, empty }) => ({
      kind: "TrophyList",
      data: {
        trophies: Array.from({ length: empty ? 0 : 6 }, (_, index) =>
          trophy(parts.name as string, index),
        ),
      },
    }),
    "GET /subreddits/popular": communities(() => "popular"),
    "GET /subreddits/search": communities((request) => `search ${ask(request, "q")}`),
    "GET /r/{name}/about": ({ parts }) => {
      const name = parts.name as string;
      return community(name, shortId(name, 0), kindOf(name) % 7);
    },
    "GET /r/{name}/about/rules": ({ parts, empty }) => ({
      rules: Array.from({ length: empty ? 0 : 6 }, (_, index) => rule(parts.name as string, index)),
      site_rules: ["Spam"],
    }),
    "GET /r/popular/hot": posts(ordered),
    ...Object.fromEntries(sorted.map((sort) => [`GET /r/popular/${sort}`, posts(ordered)])),
    "GET /r/{name}/hot": hot,
    ...Object.fromEntries(sorted.map((sort) => [`GET /r/{name}/${sort}`, posts(ordered)])),
    "GET /r/{name}/search": posts(searched),
    "GET /search": posts(searched),
    "GET /api/info": info,
    "GET /comments/{id}": thread,
    "GET /api/morechildren": more,
  },
  faults: {
    not_found: { status: 404, body: { message: "Not Found", error: 404 } },
    upstream_error: { status: 400, body: { message: "Bad Request", error: 400 } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
