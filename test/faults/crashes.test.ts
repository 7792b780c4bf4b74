import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Gateway, until } from "../gateway.ts";
import { type Origin, startOrigin } from "../origin.ts";
import { diesAt, points, render as ask, takenOver } from "./cases.ts";
import { besideMs } from "./full.ts";

let origin: Origin;
let gateway: Gateway;
beforeAll(async () => {
  origin = await startOrigin();
  gateway = await Gateway.start({ pools: "browser", env: { EGRESS_ALLOW: origin.address } });
});
afterAll(async () => {
  try {
    expect(await gateway.violations()).toEqual([]);
  } finally {
    await gateway.stop();
    await origin.stop();
  }
});

const render = (key: string, path: string, options: Parameters<typeof ask>[3] = {}) =>
  ask({ gateway, origin }, key, path, options);

/** Resolves once the killed worker of case 16 is gone; the other cases run while its job waits. */
const killed = Promise.withResolvers<void>();

test.concurrent("case 16: another worker takes over a killed worker's job and it is charged once", async () => {
  try {
    const { ms } = await takenOver({ gateway, origin }, { killed: killed.resolve });
    console.log(`case 16: answered ${ms} ms after the kill`);
  } finally {
    killed.resolve();
  }
});

test.concurrent.each(points)(
  "case 4: an API that dies %s charges a keyed call once",
  async (point) => {
    await killed.promise;
    await diesAt({ gateway, origin }, point);
  },
);

test.concurrent("case 4: the hold of an unkeyed call returns when it expires", async () => {
  await killed.promise;
  const { key, accountId } = await gateway.key({ credits: 10 });
  const doomed = await gateway.startApi({ FAULT_POINT: "after_reserve" });
  await expect(render(key, "/unkeyed", { url: doomed.url })).rejects.toThrow();
  gateway.apis.splice(gateway.apis.indexOf(doomed), 1);
  expect(await gateway.balance(accountId)).toEqual({ balance: 10, held: 1 });
  await gateway.db.sql`
    update holds set deadline = now() - interval '61 seconds' where account_id = ${accountId}`;
  await until(async () => (await gateway.balance(accountId)).held === 0);
  expect(await gateway.balance(accountId)).toEqual({ balance: 10, held: 0 });
});

test("case 18: a caller who leaves without a key stops the work and pays nothing", async () => {
  const { key, accountId } = await gateway.key({ credits: 10 });
  const leaving = new AbortController();
  origin.hold("/leave");
  const pending = render(key, "/leave", { signal: leaving.signal, timeoutMs: 60_000 });
  await until(() => origin.visits("/leave") === 1);
  const before = origin.aborted();
  leaving.abort();
  await expect(pending).rejects.toThrow();
  const leftAt = Date.now();
  await until(() => origin.aborted() > before);
  const ms = Date.now() - leftAt;
  console.log(`case 18: the page's connection closed ${ms} ms after the caller left`);
  expect(ms).toBeLessThanOrEqual(1000 + besideMs);
  await until(async () => (await gateway.balance(accountId)).held === 0);
  expect(await gateway.balance(accountId)).toEqual({ balance: 10, held: 0 });
});

test("case 18: the work of a keyed call continues and its retry gets the answer", async () => {
  const { key, accountId } = await gateway.key({ credits: 10 });
  const leaving = new AbortController();
  const release = origin.hold("/keyed");
  const pending = render(key, "/keyed", { idempotencyKey: "left", signal: leaving.signal });
  await until(() => origin.visits("/keyed") === 1);
  leaving.abort();
  await expect(pending).rejects.toThrow();
  const retrying = render(key, "/keyed", { idempotencyKey: "left" });
  // Long enough for the gateway to notice that the caller left.
  await sleep(500);
  release();
  const retried = await retrying;
  expect(retried.status, retried.text).toBe(200);
  expect(retried.headers.get("idempotency-replayed")).toBe("true");
  expect(origin.visits("/keyed")).toBe(1);
  expect(await gateway.balance(accountId)).toEqual({ balance: 9, held: 0 });
});

test("case 19: a stopping API finishes its calls, refuses new ones and exits 0", async () => {
  const { key, accountId } = await gateway.key({ credits: 100 });
  const stopping = await gateway.startApi();
  const release = origin.hold("/stop");
  const pending = Array.from({ length: 8 }, (_, index) =>
    render(key, `/stop?${index}`, { url: stopping.url, timeoutMs: 60_000 }),
  );
  await until(async () => (await gateway.balance(accountId)).held === 8);
  stopping.process.child.kill("SIGTERM");
  const isOpen = () =>
    fetch(`${stopping.url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(async () => !(await isOpen()));
  const late = await render(key, "/late", { url: stopping.url }).then(
    (answer) => answer.status,
    () => "refused",
  );
  expect([503, "refused"]).toContain(late);
  release();
  const answers = await Promise.all(pending);
  const failures = answers.filter(({ status }) => status !== 200).map(({ text }) => text);
  expect(failures).toEqual([]);
  expect(answers).toHaveLength(8);
  expect(await stopping.process.ended).toBe(0);
  gateway.apis.pop();
  expect(origin.visits("/late")).toBe(0);
  expect(await gateway.balance(accountId)).toEqual({ balance: 92, held: 0 });
});
