import { words } from "../../../sandbox/figures.ts";
import type { SampleRequest } from "../../../sandbox/sample.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

/** Rows of a list; a second page follows the longest list that a caller gets without asking. */
const total = { usual: 45, long: 160 };

/** The rows of one page, made one by one; pages count from 1. */
export function listed<T>(
  { query = {}, empty, secondPage }: SampleRequest,
  make: (index: number) => T,
): T[] {
  const rows = empty ? 0 : secondPage ? total.long : total.usual;
  const count = Number(query.per_page ?? query.limit ?? total.long);
  return slice({ total: rows, offset: (Number(query.page ?? 1) - 1) * count, count }, make);
}

/** A moment of the last years, by a seed, without a fraction. */
export function day(...seed: (string | number)[]): string {
  const at = Date.UTC(2023, 0, 1) + vary("day", ...seed).int("day", 0, 900) * 86_400_000;
  return new Date(at).toISOString().replace(".000", "");
}

export const sha = (...seed: (string | number)[]): string =>
  vary("sha", ...seed)
    .digits("sha", 40)
    .replaceAll("7", "a");

export const word = (...seed: (string | number)[]): string =>
  vary("word", ...seed).pick("word", words);

const base64 = (content: string) => Buffer.from(content).toString("base64");

/** A file's content in base64. GitHub breaks its lines. */
export const content = (path: string, isBroken = false): string =>
  base64(`Sample text of ${path}: ${word(path)}.\n`).replace(/(.{20})/g, isBroken ? "$1\n" : "$1");

export const faults = {
  not_found: { status: 404, body: { message: "Not Found" } },
  upstream_error: { status: 400, body: { message: "sample fault" } },
  upstream_unavailable: { status: 503, body: { message: "Service unavailable" } },
} as const;
