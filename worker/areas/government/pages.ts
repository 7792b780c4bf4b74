import type { Answer, Call } from "../../connector.ts";
import { listed } from "../../mapping/list.ts";
import { at, count, need } from "#wire";

interface Options<Row> {
  limit: number;
  /** Rows of one request. */
  size: number;
  /** Number of the first page, or of the first row: 0 or 1. */
  first: number;
  /** Rows at `from`, and where the next ones are; null at the end. */
  fetch: (from: number, size: number) => Promise<{ rows: Row[]; next: number | null }>;
}

/** A list whose pages have numbers. The position keeps their size, so that a caller may change `limit` between two. */
export function numbered<Row>(
  call: Call,
  { limit, size, first, fetch }: Options<Row>,
): Promise<Answer<Row[]>> {
  return listed(call, {
    limit,
    start: { from: first, size },
    async fetch(position) {
      const from = need(count(at(position, "from")), "from");
      const kept = need(count(at(position, "size")), "size");
      const { rows, next } = await fetch(from, kept);
      return { rows, next: next === null ? null : { from: next, size: kept } };
    },
  });
}
