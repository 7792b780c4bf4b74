import { expect, test } from "vitest";
import { refuse } from "../../../worker/areas/web/crawl/refusal.ts";

const startedAt = Date.parse("2026-07-01T12:00:00Z");

function refusal(status: number, retryAfter?: string): unknown {
  const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  try {
    refuse({ status, headers }, { startedAt });
  } catch (error) {
    return error;
  }
  return undefined;
}

test.each([
  ["7", 7],
  ["0", 5],
  ["3600", 30],
  ["Wed, 01 Jul 2026 12:00:09 GMT", 9],
  ["Wed, 01 Jul 2026 11:00:00 GMT", 5],
  ["soon", 5],
  [undefined, 5],
])("a site's Retry-After of %s is one of %i seconds", (sent, retryAfter) => {
  for (const status of [429, 500, 503])
    expect(refusal(status, sent)).toMatchObject({ type: "upstream_unavailable", retryAfter });
});

test("other refusals pass no time on", () => {
  expect(refusal(200)).toBeUndefined();
  expect(refusal(410, "7")).toMatchObject({ type: "not_found", retryAfter: undefined });
  expect(refusal(403, "7")).toMatchObject({ type: "upstream_error", retryAfter: undefined });
});
