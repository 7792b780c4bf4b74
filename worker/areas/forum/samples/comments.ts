import type { SampleRequest } from "../../../sandbox/sample.ts";
import { comment, indexOf } from "./records.ts";

/** A made-up thread, in turn of a first comment, a reply to it, and a reply to that reply. */
const levels = 3;
/** Comments of a thread; a second page needs more than the usual `limit`. */
const entries = { default: 42, long: 700 };
/** One comment in this many has replies too deep to be shown. */
const deepEvery = 12;

interface Thread {
  post: string;
  /** Name of the parent of the first comments. */
  parent: string;
  /** Beginning of their ids. */
  prefix: string;
  /** Levels above the first comments. */
  above: number;
}

const listing = (children: unknown[]) => ({
  kind: "Listing",
  data: { children, after: null, before: null },
});
const idOf = (thread: Thread, index: number) =>
  `${thread.prefix}${index.toString(36).padStart(2, "0")}`;
const levelOf = (index: number) => index % levels;

function dataOf(thread: Thread, index: number) {
  const level = levelOf(index);
  const parent_id = level === 0 ? thread.parent : `t1_${idOf(thread, index - 1)}`;
  const isTold = index % 21 !== 18 || thread.above > 0;
  return comment(idOf(thread, index), index, {
    link_id: thread.post,
    parent_id,
    ...(isTold ? { depth: thread.above + level } : {}),
  });
}

const deeper = (parent_id: string) => ({
  kind: "more",
  data: { id: "_", name: "t1__", parent_id, count: 0, children: [], depth: levels },
});
const unloaded = (parent_id: string, children: string[]) => ({
  kind: "more",
  data: { id: children[0], name: `t1_${children[0]}`, parent_id, count: children.length, children },
});

/** The thread's comments up to `limit` and `depth`, then stand-ins for the others. */
function branches(thread: Thread, total: number, depth: number, limit: number): unknown[] {
  const indexes = Array.from({ length: total }, (_, index) => index);
  const order = indexes.filter((index) => levelOf(index) < depth);
  const loaded = new Set(order.slice(0, limit));
  const node = (index: number): unknown => {
    const data = dataOf(thread, index);
    const next = index + 1;
    const inner: unknown[] = [];
    if (levelOf(next) !== 0 && next < total) {
      if (loaded.has(next)) inner.push(node(next));
      else if (levelOf(next) >= depth) inner.push(deeper(data.name));
      else {
        const rest = order.filter((at) => at >= next && at < next + levels - levelOf(next));
        inner.push(
          unloaded(
            data.name,
            rest.map((at) => idOf(thread, at)),
          ),
        );
      }
    } else if (index % deepEvery === levels - 1) inner.push(deeper(data.name));
    return { kind: "t1", data: inner.length > 0 ? { ...data, replies: listing(inner) } : data };
  };
  const roots = [...loaded].filter((index) => levelOf(index) === 0);
  const end = (roots.at(-1) ?? -levels) + levels;
  const later = order.filter((index) => index >= end).map((index) => idOf(thread, index));
  return [...roots.map(node), ...(later.length > 0 ? [unloaded(thread.parent, later)] : [])];
}

/** The page of a post, or of one of its comments: the post, then the tree. */
export function thread(request: SampleRequest): unknown {
  const post = `t3_${request.parts.id}`;
  const focus = request.query?.comment;
  const depth = Number(request.query?.depth ?? levels);
  const limit = Number(request.query?.limit ?? 100);
  const head = { kind: "t3", data: { name: post } };
  if (request.empty) return [listing([head]), listing([])];
  const total = request.secondPage ? entries.long : entries.default;
  if (focus === undefined) {
    const whole = { post, parent: post, prefix: String(request.parts.id), above: 0 };
    return [listing([head]), listing(branches(whole, total, depth, limit))];
  }
  const name = `t1_${focus}`;
  const below = { post, parent: name, prefix: String(focus), above: 1 };
  const replies = listing(branches(below, total, depth - 1, limit));
  const data = comment(String(focus), 0, { link_id: post, parent_id: post, depth: 0, replies });
  return [listing([head]), listing([{ kind: "t1", data }])];
}

/** Comments by their ids, which contain their positions. */
export function more(request: SampleRequest): unknown {
  const post = String(request.query?.link_id);
  const ids = String(request.query?.children ?? "").split(",");
  const things = ids.map((id) => {
    const prefix = id.slice(0, -2);
    const isFirst = post === `t3_${prefix}`;
    const parent = isFirst ? post : `t1_${prefix}`;
    return {
      kind: "t1",
      data: dataOf({ post, parent, prefix, above: isFirst ? 0 : 1 }, indexOf(id)),
    };
  });
  return { json: { errors: [], data: { things } } };
}
