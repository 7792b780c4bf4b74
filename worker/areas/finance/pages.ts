import type { Answer, Call } from "../../connector.ts";
import { listed } from "../../mapping/list.ts";
import { at, count, need } from "#wire";

interface Options<Row> {
  limit: number;
  /** Identity of a row, where it has one. */
  key?: ((row: Row) => string) | undefined;
  /** Page `number`, from 1, of `size` rows, and the number of the last page. */
  fetch: (number: number, size: number) => Promise<{ rows: Row[]; last: number }>;
}

/** A list in numbered pages. The position keeps their size, so that a caller may change `limit` between two pages. */
export function numbered<Row>(
  call: Call,
  { limit, key, fetch }: Options<Row>,
): Promise<Answer<Row[]>> {
  return listed(call, {
    limit,
    key,
    start: { number: 1, size: limit },
    async fetch(position) {
      const number = need(count(at(position, "number")), "number");
      const size = need(count(at(position, "size")), "size");
      const { rows, last } = await fetch(number, size);
      return { rows, next: number < last ? { number: number + 1, size } : null };
    },
  });
}
