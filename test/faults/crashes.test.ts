import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Envelope, type ErrorEnvelope, Gateway, until } from "../gateway.ts";
import { type Origin, startOrigin } from "../origin.ts";

let origin: Origin;
let gateway: Gateway;
beforeAll(async () => {
  origin = await startOrigin();
  gateway = await Gateway.start({ pools: "browser", env: { EGRESS_ALLOW: origin.address } });
}, 60_000);
afterEach(async () => {
  expect(await gateway.violations()).toEqual([]);
});
afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

const render = (
  key: string,
  path: string,
  options: { idempotencyKey?: string; signal?: AbortSignal; url?: string } = {},
) =>
  gateway.call<Envelope & ErrorEnvelope>(key, "POST", "/browser/html", {
    body: { url: origin.url + path },
    ...(options.idempotencyKey ? { headers: { "Idempotency-Key": options.idempotencyKey } } : {}),
    ...(options.signal ? { signal: options.signal } : {}),
    ...(options.url ? { url: options.url } : {}),
  });

const points = ["after_reserve", "after_enqueue", "after_result", "after_settle", "before_write"];

test.each(points)("case 4: an API that dies %s charges a keyed call once", async (point) => {
  const { key, accountId } = await gateway.key({ credits: 10 });
  const doomed = await gateway.startApi({ FAULT_POINT: point });
  const idempotencyKey = `four-${point}`;
  await expect(render(key, `/${point}`, { idempotencyKey, url: doomed.url })).rejects.toThrow();
  expect(await doomed.process.ended).toBe("SIGKILL");
  gateway.apis.pop();

  const answer = await render(key, `/${point}`, { idempotencyKey });
  expect(answer.status, answer.text).toBe(200);
  if (point === "after_settle" || point === "before_write") {
    expect(answer.headers.get("idempotency-replayed")).toBe("true");
  }
  expect(origin.visits(`/${point}`)).toBe(1);
  expect(await gateway.balance(accountId)).toEqual({ balance: 9, held: 0 });
});

test("case 4: the hold of an unkeyed call returns when it expires", async () => {
  const { key, accountId } = await gateway.key({ credits: 10 });
  const doomed = await gateway.startApi({ FAULT_POINT: "after_reserve" });
  await expect(render(key, "/unkeyed", { url: doomed.url })).rejects.toThrow();
  gateway.apis.pop();
  expect(await gateway.balance(accountId)).toEqual({ balance: 10, held: 1 });
  await gateway.db
    .sql`update holds set deadline = now() - interval '61 seconds' where account_id = ${accountId}`;
  const sweeping = await gateway.startApi({ SWEEP_EVERY_MS: "200" });
  await until(async () => (await gateway.balance(accountId)).held === 0, 10_000);
  expect(await gateway.balance(accountId)).toEqual({ balance: 10, held: 0 });
  await sweeping.process.kill("SIGTERM");
  gateway.apis.pop();
});

test("case 16: another worker takes over a killed worker's job and it is charged once", async () => {
  const { key, accountId } = await gateway.key({ credits: 10 });
  const pending = render(key, "/takeover?ms=3000");
  await until(() => origin.visits("/takeover") === 1);
  await gateway.workers[0]?.kill("SIGKILL");
  const killedAt = Date.now();
  await gateway.startWorker({ WORKER_POOLS: "browser" });
  const answer = await pending;
  expect(answer.status, answer.text).toBe(200);
  expect(Date.now() - killedAt).toBeLessThan(15_000 + 3000 + 2000);
  expect(origin.visits("/takeover")).toBe(2);
  expect(await gateway.balance(accountId)).toEqual({ balance: 9, held: 0 });
}, 60_000);

test("case 18: a caller who leaves without a key stops the work and pays nothing", async () => {
  const { key, accountId } = await gateway.key({ credits: 10 });
  const leaving = new AbortController();
  const pending = render(key, "/leave?ms=10000", { signal: leaving.signal });
  await until(() => origin.visits("/leave") === 1);
  const before = origin.aborted();
  leaving.abort();
  await expect(pending).rejects.toThrow();
  const leftAt = Date.now();
  await until(() => origin.aborted() > before, 5000);
  expect(Date.now() - leftAt).toBeLessThan(2500);
  await until(async () => (await gateway.balance(accountId)).held === 0, 5000);
  expect(await gateway.balance(accountId)).toEqual({ balance: 10, held: 0 });
});

test("case 18: the work of a keyed call goes on and its retry gets the answer", async () => {
  const { key, accountId } = await gateway.key({ credits: 10 });
  const leaving = new AbortController();
  const pending = render(key, "/keyed?ms=2500", { idempotencyKey: "left", signal: leaving.signal });
  await until(() => origin.visits("/keyed") === 1);
  leaving.abort();
  await expect(pending).rejects.toThrow();
  const retried = await render(key, "/keyed?ms=2500", { idempotencyKey: "left" });
  expect(retried.status, retried.text).toBe(200);
  expect(retried.headers.get("idempotency-replayed")).toBe("true");
  expect(origin.visits("/keyed")).toBe(1);
  expect(await gateway.balance(accountId)).toEqual({ balance: 9, held: 0 });
});

test("case 19: a stopping API finishes what it has, refuses the rest and exits 0", async () => {
  const { key, accountId } = await gateway.key({ credits: 100 });
  const stopping = await gateway.startApi();
  const pending = Array.from({ length: 20 }, (_, index) =>
    render(key, `/stop${index}?ms=1500`, { url: stopping.url }),
  );
  await until(async () => (await gateway.balance(accountId)).held === 20);
  stopping.process.child.kill("SIGTERM");
  await sleep(200);
  const late = await render(key, "/late", { url: stopping.url }).then(
    (answer) => answer.status,
    () => "refused",
  );
  expect([503, "refused"]).toContain(late);
  const answers = await Promise.all(pending);
  expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(200));
  expect(await stopping.process.ended).toBe(0);
  gateway.apis.pop();
  expect(origin.visits("/late")).toBe(0);
  expect(await gateway.balance(accountId)).toEqual({ balance: 80, held: 0 });
}, 60_000);
