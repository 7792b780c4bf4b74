import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Gateway } from "../../gateway.ts";
import { ask, cancel, handIn, inState, result, serp, show } from "./caller.ts";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await Gateway.start({ pools: "social,seo,serp" });
}, 120_000);
afterEach(async () => {
  expect(await gateway.violations()).toEqual([]);
});
afterAll(() => gateway.stop());

const caller = (more: { credits?: number } = {}) =>
  gateway.key({ mode: "test", credits: 1000, rate: 1000, ...more });

test("a call is handed in, ends, and its result is the answer of one that waits", async () => {
  const { key, accountId } = await caller();
  const handedIn = await handIn(gateway, key);
  expect(handedIn.status, handedIn.text).toBe(202);
  const { request_id: id } = handedIn.body.data;
  expect(handedIn.headers.get("location")).toBe(`/jobs/${id}`);
  expect(handedIn.headers.get("preference-applied")).toBe("respond-async");
  expect(handedIn.headers.get("svc-request-id")).toBe(id);
  expect(handedIn.text.length).toBeLessThanOrEqual(1024);

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

test("a failure is kept with its status and its bytes", async () => {
  const { key, accountId } = await caller();
  const { body } = await handIn(gateway, key, { scenario: "upstream_error" });
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
  const { key, accountId } = await caller();
  const { body } = await handIn(gateway, key, { scenario: "slow" });
  const { request_id: id } = body.data;
  await inState(gateway, key, id, ["running"]);
  expect((await result(gateway, key, id)).status).toBe(409);
  const cancelled = await cancel(gateway, key, id);
  expect(cancelled.status).toBe(200);
  expect(cancelled.body.data.state).toBe("cancelled");
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 1000, held: 0 });
  expect((await result(gateway, key, id)).status).toBe(404);
});

test("the same key is the same job", async () => {
  const { key } = await caller();
  const asked = { ...serp, idempotencyKey: "one" };
  const first = await handIn(gateway, key, asked);
  const second = await handIn(gateway, key, asked);
  expect([first.status, second.status], first.text).toEqual([202, 202]);
  expect(second.headers.get("location")).toBe(first.headers.get("location"));
  const { request_id: id } = first.body.data;
  const waited = await ask(gateway, key, asked);
  expect(waited.status).toBe(200);
  expect(waited.headers.get("idempotency-replayed")).toBe("true");
  expect(waited.text).toBe((await result(gateway, key, id, 30)).text);
});

test("jobs are their account's", async () => {
  const { key } = await caller();
  const other = await caller();
  const { request_id: id } = (await handIn(gateway, key)).body.data;
  expect((await show(gateway, other.key, id)).status).toBe(404);
  expect((await result(gateway, other.key, id)).status).toBe(404);
  expect((await cancel(gateway, other.key, id)).status).toBe(404);
  expect((await result(gateway, key, id, 30)).status).toBe(200);
});
