import { words } from "../../../sandbox/figures.ts";
import type { SampleRequest } from "../../../sandbox/sample.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

/** Rows that a list has; a second page follows the longest list that a caller gets without asking. */
const total = { usual: 45, long: 130 };

export const totalOf = ({ empty, secondPage }: SampleRequest): number =>
  empty ? 0 : secondPage ? total.long : total.usual;

/** Rows of a page that begins at `offset`, made one by one. */
export const listed = <T>(
  request: SampleRequest,
  offset: number,
  make: (index: number) => T,
): T[] => slice({ total: totalOf(request), offset, count: Number(request.query?.limit) }, make);

export const word = (...seed: (string | number)[]): string =>
  vary("open social", ...seed).pick("word", words);

export const number = (least: number, most: number, ...seed: (string | number)[]): number =>
  vary("open social", ...seed).int("number", least, most);

/** A moment that is earlier for a later row. */
export const moment = (index: number, fraction = ".000"): string =>
  `${new Date(Date.UTC(2026, 3, 1) - index * 7_201_000).toISOString().slice(0, 19)}${fraction}Z`;
