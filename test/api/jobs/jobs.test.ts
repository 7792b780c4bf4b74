import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { BatchData } from "../../../contract/batches.ts";
import { revokeKey } from "../../../db/keys.ts";
import { type Envelope, type ErrorEnvelope, Gateway, until } from "../../gateway.ts";
import { clientOf } from "../../redis.ts";
import {
  type JobAnswer,
  ask,
  caller,
  cancel,
  submit,
  inState,
  queued,
  result,
  serp,
  show,
  unserved,
} from "./caller.ts";

type Batch = Envelope<BatchData>;

let gateway: Gateway;
let redis: Redis;
beforeAll(async () => {
  gateway = await Gateway.start({ pools: "social,seo,serp" });
  redis = clientOf(gateway.redis.url);
});
afterEach(async () => {
  expect(await gateway.violations()).toEqual([]);
});
afterAll(async () => {
  redis.disconnect();
  await gateway.stop();
});

test("POST /jobs submits any operation, and its answers are those of the operation's own path", async () => {
  const { key, accountId } = await caller(gateway);
  const post = (body: object, headers: Record<string, string> = {}) =>
    gateway.call<JobAnswer>(key, "POST", "/jobs", { body, headers });
  const get = { operation: "shortclip.search", input: { q: "street food", limit: 3 } };
  const once = { "idempotency-key": "door" };
  const first = await post({ ...get, fields: "id", max_credits: 2 }, once);
  expect(first.status, first.text).toBe(202);
  const { request_id: id, operation } = first.body.data;
  expect(operation).toBe("shortclip.search");
  expect(first.headers.get("location")).toBe(`/jobs/${id}`);
  expect(first.headers.has("preference-applied")).toBe(false);
  const found = await result(gateway, key, id, 30);
  expect(found.body.data).toHaveLength(2);
  expect(Object.keys((found.body.data as unknown as object[])[0] ?? {})).toEqual(["id"]);

  const again = await post({ ...get, fields: "id", max_credits: 2 }, once);
  expect([again.status, again.body.data.request_id]).toEqual([202, id]);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  const other = await post({ operation: "seo.serp.search", input: serp.body }, once);
  expect(other.body.error.issues?.[0]?.code).toBe("key_reused");

  const { body } = await post({ operation: "seo.serp.search", input: serp.body });
  const answer = await result(gateway, key, body.data.request_id, 30);
  expect(answer.status, answer.text).toBe(200);

  const inPath = { operation: "shortclip.videos.get", input: { video_id: "7300000000000000001" } };
  const one = await post(inPath);
  expect(one.status, one.text).toBe(202);
  expect((await result(gateway, key, one.body.data.request_id, 30)).status).toBe(200);

  const wrong = await Promise.all([
    post({ operation: "shortclip.serch", input: {} }),
    post({ operation: "shortclip.search", input: { q: "tea", limit: 0 } }),
    post({ ...get, fields: "none" }),
    post({ operation: "geo.serp", input: { query: "tea" }, max_credits: 9 }),
    post({ ...get, webhook_url: "http://example.com/" }),
    post({ operation: "web.crawl", input: { url: "https://example.com/" } }),
  ]);
  expect(wrong.map(({ status, body: { error } }) => [status, error.issues?.[0]?.path])).toEqual([
    [400, "operation"],
    [400, "input.limit"],
    [400, "fields"],
    [400, "max_credits"],
    [400, "webhook_url"],
    [400, "operation"],
  ]);
  const messages = wrong.map(({ body: { error } }) => error.message);
  expect(messages[1]).toBe("input.limit: must be at least 1");
  expect(messages[3]).toBe(`max_credits: ${wrong[3]?.body.error.issues?.[0]?.message}`);
  expect(messages[5]).toContain("POST /web/crawl starts a crawl");
  expect(wrong[0]?.body.error.message).toContain("; the nearest are shortclip.search, ");
  const path = await gateway.call<ErrorEnvelope>(key, "GET", "/shortclip/serch?q=tea");
  expect(path.body.error.message).toBe(
    "There is no such path; the nearest is GET /shortclip/search",
  );
  expect((await gateway.balance(accountId, "test")).held).toBe(0);
});

