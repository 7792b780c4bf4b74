import { expect, test } from "vitest";
import { GatewayError } from "../../../../contract/errors.ts";
import type { Verdict } from "../../../../worker/transport/upstream.ts";
import {
  dataforseo,
  itemsOf,
  judge,
  limitsFrom,
  resultOf,
} from "../../../../worker/upstreams/dataforseo/client.ts";

const operation = "seo.backlinks.list";

interface Parts {
  top?: number;
  code?: number;
  message?: string;
  cost?: number;
  result?: unknown;
}

function answer({ top = 20000, code = 20000, message = "", cost = 0, result = null }: Parts) {
  const task = { status_code: code, status_message: message, cost, result };
  // The counters beside the codes contradict them on purpose.
  return { status_code: top, tasks_error: code === 20000 ? 1 : 0, tasks: [task] };
}

function verdict(status: number, body: unknown, of = operation): Verdict {
  return judge({ status, headers: {}, body }, of);
}
const onCode = (code: number, more: Parts = {}) => verdict(200, answer({ code, ...more }));

const unavailable = { ok: false, type: "upstream_unavailable" };
const faulty = { ok: false, type: "upstream_error" };
const internal = { ok: false, type: "internal_error" };
const shapeless = { ok: false, type: "response_shape_error" };
const again = { retry: true };
const retriesOf = (found: Verdict) => (found.ok ? false : (found.retry ?? false));

test.each([
  [20000, { items: [1] }],
  [20000, { items: null }],
  [20000, null],
  [40102, null],
  [40102, { items: null }],
  [40106, { items: [1] }],
])("code %i with %j is an answer", (code, result) => {
  expect(onCode(code, { result: result && [result] })).toEqual({ ok: true });
});

test.each([
  [40000, internal],
  [40006, internal],
  [40502, internal],
  [40503, internal],
  [40506, internal],
  [40100, { ...unavailable, operator: "credential refused" }],
  [40104, { ...unavailable, operator: "account not verified" }],
  [40200, { ...unavailable, operator: "out of funds" }],
  [40210, { ...unavailable, operator: "out of funds" }],
  [40201, { ...unavailable, operator: expect.any(String) }],
  [40203, { ...unavailable, operator: expect.any(String) }],
  [40204, { ...unavailable, operator: expect.any(String), unavailable: false }],
  [40207, { ...unavailable, operator: expect.any(String) }],
  [40202, { ...unavailable, ...again, retryAfter: expect.any(Number) }],
  [40209, { ...unavailable, ...again, retryAfter: expect.any(Number) }],
  [40205, { ...unavailable, retryAfter: expect.any(Number) }],
  [40206, { ...unavailable, retryAfter: expect.any(Number) }],
  [40101, { ...faulty, ...again, retries: 3 }],
  [40103, { ...faulty, ...again }],
  [40400, faulty],
  [40402, faulty],
  [40401, faulty],
  [40403, faulty],
  [40404, faulty],
  [40505, faulty],
  [50100, faulty],
  [20100, shapeless],
  [40601, shapeless],
  [40602, shapeless],
  [50000, { ...faulty, ...again }],
  [50001, { ...unavailable, ...again }],
  [50301, { ...unavailable, ...again }],
  [50303, { ...unavailable, ...again }],
  [50304, { ...unavailable, ...again }],
  [50401, { ...unavailable, ...again }],
  [40999, faulty],
  [59999, faulty],
])("code %i of the task and of the call", (code, expected) => {
  const retry = "retry" in expected;
  for (const found of [onCode(code), verdict(200, { status_code: code, tasks: null })]) {
    expect(found).toMatchObject(expected);
    expect(retriesOf(found)).toBe(retry);
    expect((found as { operator?: string }).operator !== undefined).toBe("operator" in expected);
  }
});

