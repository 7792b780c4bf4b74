import { invalid } from "../../../contract/errors.ts";

/** Refuses a span whose end comes before its beginning. */
export function inOrder<T extends string | number>(
  from: T | undefined,
  to: T | undefined,
  [first, second]: [string, string],
): void {
  if (from === undefined || to === undefined || from <= to) return;
  throw invalid("query", first, "invalid_value", `${first}: must not be more than ${second}`);
}