test("a call is submitted, ends, and its result is the answer of a synchronous call", async () => {
  const { key, accountId } = await caller(gateway);
  const submitted = await submit(gateway, key);
  expect(submitted.status, submitted.text).toBe(202);
  const { request_id: id } = submitted.body.data;
  expect(submitted.headers.get("location")).toBe(`/jobs/${id}`);
  expect(submitted.headers.get("preference-applied")).toBe("respond-async");
  expect(submitted.headers.get("svc-request-id")).toBe(id);
  expect(submitted.text.length).toBeLessThanOrEqual(1024);

  const answer = await result(gateway, key, id, 30);
  expect(answer.status, answer.text).toBe(200);
  const job = await inState(gateway, key, id, ["succeeded"]);
  expect(job).toMatchObject({ status: 200, billing: { credits_charged: 3 } });
  const waited = await ask(gateway, key);
  expect(answer.body.request_id).toBe(id);
  expect({ ...answer.body, request_id: "", billing: "", pagination: "" }).toEqual({
    ...waited.body,
    request_id: "",
    billing: "",
    pagination: "",
  });
  expect((await result(gateway, key, id)).text).toBe(answer.text);
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 994, held: 0 });
});

test("a failure keeps its status and its bytes", async () => {
  const { key, accountId } = await caller(gateway);
  const { body } = await submit(gateway, key, { scenario: "upstream_error" });
  const { request_id: id } = body.data;
  const failed = await result(gateway, key, id, 30);
  expect(failed.status).toBe(502);
  expect(failed.body.error).toMatchObject({ type: "upstream_error", request_id: id });
  const job = await inState(gateway, key, id, ["failed"]);
  expect(job).toMatchObject({ status: 502, error: { type: "upstream_error" } });
  expect((await result(gateway, key, id)).text).toBe(failed.text);
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 1000, held: 0 });
});

test("a running job that is cancelled stops and costs nothing", async () => {
  const { key, accountId } = await caller(gateway);
  const { body } = await submit(gateway, key, { scenario: "slow" });
  const { request_id: id } = body.data;
  await inState(gateway, key, id, ["running"]);
  expect((await result(gateway, key, id)).status).toBe(409);
  const cancelled = await cancel(gateway, key, id);
  expect(cancelled.status).toBe(200);
  expect(cancelled.body.data.state).toBe("cancelled");
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 1000, held: 0 });
  expect((await result(gateway, key, id)).status).toBe(404);
});

test("the jobs of a revoked key end, cost nothing and say why; those of another key go on", async () => {
  const { key, keyId, accountId } = await caller(gateway);
  const kept = await gateway.secondKey(accountId, "test");
  const submitted = await Promise.all([
    submit(gateway, key, { scenario: "slow" }),
    submit(gateway, key, unserved),
    submit(gateway, kept, { scenario: "slow" }),
  ]);
  const [running, waiting, other] = submitted.map(({ body }) => body.data.request_id) as [
    string,
    string,
    string,
  ];
  await inState(gateway, key, running, ["running"]);
  await revokeKey(gateway.db, keyId);
  for (const id of [running, waiting])
    expect((await show(gateway, kept, id)).body.data).toMatchObject({
      state: "cancelled",
      error: { type: "unauthorized", message: `The key ${keyId} was revoked` },
    });
  expect((await result(gateway, kept, other, 30)).status).toBe(200);
  await until(async () => (await queued(redis)) === 0);
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 997, held: 0 });
});

