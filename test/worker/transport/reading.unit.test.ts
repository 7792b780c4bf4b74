import { expect, test } from "vitest";
import { readFetched, readJudged, toResponse } from "../../../worker/transport/reading.ts";
import type { Upstream } from "../../../worker/transport/upstream.ts";

const answer = (
  status: number,
  body: string,
  headers: Record<string, string> = {},
  cut = false,
) => ({
  status,
  headers,
  bytes: Buffer.from(body),
  cut,
});
const accepting: Upstream = {
  name: "made-up",
  baseUrl: { env: "X", default: "https://api.example" },
  credentials: [],
  judge: () => ({ ok: true }),
};
const json = { "content-type": "application/problem+json" };
const cause = (read: ReturnType<typeof readJudged>) => (read.ok ? "ok" : read.fault.cause);

test("only half an answer with a good status is a separate fault", () => {
  const causes = [
    answer(200, "", json, true),
    answer(200, '{"a":', json),
    answer(200, "<html>", { "content-type": "text/html" }),
    answer(204, "", json),
    answer(500, '{"a":', json),
  ].map((incoming) => cause(readJudged(accepting, "x", incoming, 0)));
  expect(causes).toEqual(["truncated", "truncated", "ok", "ok", "ok"]);
});

test("a byte order mark is no fault", () => {
  const read = readJudged(accepting, "x", answer(200, "\uFEFF[1]", json), 0);
  expect(read).toMatchObject({ ok: true, value: { body: [1] } });
});

test("a text is no JSON, but a refusal of its source is", () => {
  const none = () => {};
  const read = (status: number, body: string) =>
    readJudged(accepting, "x", answer(status, body), 0, none, none, { isText: true });
  expect(read(200, "[1]")).toMatchObject({ value: { body: "[1]" } });
  expect(read(200, "")).toMatchObject({ value: { body: "" } });
  expect(read(404, '{"a":1}')).toMatchObject({ value: { body: { a: 1 } } });
});

test("an issue has the path of the operation's field", () => {
  const judge: Upstream["judge"] = () => ({
    ok: false,
    type: "validation_error",
    message: "m",
    field: "url",
  });
  const read = readJudged({ ...accepting, judge }, "browser.links", answer(400, ""), 0);
  expect(!read.ok && read.fault.error.issues).toEqual([
    { in: "body", path: "url", code: "refused", message: "m" },
  ]);
});

test("a refusal without a field is an issue about the whole request", () => {
  const judge: Upstream["judge"] = () => ({ ok: false, type: "validation_error", message: "m" });
  const about = (operation: string) => {
    const read = readJudged({ ...accepting, judge }, operation, answer(400, ""), 0);
    return !read.ok && read.fault.error.issues;
  };
  const issue = { path: "", code: "refused", message: "m" };
  expect(about("archive.captures.list")).toEqual([{ in: "query", ...issue }]);
  expect(about("security.advisories.batch")).toEqual([{ in: "body", ...issue }]);
});

test("a library sees every answer but half ones and temporary refusals", () => {
  const read = (incoming: Parameters<typeof readFetched>[0]) => {
    const result = readFetched(incoming, 0);
    return result.ok ? "ok" : result.fault.cause;
  };
  expect(read(answer(403, ""))).toBe("ok");
  expect(read(answer(200, "<html>"))).toBe("ok");
  expect(read(answer(200, "", {}, true))).toBe("truncated");
  expect(read(answer(503, "", { "retry-after": "2" }))).toBe("http_503");
});

test("a response carries the unpacked body", async () => {
  const headers = { "content-encoding": "gzip", "content-length": "3", "x-own": "1" };
  const response = toResponse(answer(200, '{"a":1}', headers), "https://a.example/");
  expect(await response.json()).toEqual({ a: 1 });
  expect([...response.headers.keys()]).toEqual(["x-own"]);
  expect(toResponse(answer(304, ""), "https://a.example/").body).toBeNull();
});
