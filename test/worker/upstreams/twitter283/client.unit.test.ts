import { expect, test } from "vitest";
import { twitter283 } from "../../../../worker/upstreams/twitter283/client.ts";

test.each<[number, unknown, string | undefined, string?]>([
  [200, { data: {} }, undefined],
  [200, { message: "Something went wrong" }, "upstream_error"],
  [401, { message: "Invalid API key." }, "upstream_unavailable", "credential refused"],
  [403, { message: "You are not subscribed." }, "upstream_unavailable", "credential refused"],
  [404, {}, "not_found"],
  [404, { message: "Endpoint '/X' does not exist" }, "upstream_error"],
  [429, { message: "You have exceeded the MONTHLY quota" }, "upstream_unavailable", "out of quota"],
  [429, { message: "Too many requests" }, "upstream_unavailable"],
  [502, undefined, "upstream_unavailable"],
  [400, {}, "upstream_error"],
])("microblog outcome of twitter283 %i %j", (status, body, type, operator) => {
  const headers = { "x-ratelimit-requests-reset": "12" };
  const verdict = twitter283.judge({ status, headers, body });
  expect(verdict.ok ? undefined : verdict.type).toBe(type);
  expect(verdict.ok ? undefined : verdict.operator).toBe(operator);
  if (status === 429 && operator === undefined) expect(verdict).toMatchObject({ retryAfter: 12 });
});
