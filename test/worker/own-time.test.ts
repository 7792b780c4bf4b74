import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operations } from "../../contract/index.ts";
import {
  type Heartbeat,
  type JobData,
  decodeOutcome,
  firstBackgroundPriority,
} from "../../runtime/queue.ts";
import { heartbeatKey, queuePrefix, resultKey } from "../../runtime/redis/keys.ts";
import { createMetrics } from "../../runtime/metrics.ts";
import { MachineSlots } from "../../worker/machine-slots.ts";
import { type RunningPool, startPool } from "../../worker/pools.ts";
import { type Services, run } from "../../worker/run.ts";
import { until } from "../gateway.ts";
import { startRedis } from "../redis.ts";
import { type TestRedis } from "../redis-server.ts";

/** Jobs with a long permitted wait and a short permitted run, and the metrics of both. */

let server: TestRedis;
let redis: Redis;
let pool: RunningPool;
let settings: Omit<Parameters<typeof startPool>[0], "pool" | "slots">;
const metrics = createMetrics();
let queue: Queue<JobData>;
const nowhere = () => {
  throw new Error("unexpected request");
};
const services: Services = {
  operations,
  handlers: new Map([
    [
      "news_aggregator.items.get",
      // Ends with its signal, like a provider that hangs.
      async (_input: unknown, call: { signal: AbortSignal }) => {
        await sleep(60_000, undefined, { signal: call.signal });
        throw new Error("never");
      },
    ],
  ]) as unknown as Services["handlers"],
  live: { send: nowhere, fetchFor: nowhere },
  test: { send: nowhere, fetchFor: nowhere },
  log: () => undefined,
  shapeFault: () => undefined,
  rowsDropped: () => undefined,
  now: Date.now,
};

beforeAll(async () => {
  server = await startRedis({ own: true });
  redis = new Redis(server.url);
  queue = new Queue("social", { connection: { url: server.url }, prefix: queuePrefix });
  settings = {
    redisUrl: server.url,
    understands: () => true,
    process: (jobId, job, signal, taken) => run(jobId, job, signal, services, taken),
    metrics,
    log: () => undefined,
  };
  pool = await startPool({ ...settings, pool: "social", slots: 2 });
});
afterAll(async () => {
  await pool.close(0);
  await queue.close();
  redis.disconnect();
  await server.stop();
});

const job = (more: Partial<JobData>): JobData => ({
  v: 1,
  operation: "news_aggregator.items.get",
  input: { id: 1 },
  mode: "live",
  tenant: "tenant",
  max_records: 1,
  deadline: Date.now() + 60_000,
  reply: "reply",
  ...more,
});

test("work with its own time limit fails at its end, and reports it to waiting callers", async () => {
  const startedAt = Date.now();
  await queue.add("job", job({ run_ms: 300 }), { jobId: "svc_own" });
  await until(async () => (await redis.exists(resultKey("svc_own"))) === 1);
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(300);
  const { outcome } = decodeOutcome((await redis.getBuffer(resultKey("svc_own"))) as Buffer);
  expect(outcome).toMatchObject({ ok: false, type: "upstream_unavailable", status: 504 });
  // The result stays for as long as the job may be taken over.
  expect(await redis.pttl(resultKey("svc_own"))).toBeGreaterThan(60_000);
});

test("work without its own limit ends with its deadline, and leaves nothing", async () => {
  await queue.add("job", job({ deadline: Date.now() + 300 }), { jobId: "svc_plain" });
  await until(async () => (await queue.getJob("svc_plain"))?.finishedOn !== undefined);
  expect(await redis.exists(resultKey("svc_plain"))).toBe(0);
});

test("a worker whose machine slows calls down holds items back while callers wait", async () => {
  const slowed = new Queue<JobData>("serp", {
    connection: { url: server.url },
    prefix: queuePrefix,
  });
  let windows = 0;
  const takeWindow = () => {
    windows += 1;
    return { waitingShare: 0.9 };
  };
  const serp = await startPool({
    ...settings,
    metrics: createMetrics(),
    pool: "serp",
    slots: 20,
    follow: {
      machine: new MachineSlots(),
      pages: { takeWindow, resize: () => undefined },
      takeWaitingForLimits: () => 0,
    },
  });
  const beat = async () => {
    const [text] = Object.values(await redis.hgetall(heartbeatKey("serp")));
    return JSON.parse(text as string) as Heartbeat;
  };
  const isAtWork = (jobId: string) => async () =>
    (await slowed.getJob(jobId))?.processedOn !== undefined;
  const item = { jobId: "svc_item", priority: firstBackgroundPriority };
  await slowed.add("job", job({ run_ms: 3000 }), item);
  await until(isAtWork("svc_item"));
  const seen = windows;
  // Fewer slots are reported at once.
  await until(async () => windows >= seen + 2 && (await beat()).slots < 20);
  expect(await beat()).not.toHaveProperty("holds_items_back");
  await slowed.add("job", job({ run_ms: 3000 }), { jobId: "svc_call" });
  await until(async () => (await beat()).holds_items_back === true);
  await serp.close(0);
  await slowed.close();
});

/** Seconds or jobs counted so far. */
const counted = (name: string, part?: "sum"): number =>
  [...metrics.snapshot().totals].reduce((sum, [field, value]) => {
    const [metric, ...labels] = JSON.parse(field) as string[];
    return metric === name && (!part || labels.includes(part)) ? sum + value : sum;
  }, 0);

test("the cost of taking a job is known from waiting jobs as well, and is part of their slot time", async () => {
  let round = 0;
  await until(async () => (await queue.getActiveCount()) === 0);
  const before = counted("gateway_operation_runs_total");
  // On a machine more than a second late, taking a job is not measured.
  await until(async () => {
    round += 1;
    const ids = [1, 2, 3].map((number) => `svc_${round}_${number}`);
    await queue.addBulk(
      ids.map((jobId) => ({ name: "job", data: job({ run_ms: 300 }), opts: { jobId } })),
    );
    await until(async () => counted("gateway_operation_runs_total") >= before + 3 * round);
    return counted("gateway_jobs_taken_total") >= 3;
  });
  const taking = counted("gateway_job_taking_seconds_total");
  const run = counted("gateway_job_run_seconds", "sum");
  expect(taking).toBeGreaterThan(0);
  expect(counted("gateway_operation_run_seconds_total")).toBeCloseTo(run + taking, 3);
  // Two run at once: in each round one waited for the 300 ms of another.
  expect(counted("gateway_job_wait_seconds", "sum") - taking).toBeGreaterThan(0.2 * round);
});