test("the batches of a revoked key end: nothing more starts or is charged, and the state says why", async () => {
  const { key, keyId, accountId } = await caller(gateway);
  const kept = await gateway.secondKey(accountId, "test");
  const items = Array.from({ length: 100 }, (_, index) => ({
    custom_id: `k-${index}`,
    operation: "shortclip.search",
    input: { q: `food ${index}`, limit: 3 },
  }));
  const headers = { "svc-test-scenario": "slow" };
  const submitted = await gateway.call<Batch>(key, "POST", "/batches", {
    body: { items },
    headers,
  });
  const { id } = submitted.body.data;
  const path = `/batches/${id}`;
  const look = async () => (await gateway.call<Batch>(kept, "GET", path)).body.data;
  await until(async () => (await look()).items.succeeded > 0);
  await revokeKey(gateway.db, keyId);
  const [atRevocation] = await gateway.db.sql`
    select charged from batches where key_id = ${keyId}`;
  await until(async () => (await look()).state === "cancelled");
  expect(await look()).toMatchObject({
    items: { queued: 0, running: 0 },
    credits: { held: 0, charged: atRevocation?.["charged"] },
    error: { type: "unauthorized", message: `The key ${keyId} was revoked` },
  });
  const ended = (await gateway.results(kept, id)).length;
  expect(atRevocation?.["charged"]).toBe(ended * 3);
});

test("a queued job reports its position, and never runs once it is cancelled", async () => {
  const { key, accountId } = await caller(gateway);
  const one = (await submit(gateway, key, unserved)).body.data.request_id;
  const two = (await submit(gateway, key, unserved)).body.data.request_id;
  expect((await show(gateway, key, one)).body.data).toMatchObject({ state: "queued", position: 1 });
  expect((await show(gateway, key, two)).body.data).toMatchObject({ state: "queued", position: 2 });
  const early = await result(gateway, key, one);
  expect(early.status).toBe(409);
  expect(early.headers.get("retry-after")).toBe("1");
  expect(early.body.error.issues).toMatchObject([{ code: "job_not_ended", path: "request_id" }]);
  for (const id of [one, two]) {
    const cancelled = await cancel(gateway, key, id);
    expect(cancelled.body.data, cancelled.text).toMatchObject({ state: "cancelled" });
  }
  expect((await cancel(gateway, key, one)).status).toBe(200);
  await until(async () => (await queued(redis)) === 0);
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 1000, held: 0 });
});

test("a call that has joined a job learns that it ended, when the job is cancelled", async () => {
  const { key, accountId } = await caller(gateway);
  /** Undefined where the call came after the end of the job, and so ran by itself. */
  const join = async (idempotencyKey: string, joinsWithinMs: number) => {
    const request = { scenario: "slow", idempotencyKey };
    const { body } = await submit(gateway, key, request);
    await inState(gateway, key, body.data.request_id, ["running"]);
    const joining = ask(gateway, key, request);
    await sleep(joinsWithinMs);
    const { data } = (await cancel(gateway, key, body.data.request_id)).body;
    const joined = await joining;
    return data.state === "cancelled" && joined.status !== 200 ? joined : undefined;
  };
  const joined =
    (await join("shared", 300)) ?? (await join("again", 1000)) ?? (await join("late", 2000));
  expect(joined?.status).toBe(503);
  // The call may see the job missing before it sees the end of it.
  expect(joined?.body.error.message).toMatch(/; send (it|the call) again$/);
  expect(Number(joined?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await gateway.balance(accountId, "test")).held).toBe(0);
});

test("the same key is the same job", async () => {
  const { key } = await caller(gateway);
  const request = { ...serp, idempotencyKey: "one" };
  const first = await submit(gateway, key, request);
  const second = await submit(gateway, key, request);
  expect([first.status, second.status], first.text).toEqual([202, 202]);
  expect(second.headers.get("location")).toBe(first.headers.get("location"));
  const { request_id: id } = first.body.data;
  const waited = await ask(gateway, key, request);
  expect(waited.status).toBe(200);
  expect(waited.headers.get("idempotency-replayed")).toBe("true");
  expect(waited.text).toBe((await result(gateway, key, id, 30)).text);
});

test("jobs belong to their account", async () => {
  const { key } = await caller(gateway);
  const other = await caller(gateway);
  const { request_id: id } = (await submit(gateway, key)).body.data;
  expect((await show(gateway, other.key, id)).status).toBe(404);
  expect((await result(gateway, other.key, id)).status).toBe(404);
  expect((await cancel(gateway, other.key, id)).status).toBe(404);
  expect((await result(gateway, key, id, 30)).status).toBe(200);
});

