import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  createLimits,
  DayLimitReached,
  type LeaseTimes,
  type Limits,
  LimitsUnreachable,
  LimitTimeout,
} from "../../../worker/transport/limits.ts";
import { besideMs, full } from "../../faults/full.ts";
import { until } from "../../gateway.ts";
import { startRedis } from "../../redis.ts";
import { type TestRedis } from "../../redis-server.ts";

let server: TestRedis;
let prefix = "";
let connections: Redis[] = [];
let opened: Limits[] = [];
const forever = new AbortController().signal;

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());
beforeEach(() => {
  prefix = `test:limit:${randomUUID()}`;
});
afterEach(() => {
  for (const limits of opened) limits.close();
  for (const redis of connections) redis.disconnect();
  connections = [];
  opened = [];
});

/** The rate and concurrency limits of one worker process. */
function open(url = server.url, times?: LeaseTimes): Limits {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 });
  redis.on("error", () => {});
  const limits = createLimits(redis, prefix, times);
  connections.push(redis);
  opened.push(limits);
  return limits;
}

const waitOptions = (waitMs = 60_000, signal = forever, account = "caller") => ({
  account,
  signal,
  waitMs,
});

describe("concurrency", () => {
  test("holds across processes, and every waiter is served", async () => {
    const workers = [open(), open(), open()];
    let running = 0;
    let most = 0;
    const finished = workers.map(() => 0);
    const work = workers.flatMap((limits, worker) =>
      Array.from({ length: 20 }, async () => {
        const release = await limits.acquire("account", { simultaneous: 4 }, waitOptions());
        running += 1;
        most = Math.max(most, running);
        await sleep(20);
        running -= 1;
        finished[worker] = (finished[worker] ?? 0) + 1;
        release();
      }),
    );
    await Promise.all(work);
    expect(most).toBe(4);
    expect(finished).toEqual([20, 20, 20]);
  });

  test("a busy process does not starve another", async () => {
    const busy = open();
    const other = open();
    let stop = false;
    let busyTurns = 0;
    const load = Array.from({ length: 20 }, async () => {
      while (!stop) {
        const release = await busy.acquire("account", { simultaneous: 1 }, waitOptions());
        busyTurns += 1;
        await sleep(100);
        release();
      }
    });
    await until(() => busyTurns > 1);
    const before = busyTurns;
    for (let round = 0; round < 8; round += 1) {
      (await other.acquire("account", { simultaneous: 1 }, waitOptions(60_000)))();
      await sleep(100);
    }
    const between = busyTurns - before;
    stop = true;
    await Promise.all(load);
    // A few of the busy process's twenty waiters go first, each time, and not all of them.
    expect(between).toBeLessThan(8 * 6);
  });

  test("a lease outlives its term while its process lives, and not when it was killed", async () => {
    const holder = fileURLToPath(new URL("limits.holder.ts", import.meta.url));
    const times = full
      ? { leaseMs: 10_000, renewEveryMs: 3000 }
      : { leaseMs: 4000, renewEveryMs: 1000 };
    const child = spawn(
      process.execPath,
      [holder, server.url, prefix, "2", JSON.stringify(times)],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    await once(child.stdout, "data");
    const limits = open(server.url, times);
    const shape = { simultaneous: 2 };
    const renewed = limits.acquire("account", shape, waitOptions(times.leaseMs * 1.3));
    await expect(renewed).rejects.toThrow(LimitTimeout);
    child.kill("SIGKILL");
    await once(child, "exit");
    const started = Date.now();
    await limits.acquire("account", shape, waitOptions());
    expect(Date.now() - started).toBeLessThan(times.leaseMs + 1000 + besideMs);
  });

  test("a second release of a lease has no effect", async () => {
    const limits = open();
    const first = await limits.acquire("account", { simultaneous: 1 }, waitOptions());
    first();
    const second = await limits.acquire("account", { simultaneous: 1 }, waitOptions());
    first();
    const third = limits.acquire("account", { simultaneous: 1 }, waitOptions(300));
    await expect(third).rejects.toThrow(LimitTimeout);
    second();
  });
});

describe("per second", () => {
  test("holds across processes", async () => {
    const workers = [open(), open()];
    const started = Date.now();
    const grants = await Promise.all(
      workers.flatMap((limits) =>
        Array.from({ length: 20 }, async () => {
          await limits.acquire("account", { perSecond: 20, burst: 5 }, waitOptions());
          return Date.now() - started;
        }),
      ),
    );
    grants.sort((a, b) => a - b);
    // 40 grants with 5 at once need 35 / 20 s; none comes early, however late others are.
    expect(grants.at(-1)).toBeLessThan(3500 + besideMs);
    for (const [index, at] of grants.entries()) {
      expect(at).toBeGreaterThanOrEqual(((index + 1 - 5) * 1000) / 20 - 50);
    }
  });

  test("a fast bucket is not slowed by waiting", async () => {
    const limits = open();
    const started = Date.now();
    const work = Array.from({ length: 300 }, () =>
      limits.acquire("account", { perSecond: 150, burst: 15 }, waitOptions()),
    );
    await Promise.all(work);
    const seconds = (Date.now() - started) / 1000;
    expect(seconds).toBeGreaterThan(1.8);
    expect(seconds).toBeLessThan(3.5 + besideMs / 1000);
  });
});

describe("per day", () => {
  const shape = { perDay: 5 };

  test("holds across processes, and a request beyond it does not wait", async () => {
    const workers = [open(), open()];
    const wanted = Array.from({ length: 12 }, (_, index) =>
      (workers[index % 2] as Limits).acquire("account", shape, waitOptions()).then(
        () => "granted",
        (error: unknown) => error,
      ),
    );
    const ended = await Promise.all(wanted);
    expect(ended.filter((end) => end === "granted")).toHaveLength(5);
    expect(ended.filter((end) => end instanceof DayLimitReached)).toHaveLength(7);
  });

  test("a request of several units counts as many, and hours of the day before no longer", async () => {
    const limits = open();
    const take = (units: number) => limits.acquire("account", shape, { ...waitOptions(), units });
    await take(2.5);
    await expect(take(2.6)).rejects.toThrow(DayLimitReached);
    const redis = connections[0] as Redis;
    const [hours = ""] = await redis.keys(`${prefix}*hours`);
    const [hour = ""] = await redis.hkeys(hours);
    expect(await redis.hgetall(hours)).toEqual({ [hour]: "2.5" });
    await redis.hset(hours, { [Number(hour) - 24]: 2, [Number(hour) - 25]: 100 });
    await expect(take(0.6)).rejects.toThrow(DayLimitReached);
    await take(0.5);
    expect(await redis.hvals(hours)).toEqual(["3", "2"]);
  });

  test("several units are a debt of the rate limit", async () => {
    const limits = open();
    const rate = { perSecond: 10, burst: 1 };
    await limits.acquire("account", rate, { ...waitOptions(), units: 5 });
    const started = Date.now();
    await limits.acquire("account", rate, waitOptions());
    expect(Date.now() - started).toBeGreaterThan(400);
  });
});

test("calls of accounts take turns, however many of one wait", async () => {
  const limits = open();
  const shape = { simultaneous: 1 };
  const order: string[] = [];
  const call = async (account: string) => {
    const release = await limits.acquire("account", shape, waitOptions(60_000, forever, account));
    order.push(account);
    release();
  };
  const release = await limits.acquire("account", shape, waitOptions());
  const many = Array.from({ length: 20 }, () => call("many"));
  await until(async () => Number(await connections[0]?.zcard(`${prefix}:{account}:queue`)) > 0);
  const few = [call("few"), call("few")];
  release();
  await Promise.all([...many, ...few]);
  // The first of the many waits already.
  expect(order.slice(0, 5).filter((account) => account === "few")).toHaveLength(2);
});

describe("leaving", () => {
  test("a waiter that is aborted leaves no trace", async () => {
    const limits = open();
    const other = open();
    const release = await limits.acquire("account", { simultaneous: 1 }, waitOptions());
    const aborted = new AbortController();
    const waiting = limits.acquire(
      "account",
      { simultaneous: 1 },
      waitOptions(10_000, aborted.signal),
    );
    setTimeout(() => aborted.abort(new Error("caller left")), 200);
    await expect(waiting).rejects.toThrow("caller left");
    release();
    const started = Date.now();
    await other.acquire("account", { simultaneous: 1 }, waitOptions());
    expect(Date.now() - started).toBeLessThan(full ? 1000 : 8000);
  });

  test("a closed process returns its leases", async () => {
    const gone = open();
    await gone.acquire("account", { simultaneous: 1 }, waitOptions());
    gone.close();
    await open().acquire("account", { simultaneous: 1 }, waitOptions(full ? 2000 : 8000));
  });

  test("nothing remains in Redis that does not expire", async () => {
    const limits = open();
    const shape = { simultaneous: 1, perSecond: 5, perDay: 9 };
    await limits.acquire("account", shape, waitOptions());
    await expect(limits.acquire("account", shape, waitOptions(300))).rejects.toThrow(LimitTimeout);
    const redis = connections[0] as Redis;
    const keys = await redis.keys(`${prefix}*`);
    expect(keys.length).toBeGreaterThan(0);
    // -1 is a key without an expiry; -2 one that expired between the two commands.
    for (const key of keys) expect(await redis.pttl(key), key).not.toBe(-1);
  });
});

test("rarely queries Redis while it waits", async () => {
  const own = await startRedis({ own: true });
  const limits = open(own.url);
  const redis = connections[0] as Redis;
  const commands = async () =>
    Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info("commandstats"))?.[1]);
  const release = await limits.acquire("account", { simultaneous: 1 }, waitOptions());
  const before = await commands();
  const from = Date.now();
  const waiters = Array.from({ length: 50 }, () =>
    limits.acquire("account", { simultaneous: 1 }, waitOptions(1500)).catch(() => "late"),
  );
  await Promise.all(waiters);
  // One command for every newcomer, then one for all of them each 20 ms at most.
  const ms = Date.now() - from;
  expect((await commands()) - before).toBeLessThan(50 + ms / 20);
  release();
  await own.stop();
});

describe("without Redis", () => {
  test("fails within its own time limit", async () => {
    const own = await startRedis({ own: true });
    const limits = open(own.url);
    (await limits.acquire("account", { simultaneous: 1 }, waitOptions()))();
    process.kill(own.pid as number, "SIGSTOP");
    const started = Date.now();
    const frozen = limits.acquire("account", { simultaneous: 1 }, waitOptions());
    await expect(frozen).rejects.toThrow(LimitsUnreachable);
    expect(Date.now() - started).toBeLessThan(2500 + besideMs);
    await own.stop();
    const down = limits.acquire("account", { simultaneous: 1 }, waitOptions());
    await expect(down).rejects.toThrow(LimitsUnreachable);
  });
});
