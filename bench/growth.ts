import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { testDatabase } from "../test/database.ts";
import { startRedis } from "../test/redis.ts";
import { freeCaller, pepper } from "./caller.ts";
import { type Figure, pairs, spread } from "./figures.ts";
import { load } from "./load.ts";
import { type Part, cpuMs, start } from "./process.ts";

const perSecond = 300;
/** Each process needs some thousand calls before its hot code is compiled. */
const warmCalls = 10_000;
const mostWarmMs = 90_000;
/**
 * Waiting calls at full speed, and seconds that one side is measured before the sides alternate.
 */
const atOnce = 1000;
const sampleSeconds = 3;
const samplesPerRound = 6;

/** Processor time in milliseconds. */
interface Spent {
  api: number;
  worker: number;
  redis: number;
}

/** API processes and a worker on a Redis and a database of their own. */
interface Fleet {
  apis: Part[];
  headers: Record<string, string>;
  spent(): Spent;
  stop(): Promise<void>;
}

async function startFleet(processes: number, slots: number, script = "api"): Promise<Fleet> {
  const db = await testDatabase();
  const server = await startRedis({ own: true });
  const env = { DATABASE_URL: db.url, REDIS_URL: server.url, KEY_PEPPER: pepper };
  const worker = await start("calls/worker.ts", { ...env, SLOTS: String(slots) });
  const apis = await Promise.all(
    Array.from({ length: processes }, () => start(`calls/${script}.ts`, env)),
  );
  const headers = { ...(await freeCaller(db)), "content-type": "application/json" };
  const cpu = (pid: number | undefined) => cpuMs(pid as number) ?? Number.NaN;
  // By then the API processes know the worker's slots.
  await sleep(1500);
  return {
    apis,
    headers,
    spent: () => ({
      api: apis.reduce((sum, { child }) => sum + cpu(child.pid), 0),
      worker: cpu(worker.child.pid),
      redis: cpu(server.pid),
    }),
    async stop() {
      await Promise.all([worker, ...apis].map((part) => part.stop()));
      await server.stop();
      await db.drop();
    },
  };
}

const bodyOf = (ms: number) => JSON.stringify({ text: "x".repeat(200), ms });

/** Cost of one call. */
interface Cost {
  cpu: Spent & { all: number };
  /** Memory of the API process after a full collection. */
  bytes: number;
}

function costOf(before: Spent, after: Spent, calls: number): Cost["cpu"] {
  const each = (name: keyof Spent) => (after[name] - before[name]) / calls;
  const cpu = { api: each("api"), worker: each("worker"), redis: each("redis") };
  return { ...cpu, all: cpu.api + cpu.worker + cpu.redis };
}

/**
 * Cost at a fixed rate while `waiting` calls wait: nine in ten in the queue, the rest in the
 * worker.
 */
