import type { Json } from "../../../contract/json.ts";
import type { Answer, Call } from "../../connector.ts";
import { listed } from "../../mapping/list.ts";
import { at, count, need } from "#wire";

interface Options<Row> {
  limit: number;
  /** Rows of one request. */
  size: number;
  /** Number of the first page, or of the first row: 0 or 1. */
  first: number;
  /** Identity of a row, where it has one; the source's numbers shift when rows are added during a call. */
  key?: ((row: Row) => string) | undefined;
  /** Rows at `from`, behind the mark of the page before, and where the next ones are; null at the end. */
  fetch: (from: number, size: number, after: Json | undefined) => Promise<NumberedPage<Row>>;
}

interface NumberedPage<Row> {
  rows: Row[];
  next: number | null;
  /** The mark of this page, where its source has one beside the numbers. */
  mark?: Json | undefined;
  /** True where the source's number of all rows says that more follow. */
  advances?: boolean | undefined;
}

/** A list whose pages have numbers. The position keeps their size, so that a caller may change `limit` between two. */
export function numbered<Row>(
  call: Call,
  { limit, size, first, key, fetch }: Options<Row>,
): Promise<Answer<Row[]>> {
  return listed(call, {
    limit,
    key,
    start: { from: first, size },
    async fetch(position) {
      const from = need(count(at(position, "from")), "from");
      const kept = need(count(at(position, "size")), "size");
      const after = at(position, "after") as Json | undefined;
      const { rows, next, mark, advances } = await fetch(from, kept, after);
      if (next === null) return { rows, next };
      return { rows, next: { from: next, size: kept, ...(mark ? { after: mark } : {}) }, advances };
    },
  });
}
