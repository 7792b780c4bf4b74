import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ListCall, list, one } from "../../client/src/calls.ts";
import { outgoing } from "../../client/src/requests.ts";
import { ConnectionError, DeadlineError, isGatewayError } from "../../client/src/errors.ts";
import { Transport } from "../../client/src/transport.ts";

type Play = (request: IncomingMessage, response: ServerResponse) => void;

let url: string;
let plays: Play[] = [];
let seen: { method: string; path: string; key: string | undefined; at: number }[] = [];
const server = createServer((request, response) => {
  const key = request.headers["idempotency-key"] as string | undefined;
  seen.push({ method: request.method ?? "", path: request.url ?? "", key, at: Date.now() });
  request.resume().on("end", () => (plays.shift() ?? ok({ data: "done" }))(request, response));
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  plays = [];
  seen = [];
});

const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Play =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
const ok = (body: unknown) => answer(200, body);
const failed = (status: number, type: string, headers?: Record<string, string>) =>
  answer(status, { error: { type, message: type, request_id: "svc_1" } }, headers);
const soon = ["upstream_unavailable", { "retry-after": "0" }] as const;
const cut: Play = (_, response) => {
  response.writeHead(200, { "content-length": "100" });
  response.write("{", () => response.destroy());
};
const silent: Play = () => undefined;

const transport = (options: object = {}) =>
  new Transport({ key: "svc_test_x", baseUrl: url, ...options });
const post = { method: "POST", path: "/a" } as const;

test("fields go into the path, the query or the body", () => {
  const route = { method: "GET", path: "/users/{name}/posts" } as const;
  expect(outgoing(route, { name: "a/b c", limit: 5, tags: ["x", "y"], none: undefined })).toEqual({
    method: "GET",
    path: "/users/a%2Fb%20c/posts?limit=5&tags=x%2Cy",
  });
  expect(outgoing({ ...route, method: "POST" }, { name: "n", limit: 5 })).toEqual({
    method: "POST",
    path: "/users/n/posts",
    body: '{"limit":5}',
  });
  expect(() => outgoing(route, {})).toThrow("name: is required");
});

test("a path of the base URL is kept", async () => {
  await transport({ baseUrl: `${url}/gateway/` }).json({ method: "GET", path: "/a" });
  expect(seen[0]?.path).toBe("/gateway/a");
});

test("a transient failure is retried under the same key; each call has its own key", async () => {
  plays = [failed(503, ...soon), cut, failed(504, ...soon)];
  expect(await transport().json(post)).toEqual({ data: "done" });
  expect(seen).toHaveLength(4);
  expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
  expect(seen[0]?.key).toMatch(/^[0-9a-f]{32}$/);
  await transport().json(post);
  expect(seen[4]?.key).not.toBe(seen[0]?.key);
});

test("a GET of an operation has a key for its retries, and without retries none", async () => {
  const route = { method: "GET", path: "/a" } as const;
  plays = [failed(503, ...soon), ok({ data: 1 }), ok({ data: 2 })];
  await one(transport(), route, {});
  expect(seen[0]?.key).toMatch(/^[0-9a-f]{32}$/);
  expect(seen[1]?.key).toBe(seen[0]?.key);
  await one(transport(), route, {}, { retries: 0 });
  expect(seen[2]?.key).toBeUndefined();
});

test("Retry-After is obeyed", async () => {
  plays = [failed(429, "rate_limited", { "retry-after": "1" })];
  await transport().json(post);
  expect(Number(seen[1]?.at) - Number(seen[0]?.at)).toBeGreaterThanOrEqual(1000);
});

test.for([400, 401, 402, 404, 422, 500, 502, 503])(
  "status %i without Retry-After is not repeated",
  async (status) => {
    plays = [failed(status, "upstream_error")];
    const error = await transport()
      .json(post)
      .catch((caught: unknown) => caught);
    expect(isGatewayError(error, "upstream_error") && error.status).toBe(status);
    expect(isGatewayError(error) && error.requestId).toBe("svc_1");
    expect(seen).toHaveLength(1);
  },
);

