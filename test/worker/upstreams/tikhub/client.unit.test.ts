import { expect, test } from "vitest";
import { get, tikhub, unwrap } from "../../../../worker/upstreams/tikhub/client.ts";

const judge = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  tikhub.judge({ status, headers, body });

test.each([
  [200, { code: 200, data: {} }, undefined],
  [200, { code: 0, data: {} }, undefined],
  [200, { data: {} }, undefined],
  [200, { code: 400, data: null }, "upstream_error"],
  [400, { detail: { message: "failed" } }, "upstream_error"],
  [401, {}, "upstream_unavailable"],
  [402, {}, "upstream_unavailable"],
  [403, {}, "upstream_unavailable"],
  [400, { message: "Insufficient balance" }, "upstream_unavailable"],
  [404, {}, "not_found"],
  [408, {}, "upstream_unavailable"],
  [418, {}, "upstream_error"],
  [422, { detail: [{ loc: ["query"], msg: "m", type: "missing" }] }, "internal_error"],
  [425, {}, "upstream_unavailable"],
  [429, {}, "upstream_unavailable"],
  [500, {}, "upstream_unavailable"],
  [504, undefined, "upstream_unavailable"],
])("TikHub outcome %i %j is %s", (status, body, type) => {
  const verdict = judge(status, body);
  expect(verdict.ok ? undefined : verdict.type).toBe(type);
});

test("faults that only the operator can fix are reported to the operator", () => {
  expect(judge(401, {})).toMatchObject({ operator: "credential refused" });
  expect(judge(402, {})).toMatchObject({ operator: "out of funds" });
  expect(judge(500, {})).not.toHaveProperty("operator");
});

test("a failed platform call is retried, a wrong parameter is not", () => {
  expect(judge(400, {})).toMatchObject({ retry: true });
  expect(judge(422, {})).not.toHaveProperty("retry");
});

test.each([
  [{ "retry-after": "3" }, 3],
  [{ "x-ratelimit-reset": "7" }, 7],
  [{ "x-ratelimit-reset": String(Math.floor(Date.now() / 1000) + 100) }, 100],
  [{}, undefined],
])("the pause after 429 with %j", (headers, seconds) => {
  const verdict = judge(429, {}, headers);
  if (verdict.ok) throw new Error("accepted");
  if (seconds === undefined) expect(verdict.retryAfter).toBeUndefined();
  else expect(Math.abs((verdict.retryAfter ?? 0) - seconds)).toBeLessThanOrEqual(2);
});

test("unwrapping goes down through data and keeps the fields beside it", () => {
  expect(unwrap({ data: { items: [1], token: "t" } }, "items")).toMatchObject({
    items: [1],
    token: "t",
  });
  const nested = { data: { data: { items: [1] }, pagination_token: "p" } };
  expect(unwrap(nested, "items")).toMatchObject({ items: [1], pagination_token: "p" });
  expect(unwrap({ data: { items: null } }, "items")).toMatchObject({ items: null });
  for (const data of ["x", null, [1], { other: 1 }])
    expect(unwrap({ data }, "items")).toBeUndefined();
});

test("a read sends a path and a query and returns the body", async () => {
  const sent: unknown[] = [];
  const body = await get(
    {
      send: async (upstream, request) => {
        sent.push(upstream.name, request);
        return { status: 200, headers: {}, body: { data: 1 } };
      },
    },
    "/api/v1/x",
    { a: 1 },
  );
  expect(body).toEqual({ data: 1 });
  expect(sent).toEqual(["tikhub", { method: "GET", path: "/api/v1/x", query: { a: 1 } }]);
});