test("Prefer: wait returns an answer that comes in time, and a job otherwise", async () => {
  const { key, accountId } = await caller(gateway);
  const quick = await ask(gateway, key, { prefer: "wait=30" });
  expect(quick.status, quick.text).toBe(200);
  expect(quick.headers.get("preference-applied")).toBe("wait=30");
  const failed = await ask(gateway, key, { prefer: "wait=30", scenario: "upstream_unavailable" });
  expect(failed.status, failed.text).toBe(503);
  expect(failed.headers.get("retry-after")).toBe("1");
  const slow = await ask(gateway, key, { prefer: "respond-async, wait=1", scenario: "slow" });
  expect(slow.status, slow.text).toBe(202);
  expect(slow.headers.get("preference-applied")).toBe("respond-async, wait=1");
  const { request_id: id } = slow.body.data;
  expect((await result(gateway, key, id, 60)).status).toBe(200);
  expect((await ask(gateway, key, { prefer: "wait=soon, depth-noroot" })).status).toBe(200);
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 991, held: 0 });
});

test("an error that a synchronous call would get at once is returned at once", async () => {
  const { key, accountId } = await caller(gateway, { credits: 0 });
  expect((await submit(gateway, key)).status).toBe(402);
  expect((await submit(gateway, key, { path: "/shortclip/search?limit=3" })).status).toBe(400);
  const { key: rich } = await caller(gateway);
  const forced = await submit(gateway, rich, { scenario: "rate_limited" });
  expect(forced.status).toBe(429);
  const other = { ...serp, body: { ...serp.body, limit: 1 } };
  expect((await submit(gateway, rich, { ...serp, idempotencyKey: "k" })).status).toBe(202);
  expect((await submit(gateway, rich, { ...other, idempotencyKey: "k" })).status).toBe(422);
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 0, held: 0 });
});

test("a key of a synchronous call answers as that call did", async () => {
  const { key } = await caller(gateway);
  const waited = await ask(gateway, key, { ...serp, idempotencyKey: "sync" });
  const later = await submit(gateway, key, { ...serp, idempotencyKey: "sync" });
  expect(later.status).toBe(200);
  expect(later.headers.get("preference-applied")).toBeNull();
  expect(later.text).toBe(waited.text);
});

test("cancelling an ended job answers that it has ended, and its result stays", async () => {
  const { key, accountId } = await caller(gateway);
  const { request_id: id } = (await submit(gateway, key)).body.data;
  await result(gateway, key, id, 30);
  const late = await cancel(gateway, key, id);
  expect(late.status).toBe(409);
  expect(late.body.error.issues).toMatchObject([{ code: "job_ended", path: "request_id" }]);
  expect((await result(gateway, key, id)).status).toBe(200);
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 997, held: 0 });
});

test("a job cancelled while it ends is charged or cancelled, never both", async () => {
  const { key, accountId } = await gateway.key({
    mode: "test",
    credits: 1000,
    inFlight: 100,
    rate: 10_000,
  });
  const seen = { succeeded: 0, cancelled: 0 };
  let charged = 0;
  for (let round = 0; round < 30; round += 1) {
    const { request_id: id } = (await submit(gateway, key)).body.data;
    await sleep((round % 10) * 3);
    const { status } = await cancel(gateway, key, id);
    const { state, billing } = await inState(gateway, key, id, ["succeeded", "cancelled"]);
    expect(status).toBe(state === "cancelled" ? 200 : 409);
    expect(billing?.credits_charged).toBe(state === "cancelled" ? undefined : 3);
    const answer = await result(gateway, key, id);
    expect(answer.status).toBe(state === "cancelled" ? 404 : 200);
    seen[state as keyof typeof seen] += 1;
    charged += billing?.credits_charged ?? 0;
  }
  console.log(`cancelled while it ends: ${JSON.stringify(seen)}`);
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 1000 - charged, held: 0 });
});
