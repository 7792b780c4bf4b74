import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { decodeProfile, driftKey } from "../../../runtime/drift.ts";
import { createMetrics } from "../../../runtime/metrics.ts";
import { DriftWatch } from "../../../worker/drift/watch.ts";
import type { Heard } from "../../../worker/transport/heard.ts";
import { startRedis } from "../../redis.ts";
import { type TestRedis } from "../../redis-server.ts";

let server: TestRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis({ own: true });
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
});
beforeEach(() => redis.del(driftKey));

/** A watch whose clock moves by `costMs` with each look. */
function watch(costMs = 0) {
  const metrics = createMetrics();
  let spent = 0;
  const drift = new DriftWatch({
    redis,
    metrics,
    log: () => undefined,
    routeOf: () => "/rows/{id}",
    now: () => 1000,
    clock: () => (spent += costMs),
  });
  const read = (name: string) =>
    [...metrics.snapshot().totals].filter(([field]) => field.includes(name));
  return { drift, read };
}

const heard = (id: number, body: unknown, status = 200, ok = true): Heard => ({
  requestId: "svc_1",
  operation: "a.rows.get",
  upstream: "u",
  method: "GET",
  path: `/rows/${id}`,
  question: () => `GET /rows/${id}`,
  incoming: {
    status,
    headers: {},
    bytes: Buffer.from(JSON.stringify(body) ?? "<html>"),
    cut: false,
  },
  judged: {
    body,
    verdict: ok ? { ok } : { ok, type: "not_found", message: "There is no such row" },
  },
});

const profile = async () =>
  decodeProfile((await redis.hget(driftKey, "a.rows.get u GET /rows/{id}")) ?? "")?.profile;

test("two workers write one profile, and a change is counted once", async () => {
  const [one, two] = [watch(), watch()];
  for (let id = 0; id < 40; id += 1) {
    one.drift.hear(heard(id, { id, name: "a" }));
    two.drift.hear(heard(id, { id, name: "a" }));
  }
  await Promise.all([one.drift.flush(), two.drift.flush()]);
  expect(await profile()).toMatchObject({ answers: 80, findings: [] });
  for (let id = 0; id < 20; id += 1) two.drift.hear(heard(id, { id, title: "a" }));
  await Promise.all([one.drift.close(), two.drift.close()]);
  expect((await profile())?.findings.map(({ path, change }) => [path, change])).toEqual([
    ["name", "gone"],
    ["title", "new"],
  ]);
  expect(two.read("gateway_drift_total")).toEqual([
    ['["gateway_drift_total","u","a.rows.get","gone"]', 1],
    ['["gateway_drift_total","u","a.rows.get","new"]', 1],
  ]);
  expect(one.read("gateway_drift_total")).toEqual([]);
});

test("repeated requests count once; errors, refusals and look-ups without a result do not count", async () => {
  const { drift } = watch();
  for (let times = 0; times < 5; times += 1) drift.hear(heard(1, { id: 1 }));
  drift.hear(heard(2, { error: "no" }, 500, false));
  drift.hear(heard(3, { error: "no" }, 404, false));
  drift.hear(heard(4, { error: "no" }, 200, false));
  // A page in place of an answer counts, whatever the upstream's own verdict.
  drift.hear(heard(5, undefined, 200, false));
  await drift.close();
  expect(await profile()).toMatchObject({ answers: 2 });
});

test("beyond its share of the worker's time answers are skipped", async () => {
  const { drift, read } = watch(30);
  for (let id = 0; id < 20; id += 1) drift.hear(heard(id, { id }));
  await drift.close();
  expect(read("gateway_drift_answers_total")).toEqual([
    ['["gateway_drift_answers_total","u","read"]', 4],
    ['["gateway_drift_answers_total","u","skipped"]', 16],
  ]);
});

test("without Redis a flush gives up at its first profile", async () => {
  let tries = 0;
  const away = {
    defineCommand: () => undefined,
    hget: () => {
      tries += 1;
      return Promise.reject(new Error("away"));
    },
  } as unknown as Redis;
  const drift = new DriftWatch({
    redis: away,
    metrics: createMetrics(),
    log: () => undefined,
    routeOf: (_upstream, _method, path) => path,
    now: () => 1000,
  });
  for (let id = 0; id < 5; id += 1) drift.hear(heard(id, { id }));
  await drift.close();
  expect(tries).toBe(1);
});
