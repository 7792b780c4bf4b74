import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { addCredits } from "../../db/accounts.ts";
import { revokeKey } from "../../db/keys.ts";
import { Gateway, until } from "../gateway.ts";
import { type Origin, startOrigin } from "../origin.ts";
import { render as ask } from "./cases.ts";
import { besideMs, full } from "./full.ts";

/** Events that may happen beside a running call. */

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

const render = (key: string, path: string, options: Parameters<typeof ask>[3] = {}) =>
  ask({ gateway, origin }, key, path, options);

test("a key revoked while its call runs: the call ends normally, the next is 401", async () => {
  const { key, keyId, accountId } = await gateway.key({ credits: 10 });
  const release = origin.hold("/revoked");
  const pending = render(key, "/revoked");
  await until(() => origin.visits("/revoked") === 1);
  await revokeKey(gateway.db, keyId);
  await until(async () => (await gateway.call(key, "GET", "/account")).status === 401);
  expect((await render(key, "/revoked-next")).status).toBe(401);
  release();
  const answer = await pending;
  expect(answer.status, answer.text).toBe(200);
  expect(origin.visits("/revoked-next")).toBe(0);
  expect(await gateway.balance(accountId)).toEqual({ balance: 9, held: 0 });
});

test("a balance taken away while calls run: holds stay, the calls are paid for, the next is 402", async () => {
  const { key, accountId } = await gateway.key({ credits: 10 });
  const release = origin.hold("/taken");
  const pending = [0, 1, 2].map((index) => render(key, `/taken?${index}`));
  await until(async () => (await gateway.balance(accountId)).held === 3);
  const take = (credits: number) =>
    addCredits(gateway.db, accountId, "live", -credits, "correction");
  await expect(take(10)).rejects.toMatchObject({ code: "balance_too_low" });
  await take(7);
  expect((await render(key, "/taken-next")).status).toBe(402);
  release();
  const answers = await Promise.all(pending);
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
  expect(await gateway.balance(accountId)).toEqual({ balance: 0, held: 0 });
});

test("a worker asked to stop while its page hangs: the caller gets an answer in time, the worker exits 0", async () => {
  const { key, accountId } = await gateway.key({ credits: 10 });
  const hangsMs = full ? 5000 : 2500;
  const from = Date.now();
  const hanging = render(key, "/hangs?ms=120000", { timeoutMs: hangsMs });
  await until(() => origin.visits("/hangs") === 1);
  const worker = gateway.workers.shift();
  // However long the next worker takes to start.
  const answeredAfter = hanging.then(() => Date.now() - from);
  const ended = worker?.ended.then(() => Date.now() - from);
  worker?.child.kill("SIGTERM");
  await gateway.startWorker({ WORKER_POOLS: "browser" });
  // Another worker takes later calls.
  expect((await render(key, "/beside")).status).toBe(200);
  const answer = await hanging;
  expect(answer.status, answer.text).toBe(504);
  expect(await answeredAfter).toBeLessThan(hangsMs + 15_000 + 1000 + besideMs);
  expect(await worker?.ended).toBe(0);
  expect(await ended).toBeLessThan(hangsMs + 15_000 + 5000 + besideMs);
  expect(await gateway.balance(accountId)).toEqual({ balance: 9, held: 0 });
});

test("both API processes are restarted in turn under load: no call is lost", async () => {
  const { key } = await gateway.key({ mode: "test", credits: 100_000 });
  await gateway.startApi();
  let stopping = 0;
  const openRequests = [0, 0];
  const statuses: number[] = [];
  let running = true;
  const load = Array.from({ length: 4 }, async () => {
    while (running) {
      // Like a load balancer, which sends nothing more to a stopping process.
      const target = stopping === 0 ? 1 : 0;
      const { url } = gateway.apis[target] as { url: string };
      openRequests[target] = (openRequests[target] as number) + 1;
      statuses.push((await render(key, "/rolling", { url })).status);
      openRequests[target] = (openRequests[target] as number) - 1;
      // Four callers stay within their account's rate.
      await sleep(100);
    }
  });
  for (const at of [0, 1]) {
    stopping = at;
    // Requests about to be sent have been sent; case 19 covers the calls of a stopping process.
    await until(() => openRequests[at] === 0);
    const leaving = gateway.apis[at] as (typeof gateway.apis)[number];
    await leaving.process.kill("SIGTERM");
    expect(leaving.process.child.exitCode).toBe(0);
    const fresh = await gateway.startApi();
    gateway.apis.pop();
    gateway.apis[at] = fresh;
  }
  running = false;
  await Promise.all(load);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(statuses.length).toBeGreaterThan(10);
});

// On the second of the two processes that the test above leaves.
test("the API process that runs a call is killed while concurrent retries wait on another: they are answered, charged once", async () => {
  const { key, accountId } = await gateway.key({ credits: 10 });
  const doomed = gateway.apis.pop() as (typeof gateway.apis)[number];
  const options = { idempotencyKey: "orphan" };
  const release = origin.hold("/orphan");
  const first = render(key, "/orphan", { ...options, url: doomed.url }).catch(() => "cut");
  await until(() => origin.visits("/orphan") === 1);
  const retries = Array.from({ length: 5 }, () => render(key, "/orphan", options));
  await sleep(500);
  await doomed.process.kill("SIGKILL");
  expect(await first).toBe("cut");
  release();
  const answers = await Promise.all(retries);
  expect(answers.map((answer) => answer.status)).toEqual(Array(5).fill(200));
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
  expect(origin.visits("/orphan")).toBe(1);
  expect(await gateway.balance(accountId)).toEqual({ balance: 9, held: 0 });
});
