import type * as z from "zod";
import type { forumComment } from "../../../contract/areas/forum/records.ts";
import { type Wire, array, at, count, defined, each, object, rows, text } from "#wire";
import { anyComment } from "./comments.map.ts";

export type Comment = z.output<typeof forumComment>;

/** Comments in reading order, and the short ids of comments that were left out. */
export interface Branches {
  comments: Comment[];
  rest: string[];
}

interface Node {
  data: Wire;
  depth: number | undefined;
  replies: number;
  goesOn: boolean;
}

const idsOf = (more: unknown): string[] =>
  each(at(more, "data", "children"), (entry) => {
    const short = text(entry);
    return short !== undefined && /^[0-9a-z]{1,13}$/.test(short) ? short : undefined;
  });
const isMore = (entry: unknown) => at(entry, "kind") === "more";
/** A branch that continues deeper than requested, without ids to load. */
const isDeeper = (entry: unknown) => isMore(entry) && idsOf(entry).length === 0;

function below(children: readonly unknown[]): Pick<Node, "replies" | "goesOn"> {
  const unloaded = children
    .filter(isMore)
    .reduce<number>((sum, entry) => sum + (count(at(entry, "data", "count")) ?? 0), 0);
  return {
    replies: children.filter((entry) => !isMore(entry)).length + unloaded,
    goesOn: children.some(isDeeper),
  };
}

/** A tree of comments, each before its replies. */
export function tree(children: unknown, path: string, depth = 0): Branches {
  const nodes: unknown[] = [];
  const rest: string[] = [];
  const walk = (list: readonly unknown[], level: number): void => {
    for (const entry of list) {
      if (isMore(entry)) {
        rest.push(...idsOf(entry));
        continue;
      }
      const data = object(at(entry, "data"));
      // "" means no replies.
      const inner = array(at(data, "replies", "data", "children")) ?? [];
      nodes.push(data && { data, depth: count(data.depth) ?? level, ...below(inner) });
      walk(inner, level + 1);
    }
  };
  const list = array(children);
  walk(list ?? [], depth);
  return { comments: read(list && nodes, path), rest };
}

/** Comments that were loaded later: a flat list in which some reply to others. */
export function flat(things: unknown, path: string): Branches {
  const list = array(things);
  const byParent = Map.groupBy(list ?? [], (entry) => text(at(entry, "data", "parent_id")));
  const depths = new Map<string, number>();
  const nodes = (list ?? [])
    .filter((entry) => !isMore(entry))
    .map((entry) => {
      const data = object(at(entry, "data"));
      if (!data) return data;
      const parent = text(data.parent_id) ?? "";
      const above = parent.startsWith("t3_") ? -1 : depths.get(parent);
      const depth = count(data.depth) ?? (above === undefined ? undefined : above + 1);
      const name = text(data.name);
      if (name !== undefined && depth !== undefined) depths.set(name, depth);
      return { data, depth, ...below((name && byParent.get(name)) || []) };
    });
  const rest = (list ?? []).flatMap((entry) => (isMore(entry) ? idsOf(entry) : []));
  return { comments: read(list && nodes, path), rest };
}

function read(nodes: readonly unknown[] | undefined, path: string): Comment[] {
  return rows(nodes, path, (node) => {
    const { data, depth, replies, goesOn } = node as Wire & Node;
    return {
      ...anyComment(data),
      ...defined({ depth }),
      reply_count: replies,
      has_more_replies: goesOn,
    };
  });
}
