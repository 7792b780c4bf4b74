import type { SampleRequest } from "../../../sandbox/sample.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

/** Rows that a search has; a second page follows the longest list that a caller can ask for. */
const total = { usual: 45, long: 160 };

/** Rows of one page of a search, made one by one. */
export function searched<T>(
  { empty, secondPage }: SampleRequest,
  page: { offset: number; count: number },
  make: (index: number) => T,
): T[] {
  const rows = empty ? 0 : secondPage ? total.long : total.usual;
  return slice({ total: rows, ...page }, make);
}

/** A number of the request's query. */
export const asked = (value: unknown, otherwise: number): number => Number(value ?? otherwise);

/** A day of the last years, by a seed. */
export function day(...seed: (string | number)[]): string {
  const at = Date.UTC(2023, 0, 1) + vary("day", ...seed).int("day", 0, 900) * 86_400_000;
  return new Date(at).toISOString();
}

export const words = ["Formats dates", "Parses tables", "Draws charts", "Sends letters"] as const;

export const faults = {
  not_found: { status: 404, body: { error: "Not found" } },
  upstream_error: { status: 400, body: { error: "sample fault" } },
  upstream_unavailable: { status: 503, body: { error: "Service unavailable" } },
} as const;
