import { type forum, mostRules, mostTrophies } from "../../../contract/areas/forum/index.ts";
import { GatewayError } from "../../../contract/errors.ts";
import type { Json } from "../../../contract/json.ts";
import type { Answer, Call, Connector } from "../../connector.ts";
import { listedById, whole } from "../../mapping/list.ts";
import type { UpstreamRequest } from "../../transport/upstream.ts";
import { get, getMore } from "../../upstreams/reddit/client.ts";
import { ShapeError, type Wire, array, at, found, integer, need, object, rows, text } from "#wire";
import { type Branches, type Comment, flat, tree } from "./comment-tree.map.ts";
import { userComment } from "./comments.map.ts";
import { community, rule } from "./communities.map.ts";
import { isAdvert, post } from "./posts.map.ts";
import { trophy, user } from "./users.map.ts";

/** Most omitted comments that one call loads. */
const moreAtOnce = 100;
/** Most characters of omitted ids in a cursor, about 700 ids. */
const mostRestText = 5600;

export default {
  "forum.users.get": async (input, call) => ({
    data: user(dataOf(await get(call, `/user/${encodeURIComponent(input.username)}/about`))),
  }),
  "forum.users.posts": (input, call) => {
    const query = { sort: input.sort, t: spanOf(input) };
    return listing(
      call,
      input,
      `/user/${encodeURIComponent(input.username)}/submitted`,
      query,
      post,
    );
  },
  "forum.users.comments": (input, call) => {
    const path = `/user/${encodeURIComponent(input.username)}/comments`;
    return listing(call, input, path, { sort: input.sort, t: spanOf(input) }, userComment);
  },
  "forum.users.trophies": async (input, call) => {
    const body = await get(call, `/api/v1/user/${encodeURIComponent(input.username)}/trophies`);
    const all = rows(at(body, "data", "trophies"), "data.trophies", trophy);
    return whole(call, all.slice(0, mostTrophies));
  },
  "forum.communities.popular": (input, call) =>
    listing(call, input, "/subreddits/popular", {}, community),
  "forum.communities.get": async (input, call) => ({
    data: community(dataOf(await get(call, `${communityPath(input)}/about`))),
  }),
  "forum.communities.posts": (input, call) =>
    listing(call, input, `${communityPath(input)}/${input.sort}`, { t: spanOf(input) }, post),
  "forum.communities.rules": async (input, call) => {
    const body = await get(call, `${communityPath(input)}/about/rules`);
    return whole(call, rows(at(body, "rules"), "rules", rule).slice(0, mostRules));
  },
  "forum.communities.search": (input, call) => {
    const query = { ...searching(input), restrict_sr: true };
    return listing(call, input, `${communityPath(input)}/search`, query, post);
  },
  "forum.feed.popular": (input, call) =>
    listing(call, input, `/r/popular/${input.sort}`, { t: spanOf(input) }, post),
  "forum.posts.batch": async (input, call) => {
    const ids = [...new Set(input.ids)];
    const body = await get(call, "/api/info", { id: ids.join(",") });
    const known = rows(childrenOf(body), "data.children", (child) =>
      at(child, "kind") === "t3" ? post(childData(child)) : undefined,
    );
    const byId = new Map(known.map((record) => [record.id, record]));
    return whole(
      call,
      ids.map((id) => byId.get(id)).filter((record) => record !== undefined),
    );
  },
  "forum.posts.get": async (input, call) => {
    const children = childrenOf(await get(call, "/api/info", { id: input.post_id }));
    return { data: post(childData(found(children[0], "post"))) };
  },
  "forum.posts.comments": (input, call) =>
    comments(call, input, { depth: input.depth }, (children) => tree(children, "1.data.children")),
  "forum.comments.replies": (input, call) => {
    // The comment itself counts as one level.
    const query = { comment: input.comment_id.slice(3), depth: input.depth + 1 };
    return comments(call, input, query, (children) => {
      const [top] = need(array(children), "1.data.children");
      if (top === undefined) return { comments: [], rest: [] };
      const row = need(object(at(top, "data")), "1.data.children[].data");
      const name = need(text(row.name), "1.data.children[].data.name");
      // A comment that the upstream does not know is answered with the whole thread.
      found(name === input.comment_id ? name : undefined, "comment");
      const path = "replies.data.children";
      return tree(at(row, "replies", "data", "children") ?? [], path, 1);
    });
  },
  "forum.search": (input, call) => listing(call, input, "/search", searching(input), post),
  "forum.search.communities": (input, call) =>
    listing(call, input, "/subreddits/search", { q: input.q }, community),
} satisfies Connector<typeof forum>;