test("an error has all fields of the gateway's error", async () => {
  const issues = [{ in: "body", path: "q", code: "required", message: "q: is required" }];
  plays = [
    answer(400, {
      error: { type: "validation_error", message: "no", issues, billing: { balance_remaining: 3 } },
    }),
  ];
  const error = await transport()
    .json(post)
    .catch((caught: unknown) => caught);
  expect(error).toMatchObject({
    type: "validation_error",
    issues,
    billing: { balance_remaining: 3 },
  });
});

test("the last failure is thrown when the retries are used up", async () => {
  plays = Array.from({ length: 9 }, () =>
    failed(503, "upstream_unavailable", { "retry-after": "0" }),
  );
  await expect(transport({ retries: 2 }).json(post)).rejects.toMatchObject({ status: 503 });
  expect(seen).toHaveLength(3);
});

test("a pause longer than the call's remaining time is not begun", async () => {
  plays = [failed(429, "rate_limited", { "retry-after": "60" })];
  const startedAt = Date.now();
  const patient = transport({ timeoutMs: 30_000 });
  await expect(patient.json(post)).rejects.toMatchObject({ retryAfter: 60 });
  expect(Date.now() - startedAt).toBeLessThan(30_000);
});

test("a silent gateway ends in a DeadlineError", async () => {
  plays = [silent];
  // Long enough for the request to arrive on a busy machine: a later one would be seen by the next test.
  await expect(transport({ timeoutMs: 2000 }).json(post)).rejects.toBeInstanceOf(DeadlineError);
  expect(seen).toHaveLength(1);
});

test("a signal ends a call with its own reason, also during a pause", async () => {
  plays = [failed(503, "upstream_unavailable", { "retry-after": "30" })];
  const stop = new AbortController();
  const call = transport().json(post, { signal: stop.signal });
  const reason = new Error("enough");
  const timer = setInterval(() => {
    if (seen.length > 0) stop.abort(reason);
  }, 100);
  await expect(call).rejects.toBe(reason);
  clearInterval(timer);
  expect(seen).toHaveLength(1);
});

test("an answer from something other than the gateway is a ConnectionError with its status", async () => {
  plays = [answer(404, "<html>")];
  const error = await transport()
    .json(post)
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ConnectionError);
  expect((error as Error).message).toContain("404");
  expect(seen).toHaveLength(1);
  plays = [answer(502, "<html>")];
  expect(await transport().json(post)).toEqual({ data: "done" });
});

test("a redirect is an error: neither the input nor the key of the call goes elsewhere", async () => {
  for (const status of [301, 307]) {
    plays = [answer(status, "", { location: `${url}/elsewhere` })];
    const error = await transport()
      .json({ ...post, body: "{}" })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as Error).message).toContain("redirect");
  }
  expect(seen.map(({ path }) => path)).toEqual(["/a", "/a"]);
});

test("a refused connection is retried, then reported", async () => {
  const call = transport({ baseUrl: "http://127.0.0.1:9", retries: 1 }).json(post);
  await expect(call).rejects.toBeInstanceOf(ConnectionError);
});

test("a call is sent when it is awaited, and once", async () => {
  const call = one<{ data: string }>(transport(), { method: "GET", path: "/a" }, {});
  expect(seen).toHaveLength(0);
  expect((await call).data).toBe("done");
  expect((await call).data).toBe("done");
  expect(seen).toHaveLength(1);
});

interface Page {
  data: number[];
  pagination: { next_cursor: string | null };
}
const page = (data: number[], next: string | null) =>
  ok({ data, pagination: { has_more: next !== null, next_cursor: next } });

test("a list yields every record of every page, and requests no page too early", async () => {
  plays = [page([1, 2], "c1"), page([], "c2"), page([3], null)];
  const call: ListCall<Page> = list(transport(), { method: "GET", path: "/a" }, { q: "x" });
  const found: number[] = [];
  for await (const record of call) {
    found.push(record);
    if (record === 1) expect(seen).toHaveLength(1);
  }
  expect(found).toEqual([1, 2, 3]);
  expect(seen.map(({ path }) => path)).toEqual(["/a?q=x", "/a?q=x&cursor=c1", "/a?q=x&cursor=c2"]);
  plays = [page([1, 2], "c1")];
  expect(await list<Page>(transport(), post, {}).toArray({ limit: 2 })).toEqual([1, 2]);
  expect(seen).toHaveLength(4);
});
