import { expect, test } from "vitest";
import { freshLinkedin } from "../../../../worker/upstreams/fresh-linkedin/client.ts";

const judge = (status: number, body: unknown = {}, headers: Record<string, string> = {}) =>
  freshLinkedin.judge({ status, headers, body });

test.each([
  [401, {}, "upstream_unavailable"],
  [403, {}, "upstream_unavailable"],
  [404, {}, "not_found"],
  [200, { success: false, message: "Company not found" }, "not_found"],
  [200, { success: false, message: "it does not exist" }, "not_found"],
  [200, { success: false, message: "something else" }, "upstream_error"],
  [400, {}, "upstream_error"],
  [400, { success: false, message: "User not found" }, "not_found"],
  [400, { success: false, message: "urn is required" }, "upstream_error"],
  [502, { success: false, message: "route not found" }, "upstream_unavailable"],
  [429, {}, "upstream_unavailable"],
  [502, {}, "upstream_unavailable"],
])("status %i with %j is %s", (status, body, type) => {
  expect(judge(status, body)).toMatchObject({ ok: false, type });
});

test("credentials and quotas are the operator's fault, throttling is not", () => {
  expect(judge(403)).toMatchObject({ operator: "credential refused" });
  expect(judge(429, { message: "monthly quota exceeded" })).toMatchObject({
    operator: "out of quota",
  });
  const busy = judge(429, {}, { "x-ratelimit-requests-reset": "3" });
  expect(busy).toMatchObject({ retry: true, retryAfter: 3 });
  expect(busy).not.toHaveProperty("operator");
});

test("data is an answer", () => {
  expect(judge(200, { success: true, data: [] })).toEqual({ ok: true });
});
