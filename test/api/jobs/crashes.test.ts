import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { queueOf, queuePrefix } from "../../../runtime/redis/keys.ts";
import { full } from "../../faults/full.ts";
import { Gateway, until } from "../../gateway.ts";
import { clustered } from "../../redis-cluster.ts";
import { clientOf } from "../../redis.ts";
import { ask, cancel, submit, inState, result, show, unserved } from "./caller.ts";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await Gateway.start({ pools: "social", shorter: full ? [] : ["locks", "slow"] });
});
afterEach(async () => {
  expect(await gateway.violations()).toEqual([]);
});
afterAll(() => gateway.stop());

const points = full
  ? ["after_reserve", "after_enqueue", "after_result", "after_settle", "before_write"]
  : ["after_reserve", "after_settle"];

test("a job whose process dies at any point is run by another and charged once", async () => {
  // A failure, too, must be stored before it is removed.
  const deaths = [
    ...points.map((point) => ({ point, scenario: {} })),
    { point: "before_write", scenario: { scenario: "response_shape_error" } },
  ];
  const doomed = await Promise.all(
    deaths.map(({ point }) => gateway.startApi({ FAULT_POINT: point })),
  );
  // No other process takes over: all of them have exited by then.
  gateway.apis.splice(1);
  await Promise.all(
    deaths.map(async ({ point, scenario }, index) => {
      const { url, process } = doomed[index] as (typeof doomed)[0];
      const { key, accountId } = await gateway.key({ mode: "test", credits: 100 });
      await submit(gateway, key, { url, ...scenario }).catch(() => undefined);
      await process.ended;
      const rows = await gateway.db.sql<{ id: string }[]>`
        select request_id as id from jobs where account_id = ${accountId}`;
      expect(rows, point).toHaveLength(1);
      const id = rows[0]?.id as string;
      const answer = await result(gateway, key, id, 60);
      expect((await result(gateway, key, id)).text).toBe(answer.text);
      if ("scenario" in scenario) {
        expect(answer.status, answer.text).toBe(502);
        expect(answer.body.error).toMatchObject({ type: "response_shape_error", request_id: id });
        expect(await gateway.balance(accountId, "test")).toEqual({ balance: 100, held: 0 });
        return;
      }
      expect(answer.status, point + answer.text).toBe(200);
      expect(await gateway.balance(accountId, "test")).toEqual({ balance: 97, held: 0 });
      const { data, billing } = answer.body;
      expect(billing.credits_charged).toBe(3);
      expect((await ask(gateway, key)).body.data).toEqual(data);
    }),
  );
}, 300_000);

test("jobs that all processes left behind are run by the next one that starts", async () => {
  const { key, accountId } = await gateway.key({ mode: "test", credits: 100 });
  const { request_id: id } = (await submit(gateway, key, { scenario: "slow" })).body.data;
  const [only] = gateway.apis.splice(0);
  await only?.process.kill("SIGKILL");
  await gateway.startApi();
  const answer = await result(gateway, key, id, 60);
  expect(answer.status, answer.text).toBe(200);
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 97, held: 0 });
});

// Nodes of a cluster that exit are covered by test/faults/redis-elsewhere.test.ts.
test.skipIf(clustered)(
  "a job completes although its worker is killed and Redis restarts",
  async () => {
    const { key, accountId } = await gateway.key({ mode: "test", credits: 100 });
    const { request_id: id } = (await submit(gateway, key, { scenario: "slow" })).body.data;
    await inState(gateway, key, id, ["running"]);
    const [worker] = gateway.workers;
    await worker?.kill("SIGKILL");
    await gateway.redis.shutdown();
    await gateway.redis.restart();
    await gateway.startWorker({ WORKER_POOLS: "social" });
    const answer = await result(gateway, key, id, 60);
    expect(answer.status, answer.text).toBe(200);
    expect(await gateway.balance(accountId, "test")).toEqual({ balance: 97, held: 0 });
  },
);

test("a job that Redis has lost is queued again", async () => {
  const { key, accountId } = await gateway.key({ mode: "test", credits: 100 });
  const { request_id: id } = (await submit(gateway, key, { ...unserved })).body.data;
  const redis = clientOf(gateway.redis.url);
  const queued = () => redis.exists(`${queuePrefix}:${queueOf("browser")}:${id}`);
  await until(async () => (await queued()) === 1);
  await redis.flushall();
  await until(async () => (await queued()) === 1);
  expect((await show(gateway, key, id)).body.data.state).toBe("queued");
  expect((await cancel(gateway, key, id)).status).toBe(200);
  await until(async () => (await queued()) === 0);
  redis.disconnect();
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 100, held: 0 });
});

test.skipIf(clustered)(
  "jobs that are handed in while connections to Redis are cut are accepted",
  async () => {
    const { key } = await gateway.key({ mode: "test", credits: 1000, rate: 1000 });
    const redis = clientOf(gateway.redis.url);
    const rounds = 10;
    const statuses: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      const { status, body } = await submit(gateway, key);
      statuses.push(status);
      if (status === 202) await inState(gateway, key, body.data.request_id, ["succeeded"]);
    }
    redis.disconnect();
    expect(statuses.filter((status) => ![202, 503].includes(status))).toEqual([]);
    // A machine that takes half a second to connect again refuses.
    expect(statuses.filter((status) => status === 202).length).toBeGreaterThan(rounds / 2);
  },
);

test("a job that ends in another process notifies the requests that wait for it here", async () => {
  const { key } = await gateway.key({ mode: "test", credits: 100 });
  const other = await gateway.startApi();
  const [here] = gateway.apis;
  const { request_id: id } = (
    await submit(gateway, key, { scenario: "slow", ...(here ? { url: here.url } : {}) })
  ).body.data;
  const answer = await gateway.call(key, "GET", `/jobs/${id}/result?wait=60`, { url: other.url });
  expect(answer.status, answer.text).toBe(200);
  // A stopping process hands its remaining jobs over to another.
  const handedOver = await submit(gateway, key, { scenario: "slow", url: other.url });
  other.process.child.kill("SIGTERM");
  expect(await other.process.ended).toBe(0);
  gateway.apis.pop();
  const { request_id: left } = handedOver.body.data;
  expect((await result(gateway, key, left, 60)).status).toBe(200);
});

test("a job that fails by a fault of the gateway is tried a few times, then fails and costs nothing", async () => {
  const { key, accountId } = await gateway.key({ mode: "test", credits: 100 });
  const other = await gateway.startApi();
  gateway.apis.pop();
  const unreadable = await submit(gateway, key, { url: other.url, ...unserved });
  await other.process.kill("SIGKILL");
  const { request_id: taken } = unreadable.body.data;
  const { sql } = gateway.db;
  await sql`update jobs set call = '{' where request_id = ${taken}`;
  await sql.unsafe(`
    create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'this end is refused'; end $$;
    create trigger refuses before update on jobs for each row
      when (new.error_type = 'response_shape_error') execute function refuse()`);
  const own = await submit(gateway, key, { scenario: "response_shape_error" });
  try {
    for (const id of [taken, own.body.data.request_id]) {
      const answer = await result(gateway, key, id, 30);
      expect(answer.status, answer.text).toBe(500);
      expect(answer.body.error).toMatchObject({ type: "internal_error", request_id: id });
    }
  } finally {
    await sql.unsafe("drop trigger refuses on jobs; drop function refuse()");
  }
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 100, held: 0 });
});