async function paced(waiting: number, seconds: number): Promise<Cost> {
  const slots = waiting / 10;
  const fleet = await startFleet(1, slots);
  const [api] = fleet.apis as [Part];
  const pool = new Pool(api.line, { connections: waiting, pipelining: 1 });
  try {
    const ms = Math.round((slots / perSecond) * 1000);
    const shot = {
      method: "POST" as const,
      path: "/bench/noop",
      headers: fleet.headers,
      body: bodyOf(ms),
    };
    let done = 0;
    let over = false;
    const lanes = Array.from({ length: waiting }, async (_, lane) => {
      // Spread over the duration of one call, which is their spacing from then on.
      await sleep((lane / waiting) * ms * 10);
      while (!over) {
        const answer = await pool.request(shot);
        const text = await answer.body.text();
        if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${text}`);
        done += 1;
      }
    });
    const all = Promise.all(lanes);
    all.catch(() => undefined);
    await Promise.race([sleep(ms * 12 + 10_000), all]);
    const before = { done, spent: fleet.spent() };
    await Promise.race([sleep(seconds * 1000), all]);
    const cpu = costOf(before.spent, fleet.spent(), done - before.done);
    const bytes = await api.bytesInUse();
    over = true;
    await all;
    return { cpu, bytes };
  } finally {
    await pool.destroy();
    await fleet.stop();
  }
}

/** Sends calls as fast as possible for `seconds`; returns their number. */
async function fullSpeed({ apis, headers }: Fleet, seconds: number): Promise<number> {
  const shot = () => ({ path: "/bench/noop", headers, body: bodyOf(0) });
  const each = atOnce / apis.length;
  const all = await Promise.all(apis.map(({ line }) => load(line, each, seconds, shot)));
  return all.reduce((sum, { times }) => sum + times.length, 0);
}

/** One process and four, alternating, so that both see the same load of the machine. */
async function oneAndFour(rounds: number, script = "api"): Promise<[Cost["cpu"][], Cost["cpu"][]]> {
  const fleets = [
    await startFleet(1, atOnce / 10, script),
    await startFleet(4, atOnce / 10, script),
  ] as const;
  try {
    for (const fleet of fleets) {
      const until = performance.now() + mostWarmMs;
      let calls = 0;
      while (calls < fleet.apis.length * warmCalls && performance.now() < until)
        calls += await fullSpeed(fleet, sampleSeconds);
    }
    const costs: [Cost["cpu"][], Cost["cpu"][]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      const sums = fleets.map(() => ({ calls: 0, api: 0, worker: 0, redis: 0 }));
      for (let sample = 0; sample < samplesPerRound; sample += 1)
        for (const side of sample % 2 === 0 ? [0, 1] : [1, 0]) {
          const fleet = fleets[side] as Fleet;
          const sum = sums[side] as Spent & { calls: number };
          const before = fleet.spent();
          sum.calls += await fullSpeed(fleet, sampleSeconds);
          const after = fleet.spent();
          for (const part of parts) sum[part] += after[part] - before[part];
        }
      const none = { api: 0, worker: 0, redis: 0 };
      sums.forEach((sum, side) => costs[side]?.push(costOf(none, sum, sum.calls)));
    }
    return costs;
  } finally {
    await Promise.all(fleets.map((fleet) => fleet.stop()));
  }
}

const parts = ["api", "worker", "redis"] as const;

/**
 * The cost of a call as more calls wait at a fixed rate, and as more API processes share the
 * machine; beside it a bare route on as many processes. Linux only.
 */
export async function growth(options: { rounds: number; seconds: number }): Promise<Figure[]> {
  const few: Cost[] = [];
  const many: Cost[] = [];
  const seconds = Math.max(8, options.seconds);
  for (let round = 0; round < options.rounds; round += 1) {
    few.push(await paced(100, seconds));
    many.push(await paced(5000, seconds));
  }
  const [alone, shared] = await oneAndFour(options.rounds);
  const [bare, bareShared] = await oneAndFour(options.rounds, "bare-api");
  const of = (costs: Cost["cpu"][], name: keyof Cost["cpu"]) => costs.map((cpu) => cpu[name]);
  const waiting = (costs: Cost[]) => costs.map(({ cpu }) => cpu);
  return [
    pairs(
      "processor time of a call, 5,000 waiting, against 100",
      "ms",
      "≤ 1.15 x",
      of(waiting(many), "all"),
      of(waiting(few), "all"),
    ),
    ...parts.map((part) =>
      pairs(`of it ${part}`, "ms", "", of(waiting(many), part), of(waiting(few), part)),
    ),
    pairs(
      "processor time of a call, 4 API processes, against 1 (1,000 waiting)",
      "ms",
      "≤ 1.25 x",
      of(shared, "all"),
      of(alone, "all"),
    ),
    ...parts.map((part) => pairs(`of it ${part}`, "ms", "", of(shared, part), of(alone, part))),
    pairs(
      "the same for a bare route with one Redis and one Postgres request",
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
