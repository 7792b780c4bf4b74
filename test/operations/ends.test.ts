import { expect, test } from "vitest";
import type { Operation } from "../../contract/operation.ts";
import { capturing, type Exchange, replaying } from "./capture.ts";
import { changed } from "./inputs.ts";
import { absent, isLeaf, type Node, nodesOf, withValue } from "./nodes.ts";
import { type Input, mapped, play } from "./play.ts";

/**
 * No list ends silently: no missing value may make a page the last one, except the mark whose
 * absence is the upstream's end of list.
 */

const lists = mapped.filter((op) => op.paginated);

/** Values whose absence means an end or an absent list, by area. */
const marks: Readonly<Record<string, RegExp>> = {
  // The last page has no token; an owner may have no timeline at all.
  microblog: /\.(next_token|next_cursor|result|\w+_timeline|timeline)$/,
  // The last page names no continuation.
  encyclopedia: /(^|[. ])(continue|sroffset|search-continue)$/,
  // The last page of comments may have no mark.
  cnblog: /(^|\.)max_id$/,
  // The last page of citations names no next one.
  papers: /(^|[. ])next$/,
  // The last page of advisories has no token.
  packages: /^next_page_token$/,
  security: /^next_page_token$/,
  // Tokens are absent at the end, and short lists of edges have no `page_info`.
  photosite: /\.(pagination_token|next_page|next_max_id|end_cursor|page_info)$/,
  // Last pages claim more as well, so only a cursor counts.
  threads: /\.page_info(\.end_cursor)?$/,
};

/** Values that lead to the next page, also inside rows. */
const isAhead = (node: Node) => isLeaf(node) && /cursor|continuation|token/i.test(node.path);

const onePage = ["videosite.trending"];

interface Page {
  input: Input;
  exchanges: readonly Exchange[];
}

/** Replies behind a page that is followed by another, requested with all of its rows. */
async function pageOf(op: Operation): Promise<Page | undefined> {
  for (const limit of [undefined, 100, 50]) {
    const input = changed(op, { limit });
    if (!input) continue;
    const exchanges: Exchange[] = [];
    const played = await play(op, input, {
      outbound: capturing(exchanges),
      scenario: "second_page",
    });
    if (!played.ok) throw new Error(`${op.id}: ${played.message}`);
    for (let length = 1; length <= exchanges.length; length += 1) {
      const fewer = exchanges.slice(0, length);
      const first = await play(op, input, { outbound: replaying(fewer) });
      if (!first.ok) continue;
      const rows = first.records;
      const exact = changed(op, { limit: rows });
      if (exact && first.pagination?.has_more && rows > 0)
        return { input: exact, exchanges: fewer };
    }
  }
  return undefined;
}

test.each(lists)("$id: no missing value makes a page the last one", async (op) => {
  const page = await pageOf(op);
  // A list of one page has no next page.
  if (!page) return expect(onePage).toContain(op.id);
  const { input, exchanges } = page;
  const nodes = nodesOf(exchanges).filter(
    (node) => node.steps.length > 0 && (node.entries.length === 1 || isAhead(node)),
  );
  const ended: string[] = [];
  for (const node of nodes) {
    const outbound = replaying(withValue(exchanges, node, absent));
    const played = await play(op, input, { outbound });
    const isEnd = played.ok && played.pagination?.has_more === false;
    if (isEnd && !marks[op.area]?.test(node.path)) ended.push(node.path);
  }
  expect([...new Set(ended)], "without it the list ends in silence").toEqual([]);
});
