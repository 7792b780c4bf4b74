import { expect, test } from "vitest";
import { ticketmaster } from "../../../../worker/upstreams/ticketmaster/client.ts";

const judge = (status: number, body: unknown = {}) =>
  ticketmaster.judge({ status, headers: {}, body });
const refused = (detail: string) =>
  judge(400, { errors: [{ code: "DIS1035", detail, status: "400" }] });

test.each([
  [200, { page: {} }, { ok: true }],
  [200, null, { ok: false, type: "response_shape_error" }],
  [401, {}, { type: "upstream_unavailable", operator: "credential refused" }],
  [403, {}, { type: "upstream_unavailable", operator: "credential refused" }],
  [404, {}, { type: "upstream_error" }],
  [408, {}, { type: "upstream_unavailable", retry: true }],
  [500, {}, { type: "upstream_unavailable", retry: true }],
  [503, null, { type: "upstream_unavailable", retry: true }],
])("status %i", (status, body, verdict) => {
  expect(judge(status, body)).toMatchObject(verdict);
});

test("events surprise 5: too many calls is temporary, a used-up day is the operator's", () => {
  const fault = (faultstring: string, errorcode: string) => ({
    fault: { faultstring, detail: { errorcode } },
  });
  const spike = fault("Spike arrest violation", "policies.ratelimit.SpikeArrestViolation");
  expect(judge(429, spike)).toMatchObject({ type: "upstream_unavailable", retry: true });
  expect(judge(429)).toMatchObject({ type: "upstream_unavailable", retry: true });
  const quota = fault("Rate limit quota violation", "policies.ratelimit.QuotaViolation");
  expect(judge(429, quota)).toMatchObject({
    type: "upstream_unavailable",
    operator: "quota used up",
  });
});

test("a refused parameter is the caller's fault where it is one of the caller's fields", () => {
  expect(refused('Query param "startDateTime" must be of valid format')).toMatchObject({
    type: "validation_error",
    field: "date_range",
  });
  expect(refused("countryCode is not valid")).toMatchObject({ field: "location" });
  expect(refused("size is too large")).toMatchObject({ type: "internal_error" });
  expect(judge(400, null)).toMatchObject({ type: "internal_error" });
});
