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

test("only what may pass by itself is tried again", () => {
  expect(judge(503)).toMatchObject({ retry: true, unavailable: true });
  expect(judge(403)).not.toHaveProperty("retry");
});

test("an answer is one with `ok` 1, or without", () => {
  expect(judge(200, { ok: 1, data: {} })).toEqual({ ok: true });
  expect(judge(200, { data: {} })).toEqual({ ok: true });
});
