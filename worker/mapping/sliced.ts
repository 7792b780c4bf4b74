import type { Json } from "../../contract/json.ts";
import type { Answer, Call } from "../connector.ts";
import { listed } from "./list.ts";
import { at, count, need } from "./wire.ts";

/** Rows `offset` to `offset + size` of a list, and the length of the whole list. */
export interface Slice<Row> {
  rows: Row[];
  total: number;
  /** Rows that the source sent, where some of them are left out. */
  sent?: number | undefined;
}

interface Options<Row> {
  limit: number;
  /** Most rows of one request; `only` where pages have that size only, `numbered` where a page has a number. */
  size: { most: number; only?: boolean; numbered?: boolean };
  /** The source shows no row beyond this number; Infinity where it states none. */
  last: number;
  fetch(offset: number, size: number): Promise<Slice<Row>>;
  key?: ((row: Row) => string) | undefined;
}

/**
 * The answer of a list that its source slices by a number of rows. The position keeps the size of the pages,
 * so that a caller may change `limit` between two pages.
 */
export function sliced<Row>(call: Call, options: Options<Row>): Promise<Answer<Row[]>> {
  const { limit, size, last, key } = options;
  const usual = size.only ? size.most : Math.min(limit, size.most);
  return listed(call, {
    limit,
    key,
    start: { offset: 0, size: usual },
    async fetch(position: Json | undefined) {
      const offset = need(count(at(position, "offset")), "offset");
      const kept = need(count(at(position, "size")), "size");
      const left = last - offset;
      const rowsEach = size.numbered ? numberedSize(offset, kept, left) : kept;
      const { rows, total, sent = 0 } = await options.fetch(offset, Math.min(rowsEach, left));
      const next = offset + rowsEach;
      return {
        rows,
        next: next < Math.min(total, last) ? { offset: next, size: kept } : null,
        // A total may count rows that the source does not show, so a page without any of them may be its end.
        advances: sent > 0,
      };
    },
  });
}

/** A page with a number begins at a multiple of its size and cannot be cut, so the last rows come in smaller ones. */
function numberedSize(offset: number, usual: number, left: number): number {
  let size = Math.min(usual, left);
  while (size > 1 && offset % size !== 0) size -= 1;
  return size;
}

/** A slice of a list that comes whole. */
export function sliceOf<Row>(list: readonly Row[], offset: number, size: number): Slice<Row> {
  return { rows: list.slice(offset, offset + size), total: list.length };
}