test.each([
  [401, { ...unavailable, operator: "credential refused" }],
  [402, { ...unavailable, operator: "out of funds" }],
  [403, { ...unavailable, operator: "account not verified" }],
  [404, faulty],
  [429, { ...unavailable, ...again, pauseMs: expect.any(Number) }],
  [408, { ...unavailable, ...again }],
  [500, { ...unavailable, ...again }],
  [502, { ...unavailable, ...again }],
  [503, { ...unavailable, ...again }],
  [504, { ...unavailable, ...again }],
  [418, faulty],
])("HTTP %i wins over the codes, without a body as well", (status, expected) => {
  expect(verdict(status, undefined)).toMatchObject(expected);
  if (status !== 418) expect(verdict(status, answer({}))).toMatchObject(expected);
});

test("a throttled call waits two seconds at least before it is retried", () => {
  for (const code of [40202, 40209]) expect(onCode(code)).toMatchObject({ pauseMs: 2000 });
});

test("the codes of an HTTP 400 are read", () => {
  expect(verdict(400, { status_code: 40200, tasks: [] })).toMatchObject({
    operator: "out of funds",
  });
});

test("a charged failure is not retried, except for the engine's own", () => {
  for (const code of [40103, 40202, 50000, 50301, 50401]) {
    expect(retriesOf(onCode(code, { cost: 0.01 })), String(code)).toBe(false);
    expect(retriesOf(onCode(code)), String(code)).toBe(true);
  }
  expect(verdict(500, answer({ code: 50000, cost: 0.01 }))).toMatchObject({ retry: false });
});

test("seo surprise 20: the engine's own failure is tried three times although it was charged", () => {
  expect(onCode(40101, { cost: 0.01 })).toMatchObject({ ...faulty, retry: true, retries: 3 });
});

test.each([
  ["Invalid Field: 'target'.", "seo.backlinks.list", "target"],
  ["Field 'limit' is required.", "seo.backlinks.list", "limit"],
  ["Invalid Field: 'filters'.", "seo.backlinks.list", "filters"],
  ["Invalid Field: 'order_by'.", "seo.backlinks.list", "order_by"],
  ["Invalid Field: 'targets'.", "seo.backlinks.bulk_ranks", "targets"],
  ["Invalid Field: 'backlinks_filters'.", "seo.backlinks.anchors", "backlinks_filters"],
  ["Invalid Field: 'date_from'.", "seo.backlinks.history", "date_from"],
])("40501 %s for %s names the caller's field", (message, of, field) => {
  const found = verdict(200, answer({ code: 40501, message }), of);
  expect(found).toMatchObject({ ok: false, type: "validation_error", field });
  expect((found as { message: string }).message).not.toContain("Invalid Field");
});

test.each([
  ["Invalid Field: 'tag'.", "seo.backlinks.list"],
  ["Invalid Field: 'keywords'.", "seo.backlinks.list"],
  ["Invalid Field: '__proto__'.", "seo.backlinks.list"],
  ["Invalid Field.", "seo.backlinks.list"],
  ["Invalid Field: 'target'.", "no.such.operation"],
])("40501 %s for %s is our fault", (message, of) => {
  expect(verdict(200, answer({ code: 40501, message }), of)).toMatchObject(internal);
});

test.each([
  ["location_coordinate", "maps.search", { location: "us", coordinate: {} }, "coordinate"],
  ["location_coordinate", "maps.search", { location: "99.5,200" }, "location"],
  ["location_coordinate", "maps.search", undefined, "coordinate"],
  ["depth", "seo.serp.search", { limit: 10 }, "limit"],
  ["depth", "seo.serp.search", { limit: 10, depth: 20 }, "depth"],
])(
  "of several fields behind %s the one that the caller used is named",
  (name, of, input, field) => {
    const body = answer({ code: 40501, message: `Invalid Field: '${name}'.` });
    const found = judge({ status: 200, headers: {}, body }, of, input);
    expect(found).toMatchObject({ ok: false, type: "validation_error", field });
  },
);

test("40504 names the targets", () => {
  expect(verdict(200, answer({ code: 40504 }), "seo.backlinks.domain_intersection")).toMatchObject({
    type: "validation_error",
    field: "targets",
  });
});

