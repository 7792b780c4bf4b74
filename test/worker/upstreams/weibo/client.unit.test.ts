import { expect, test } from "vitest";
import { weibo } from "../../../../worker/upstreams/weibo/client.ts";

const judge = (status: number, body: unknown = {}) => weibo.judge({ status, headers: {}, body });

test.each([
  [403, { error: "Forbidden" }, "upstream_error"],
  [404, {}, "not_found"],
  [414, {}, "upstream_unavailable"],
  [418, {}, "upstream_unavailable"],
  [432, {}, "upstream_unavailable"],
  [429, {}, "upstream_unavailable"],
  [502, {}, "upstream_unavailable"],
  [302, {}, "upstream_error"],
  [200, { ok: -100, url: "https://passport.example/signin" }, "upstream_error"],
  [200, { ok: 0 }, "upstream_error"],
])("status %i with %j is %s", (status, body, type) => {
  expect(judge(status, body)).toMatchObject({ ok: false, type });
});

test("only temporary faults are retried", () => {
  expect(judge(503)).toMatchObject({ retry: true, unavailable: true });
  expect(judge(403)).not.toHaveProperty("retry");
});

test("an answer is valid with `ok` 1, or without it", () => {
  expect(judge(200, { ok: 1, data: {} })).toEqual({ ok: true });
  expect(judge(200, { data: {} })).toEqual({ ok: true });
});