function communityPath(input: { subreddit_name: string }): string {
  return `/r/${encodeURIComponent(input.subreddit_name)}`;
}

/** The upstream's own default is a day for communities and all time for users, so it is always sent. */
function spanOf({ sort, time }: { sort: string; time?: string | undefined }): string | undefined {
  return sort === "top" || sort === "controversial" ? (time ?? "day") : undefined;
}

function searching(input: { q: string; sort: string; time: string }) {
  return { q: input.q, sort: input.sort, t: input.time, type: "link" };
}

function dataOf(body: unknown): Wire {
  return need(object(at(body, "data")), "data");
}

function childrenOf(body: unknown): readonly unknown[] {
  return need(array(at(body, "data", "children")), "data.children");
}

function childData(child: unknown): Wire {
  return need(object(at(child, "data")), "data.children[].data");
}

/**
 * A list that continues after the last delivered name. Its position includes the page size, so that a
 * caller may change the limit between pages.
 */
function listing<Row extends { id: string }>(
  call: Call,
  input: { limit: number },
  path: string,
  query: UpstreamRequest["query"],
  read: (row: Wire) => Row,
): Promise<Answer<Row[]>> {
  return listedById(
    call,
    input,
    async (position) => {
      const limit = integer(at(position, "n")) ?? input.limit;
      const after = text(at(position, "after"));
      const given = integer(at(position, "count")) ?? 0;
      const paging = after === undefined ? { limit } : { limit, after, count: given };
      const body = await get(call, path, { ...query, ...paging });
      const children = childrenOf(body);
      // Null is the end; a list with rows always has a name or null.
      const last = at(body, "data", "after");
      const next = text(last);
      if (last === undefined && children.length > 0) throw new ShapeError("data.after");
      const isEnd = next === undefined || next === after;
      return {
        rows: rows(children, "data.children", (child) => {
          const row = childData(child);
          return isAdvert(row) ? undefined : read(row);
        }),
        next: isEnd ? null : { n: limit, after: next, count: given + children.length },
        // Removed posts may leave a page without rows.
        advances: !isEnd,
      };
    },
    { n: input.limit },
  );
}

/** A tree of comments, then the omitted ones, by their ids. */
function comments(
  call: Call,
  input: { post_id: string; sort: string; limit: number },
  query: UpstreamRequest["query"],
  read: (children: unknown) => Branches,
): Promise<Answer<Comment[]>> {
  return listedById(
    call,
    input,
    async (position) => {
      const left = text(at(position, "rest"))?.split(",") ?? [];
      const { comments: found, rest } =
        left.length > 0
          ? await more(call, input, left)
          : await firstTree(call, input, integer(at(position, "n")) ?? input.limit, query, read);
      const next = positionAfter([...rest, ...left.slice(moreAtOnce)]);
      // Deleted comments are not answered, so that a hundred ids may bring none.
      return { rows: found, next, advances: next !== undefined };
    },
    { n: input.limit },
  );
}

async function firstTree(
  call: Call,
  input: { post_id: string; sort: string },
  limit: number,
  query: UpstreamRequest["query"],
  read: (children: unknown) => Branches,
): Promise<Branches> {
  const path = `/comments/${input.post_id.slice(3)}`;
  const body = await get(call, path, { ...query, sort: input.sort, limit });
  return read(at(body, 1, "data", "children"));
}

async function more(
  call: Call,
  input: { post_id: string; sort: string },
  ids: readonly string[],
): Promise<Branches> {
  const body = await getMore(call, {
    api_type: "json",
    link_id: input.post_id,
    children: ids.slice(0, moreAtOnce).join(","),
    sort: input.sort,
    limit_children: false,
  });
  const errors = array(at(body, "json", "errors")) ?? [];
  if (errors.length > 0) throw new GatewayError("upstream_error", "The upstream reported a fault");
  return flat(at(body, "json", "data", "things"), "json.data.things");
}

/** Ids that do not fit in a cursor are dropped. */
function positionAfter(rest: readonly string[]): Json | undefined {
  const ids = [...new Set(rest)].join(",");
  if (ids.length <= mostRestText) return ids === "" ? undefined : { rest: ids };
  return { rest: ids.slice(0, ids.lastIndexOf(",", mostRestText)) };
}
