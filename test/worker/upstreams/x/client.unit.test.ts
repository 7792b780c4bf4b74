import { expect, test } from "vitest";
import type { Tokens } from "../../../../worker/transport/upstream.ts";
import { x, xApp } from "../../../../worker/upstreams/x/client.ts";

const invalid = (parameters: Record<string, string[]>) => ({
  type: "https://api.twitter.com/2/problems/invalid-request",
  errors: [{ parameters, message: "m" }],
});

test.each<[number, unknown, string | undefined, string?]>([
  [200, { data: {} }, undefined],
  [200, { errors: [{}] }, undefined],
  [400, invalid({ query: ["x"] }), "validation_error", "q"],
  [400, invalid({ start_time: ["x"] }), "validation_error", "start_time"],
  [400, invalid({ pagination_token: ["x"] }), "validation_error", "cursor"],
  [400, invalid({ max_results: ["x"] }), "upstream_error"],
  [400, {}, "upstream_error"],
  [401, {}, "upstream_unavailable"],
  [402, {}, "upstream_unavailable"],
  [403, { type: "https://api.twitter.com/2/problems/client-forbidden" }, "upstream_unavailable"],
  [404, {}, "not_found"],
  [429, { type: "https://api.twitter.com/2/problems/usage-capped" }, "upstream_unavailable"],
  [429, { errors: [{ code: 88 }] }, "upstream_unavailable"],
  [500, undefined, "upstream_unavailable"],
  [503, {}, "upstream_unavailable"],
  [418, {}, "upstream_error"],
])("microblog outcome of X %i %j", (status, body, type, field) => {
  const verdict = x.judge({ status, headers: {}, body });
  expect(verdict.ok ? undefined : verdict.type).toBe(type);
  if (field !== undefined) expect(verdict).toMatchObject({ field });
});

test("microblog outcome of X: the responsible party, and the time to retry", () => {
  const verdict = (status: number, body: unknown, headers = {}) =>
    x.judge({ status, headers, body });
  for (const status of [401, 402, 403]) {
    expect(verdict(status, {})).toMatchObject({ operator: expect.any(String) });
  }
  expect(verdict(429, { type: "https://x/usage-capped" })).toMatchObject({
    operator: "out of quota",
  });
  const reset = { "x-rate-limit-reset": String(Math.floor(Date.now() / 1000) + 60) };
  const busy = verdict(429, {}, reset) as { retryAfter: number; operator?: string };
  expect(busy.operator).toBeUndefined();
  expect(busy.retryAfter).toBeGreaterThan(57);
  expect(busy.retryAfter).toBeLessThanOrEqual(61);
  expect(xApp.judge({ status: 401, headers: {}, body: {} })).toMatchObject({ reauthorize: true });
});

test("an app's key and secret are exchanged for a bearer token", async () => {
  const secrets = { X_API_KEY: "k/1", X_API_SECRET: "s" };
  const sent: unknown[] = [];
  const tokens: Tokens = {
    async get(fetch) {
      const token = await fetch((upstream, request) => {
        sent.push(request, upstream.credentials, upstream.authorize?.(secrets, tokens));
        const body = { token_type: "bearer", access_token: "t" };
        return Promise.resolve({ status: 200, headers: {}, body });
      });
      expect(token).toEqual({ value: "t" });
      return token.value;
    },
  };
  expect(await xApp.authorize?.(secrets, tokens)).toEqual({ authorization: "Bearer t" });
  expect(sent).toEqual([
    { method: "POST", path: "/oauth2/token", form: { grant_type: "client_credentials" } },
    ["X_API_KEY", "X_API_SECRET"],
    { authorization: `Basic ${Buffer.from("k%2F1:s").toString("base64")}` },
  ]);
});
