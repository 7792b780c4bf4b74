import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Gateway } from "../gateway.ts";
import { type Origin, startOrigin } from "../origin.ts";
import { fiftyConcurrentRetries, render as ask, sameKeyTwice } from "./cases.ts";

let origin: Origin;
let gateway: Gateway;
beforeAll(async () => {
  origin = await startOrigin();
  gateway = await Gateway.start({ pools: "browser", env: { EGRESS_ALLOW: origin.address } });
});
afterEach(async () => {
  expect(await gateway.violations()).toEqual([]);
});
afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

const render = (key: string, path: string, idempotencyKey: string, route = "/browser/html") =>
  ask({ gateway, origin }, key, path, { idempotencyKey, route });

test("case 1: the same key twice is one call, one charge and the same bytes", () =>
  sameKeyTwice({ gateway, origin }));

test("case 1: a body over 64 KiB replays to the byte as well", async () => {
  const { key, accountId } = await gateway.key({ credits: 10 });
  const first = await render(key, "/large?size=3000000", "large");
  const second = await render(key, "/large?size=3000000", "large");
  expect(first.status).toBe(200);
  expect(first.text.length).toBeGreaterThan(3_000_000);
  expect(second.text === first.text).toBe(true);
  expect(second.headers.get("idempotency-replayed")).toBe("true");
  expect(await gateway.balance(accountId)).toEqual({ balance: 9, held: 0 });
});

test("case 2: a key reused for another request is refused and the first answer still replays", async () => {
  const { key, accountId } = await gateway.key({ credits: 10 });
  const first = await render(key, "/case2", "two");
  for (const other of [
    await render(key, "/case2?other", "two"),
    await render(key, "/case2", "two", "/browser/markdown"),
  ]) {
    expect(other.status).toBe(422);
    expect(other.body.error.type).toBe("validation_error");
    expect(other.body.error.issues).toMatchObject([{ in: "header", path: "Idempotency-Key" }]);
  }
  expect((await render(key, "/case2", "two")).text).toBe(first.text);
  expect(await gateway.balance(accountId)).toEqual({ balance: 9, held: 0 });
});

test("case 2: keys belong to one account and mode", async () => {
  const one = await gateway.key({ credits: 10 });
  const two = await gateway.key({ credits: 10 });
  const first = await render(one.key, "/scope", "shared");
  const second = await render(two.key, "/scope", "shared");
  expect(second.status).toBe(200);
  expect(second.headers.get("idempotency-replayed")).toBeNull();
  expect(second.body.request_id).not.toBe(first.body.request_id);
});

test("case 3: fifty concurrent retries are one call and one charge", () =>
  fiftyConcurrentRetries({ gateway, origin }));

test("case 3: the same on two API processes", async () => {
  const other = await gateway.startApi();
  await fiftyConcurrentRetries({ gateway, origin });
  await other.process.kill("SIGTERM");
  gateway.apis.pop();
});

test("case 5: a fault frees the key, a 404 is kept", async () => {
  const { key, accountId } = await gateway.key({ credits: 10 });
  origin.script("/case5", [500, 500, 500]);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const failed = await render(key, "/case5", "five");
    expect(failed.status).toBe(502);
    expect(failed.headers.get("idempotency-replayed")).toBeNull();
  }
  expect(await gateway.balance(accountId)).toEqual({ balance: 10, held: 0 });
  const retried = await render(key, "/case5", "five");
  expect(retried.status).toBe(200);
  expect(retried.headers.get("idempotency-replayed")).toBeNull();
  expect(origin.visits("/case5")).toBe(4);
  expect(await gateway.balance(accountId)).toEqual({ balance: 9, held: 0 });

  const missing = await render(key, "/absent?status=404", "five-404");
  const again = await render(key, "/absent?status=404", "five-404");
  expect(missing.status).toBe(404);
  expect(again.text).toBe(missing.text);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(origin.visits("/absent")).toBe(1);
  expect(await gateway.balance(accountId)).toEqual({ balance: 9, held: 0 });
});

test("case 6: a key is forgotten after 24 hours and not before", async () => {
  const { key, accountId } = await gateway.key({ credits: 10 });
  const first = await render(key, "/case6", "six");
  const age = (interval: string) =>
    gateway.db
      .sql`update replays set created_at = now() - ${interval}::interval where account_id = ${accountId}`;
  await age("23 hours 59 minutes");
  expect((await render(key, "/case6", "six")).text).toBe(first.text);
  await age("24 hours 1 second");
  const anew = await render(key, "/case6", "six");
  expect(anew.status).toBe(200);
  expect(anew.headers.get("idempotency-replayed")).toBeNull();
  expect(origin.visits("/case6")).toBe(2);
  expect(await gateway.balance(accountId)).toEqual({ balance: 8, held: 0 });
});

test("malformed keys are named before anything is charged", async () => {
  const { key, accountId } = await gateway.key({ credits: 10 });
  for (const value of ["", '""', "x".repeat(256), "caf\u00e9"]) {
    const answer = await render(key, "/never", value);
    expect(answer.status, value).toBe(400);
    expect(answer.body.error.issues?.[0]).toMatchObject({ in: "header", path: "Idempotency-Key" });
  }
  expect(origin.visits("/never")).toBe(0);
  expect(await gateway.balance(accountId)).toEqual({ balance: 10, held: 0 });
});
