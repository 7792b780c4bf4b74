import { expect } from "vitest";
import { decodeInput } from "../../api/input.ts";
import { operations } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";

export function parse(id: string, given: Record<string, unknown>) {
  const parsed = operations.get(id)?.input.safeParse(given);
  if (!parsed) throw new Error(id);
  return parsed;
}

/** The fields at fault. */
export const issues = (id: string, given: Record<string, unknown>) =>
  parse(id, given).error?.issues.map((issue) => issue.path.join(".")) ?? [];

/** Expects a field to accept every `good` value and to refuse every `bad` one. */
export function expectValues(id: string, field: string, good: string[], bad: string[]): void {
  for (const value of good) expect(parse(id, { [field]: value }).success, value).toBe(true);
  for (const value of bad) expect(parse(id, { [field]: value }).success, value).toBe(false);
}

/** The API's parse of a request with these path and query fields. */
export function decode(id: string, path: Record<string, string>, query = ""): unknown {
  const operation = operations.get(id) as Operation;
  return decodeInput(operation, { path, query: new URLSearchParams(query), body: undefined });
}

/** The error type of such a request, or "ok". */
export function refusal(...request: Parameters<typeof decode>): string {
  try {
    decode(...request);
    return "ok";
  } catch (error) {
    return (error as { type: string }).type;
  }
}