test.each([
  undefined,
  null,
  "text",
  [],
  {},
  { status_code: 20000 },
  { status_code: 20000, tasks: null },
  { status_code: 20000, tasks: [] },
  { status_code: 20000, tasks: [{}] },
  { status_code: 20000, tasks: [{ status_code: "fine", result: [] }] },
  answer({ result: "text" }),
  answer({ result: { items: [] } }),
])("seo surprise 12: %j has no known shape and is not fetched again", (body) => {
  const found = verdict(200, body);
  expect(found).toMatchObject(shapeless);
  expect(retriesOf(found)).toBe(false);
});

test("seo surprise 1: a failure of the task under HTTP 200 and a good call is a failure", () => {
  expect(verdict(200, answer({ top: 20000, code: 40400 }))).toMatchObject(faulty);
});

test("the task decides, whatever the call's code is, or without one", () => {
  const { status_code: _top, ...bare } = answer({ result: [{ items: [] }] });
  expect(verdict(200, bare)).toEqual({ ok: true });
  expect(verdict(200, { ...bare, status_code: "fine" })).toEqual({ ok: true });
  expect(verdict(200, answer({ top: 40200, code: 20000 }))).toEqual({ ok: true });
  const { status_code: _other, ...failed } = answer({ code: 40400 });
  expect(verdict(200, failed)).toMatchObject(faulty);
  // Without a task only the code of the call is left.
  expect(verdict(200, { status_code: 40200, tasks: null })).toMatchObject(unavailable);
});

test("seo surprise 10: no results is recognised by the code, whatever the counters are", () => {
  const body = { ...answer({ code: 40102, result: [{ items: [{}] }] }), tasks_error: 0 };
  expect(verdict(200, body)).toEqual({ ok: true });
  expect(resultOf(body)).toBeUndefined();
});

test("seo surprise 11: a result of null means nothing is known", () => {
  for (const result of [null, [], [null]]) expect(resultOf(answer({ result }))).toBeUndefined();
  expect(resultOf(answer({ result: [{ rank: 1 }] }))).toEqual({ rank: 1 });
  expect(() => resultOf(answer({ result: ["text"] }))).toThrow(GatewayError);
});

test("seo surprise 13: a list of null is an empty list, other values than an array are no list", () => {
  expect(itemsOf({ items: null })).toEqual([]);
  expect(itemsOf(undefined)).toEqual([]);
  expect(itemsOf({ items: [1] })).toEqual([1]);
  for (const items of [undefined, "text", {}]) {
    expect(() => itemsOf({ items })).toThrow(
      expect.objectContaining({ type: "response_shape_error" }),
    );
  }
});

test("limits of the account come from the environment", () => {
  expect(limitsFrom({})).toEqual({ perMinute: 1900, simultaneous: 30 });
  expect(
    limitsFrom({ DATAFORSEO_CALLS_PER_MINUTE: "9500", DATAFORSEO_SIMULTANEOUS_CALLS: " 60 " }),
  ).toEqual({ perMinute: 9500, simultaneous: 60 });
  for (const text of ["0", "-1", "many", "1.5"]) {
    expect(() => limitsFrom({ DATAFORSEO_CALLS_PER_MINUTE: text })).toThrow(
      "DATAFORSEO_CALLS_PER_MINUTE",
    );
  }
});

test("simultaneous calls are limited only where the provider documents it", () => {
  const of = (path: string) => dataforseo(operation, path).limits;
  expect(of("/v3/dataforseo_labs/google/keyword_ideas/live")).toMatchObject({ simultaneous: 30 });
  expect(of("/v3/ai_optimization/ai_keyword_data/keywords_search_volume/live")).toMatchObject({
    simultaneous: 30,
  });
  expect(of("/v3/backlinks/summary/live")).not.toHaveProperty("simultaneous");
  expect(of("/v3/serp/google/organic/live/advanced")).not.toHaveProperty("simultaneous");
});

test("the credential travels as HTTP Basic", async () => {
  const secrets = { DATAFORSEO_LOGIN: "someone@host.example", DATAFORSEO_PASSWORD: "pass:wörd" };
  const headers = await dataforseo(operation, "/v3/x").authorize?.(secrets, {} as never);
  const text = Buffer.from(String(headers?.authorization).slice("Basic ".length), "base64");
  expect(text.toString()).toBe("someone@host.example:pass:wörd");
});
