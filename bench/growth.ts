import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { Pool } from "undici";
import { testDatabase } from "../test/database.ts";
import { startRedis } from "../test/redis.ts";
import { freeCaller, pepper } from "./caller.ts";
import { type Figure, pairs, spread } from "./figures.ts";
import { cpuMs, start } from "./process.ts";

const perSecond = 300;
/** At full speed each API process has answered so many before it is measured, unless that takes too long. */
const warmCalls = 5000;
const mostWarmMs = 90_000;

interface Cost {
  /** Milliseconds of processor time a call. */
  cpu: { api: number; worker: number; redis: number; all: number };
  /** Of the API processes together, after a full collection. */
  bytes: number;
}

/**
 * While `waiting` calls wait, nine in ten in the queue and the rest with the worker, over so many API
 * processes: at one pace, or as fast as they go.
 */
async function cost(
  waiting: number,
  processes: number,
  seconds: number,
  paced: boolean,
  script: "api" | "bare-api" = "api",
): Promise<Cost> {
  const db = await testDatabase();
  const server = await startRedis({ own: true });
  const redis = new Redis(server.url);
  const slots = waiting / 10;
  const env = { DATABASE_URL: db.url, REDIS_URL: server.url, KEY_PEPPER: pepper };
  const worker = await start("calls/worker.ts", { ...env, SLOTS: String(slots) });
  const apis = await Promise.all(
    Array.from({ length: processes }, () => start(`calls/${script}.ts`, env)),
  );
  const pools = apis.map(
    ({ line }) => new Pool(line, { connections: Math.ceil(waiting / processes), pipelining: 1 }),
  );
  try {
    const headers = { ...(await freeCaller(db)), "content-type": "application/json" };
    const ms = paced ? Math.round((slots / perSecond) * 1000) : 0;
    const body = JSON.stringify({ text: "x".repeat(200), ms });
    // Once the API processes know what the worker can take.
    await sleep(1500);

    let done = 0;
    let over = false;
    const lanes = Array.from({ length: waiting }, async (_, lane) => {
      // Spread over the time one call takes, as they are from then on.
      await sleep((lane / waiting) * ms * 10);
      while (!over) {
        const pool = pools[lane % processes] as Pool;
        const answer = await pool.request({ method: "POST", path: "/bench/noop", headers, body });
        const text = await answer.body.text();
        if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${text}`);
        done += 1;
      }
    });
    const all = Promise.all(lanes);
    all.catch(() => undefined);
    // Compiled code is reached only after some thousand calls, of each process.
    const warm = performance.now() + mostWarmMs;
    await Promise.race([sleep(ms * 12 + 10_000), all]);
    while (!paced && done < processes * warmCalls && performance.now() < warm)
      await Promise.race([sleep(100), all]);

    const redisPid = server.pid as number;
    const read = () => ({
      done,
      api: apis.reduce((sum, { child }) => sum + (cpuMs(child.pid as number) ?? Number.NaN), 0),
      worker: cpuMs(worker.child.pid as number) ?? Number.NaN,
      redis: cpuMs(redisPid) ?? Number.NaN,
    });
    const before = read();
    await Promise.race([sleep(seconds * 1000), all]);
    const after = read();
    const inUse = await Promise.all(apis.map((api) => api.bytesInUse()));
    const bytes = inUse.reduce((sum, each) => sum + each, 0);
    over = true;
    const calls = after.done - before.done;
    const each = (name: "api" | "worker" | "redis") => (after[name] - before[name]) / calls;
    const cpu = { api: each("api"), worker: each("worker"), redis: each("redis") };
    await all;
    return { cpu: { ...cpu, all: cpu.api + cpu.worker + cpu.redis }, bytes };
  } finally {
    await Promise.all(pools.map((pool) => pool.destroy()));
    await Promise.all([worker, ...apis].map((part) => part.stop()));
    redis.disconnect();
    await server.stop();
    await db.drop();
  }
}

/**
 * What a call costs as more of them wait, at one pace, and as more API processes share all that the
 * machine can do; beside that a bare route over as many processes. Linux only.
 */
export async function growth(options: { rounds: number; seconds: number }): Promise<Figure[]> {
  const few: Cost[] = [];
  const many: Cost[] = [];
  const alone: Cost[] = [];
  const shared: Cost[] = [];
  const bare: Cost[] = [];
  const bareShared: Cost[] = [];
  const seconds = Math.max(8, options.seconds);
  for (let round = 0; round < options.rounds; round += 1) {
    few.push(await cost(100, 1, seconds, true));
    many.push(await cost(5000, 1, seconds, true));
    alone.push(await cost(1000, 1, seconds, false));
    shared.push(await cost(1000, 4, seconds, false));
    bare.push(await cost(1000, 1, seconds, false, "bare-api"));
    bareShared.push(await cost(1000, 4, seconds, false, "bare-api"));
  }
  const of = (costs: Cost[], name: keyof Cost["cpu"]) => costs.map(({ cpu }) => cpu[name]);
  const parts = ["api", "worker", "redis"] as const;
  return [
    pairs(
      "processor time of a call, 5,000 waiting, against 100",
      "ms",
      "≤ 1.15 x",
      of(many, "all"),
      of(few, "all"),
    ),
    ...parts.map((part) => pairs(`of it ${part}`, "ms", "", of(many, part), of(few, part))),
    pairs(
      "processor time of a call, 4 API processes, against 1 (1,000 waiting)",
      "ms",
      "≤ 1.25 x",
      of(shared, "all"),
      of(alone, "all"),
    ),
    ...parts.map((part) => pairs(`of it ${part}`, "ms", "", of(shared, part), of(alone, part))),
    pairs(
      "the same of a bare route that asks Redis and Postgres once",
      "ms",
      "",
      of(bareShared, "api"),
      of(bare, "api"),
    ),
    {
      name: "memory of a waiting call in the API process",
      unit: "kB",
      ours: spread(
        many.map(({ bytes }, round) => (bytes - (few[round] as Cost).bytes) / 4900 / 1024),
      ),
      goal: "≤ 30",
    },
  ];
}
