import { Redis } from "ioredis";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { Gateway, until } from "../gateway.ts";
import { startRedisCluster } from "../redis-cluster.ts";
import { startSentinels } from "../redis-sentinel.ts";
import { type TestRedis, startServer } from "../redis-server.ts";
import { type SpawnedSimulator, spawnSimulator } from "../upstream/spawn.ts";
import { backlinks, backlinksEnv, backlinksPath } from "./cases.ts";
import { besideMs, full } from "./full.ts";
import { patientCalls } from "./patient.ts";

/** Redis as more than one process, whose master fails under load; and its refusals meanwhile. */

const total = { perSecond: 10, seconds: full ? 20 : 8 };
const withinMs = 60_000;
const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.stop();
});

async function gatewayOn(url?: string): Promise<{ gateway: Gateway; upstream: SpawnedSimulator }> {
  const upstream = await spawnSimulator();
  open.push(upstream);
  const gateway = await Gateway.start({
    pools: "seo",
    env: { ...backlinksEnv(upstream), ...(url === undefined ? {} : { REDIS_URL: url }) },
  });
  open.push(gateway);
  await gateway.startWorker({ WORKER_POOLS: "seo" });
  return { gateway, upstream };
}

interface Fault {
  /** Longest unavoidable outage in milliseconds. */
  outageMs: number;
  /** Begins the fault; the returned function ends it. */
  begin(gateway: Gateway): Promise<() => Promise<void>>;
}

/** Patient calls, every second one with a key, with a fault two seconds after the first. */
async function through(name: string, url: string | undefined, fault: Fault): Promise<void> {
  const { gateway, upstream } = await gatewayOn(url);
  await upstream.play(backlinksPath, { faults: [], rest: { kind: "delay", ms: 500 } });
  const callers = await gateway.keys(12);
  const headers = (index: number) => (index % 2 ? { "Idempotency-Key": `${name}${index}` } : {});
  const calling = patientCalls({ ...total, withinMs }, (index) =>
    backlinks(gateway, callers[index % 12]?.key ?? "", `${name}${index}`, {
      headers: headers(index),
    }),
  );
  await sleep(2000);
  const end = await fault.begin(gateway);
  const { answered, refusals, longestMs, refusedMs } = await calling;
  const calls = total.perSecond * total.seconds;
  // A key whose first answer was lost with the master costs a second upstream call, and still one
  // charge.
  const upstreamCalls = (await upstream.calls(backlinksPath)).length;
  console.log(
    `${name}: ${answered} of ${calls} answered, refusals ${JSON.stringify(refusals)}, refused for at most ${refusedMs} ms, answered within ${longestMs} ms, ${upstreamCalls} upstream calls`,
  );
  expect(answered).toBe(calls);
  expect(Object.keys(refusals).filter((status) => status !== "503")).toEqual([]);
  expect(refusedMs).toBeLessThan(fault.outageMs + 5000 + besideMs);
  // A job handed out over a dead connection is taken over 8 s later.
  expect(longestMs).toBeLessThan(fault.outageMs + 5000 + 8000 + besideMs);
  const left = await Promise.all(callers.map(({ accountId }) => gateway.balance(accountId)));
  expect(left.reduce((sum, { balance }) => sum + balance, 0)).toBe(12 * 1000 - calls);
  // Once more, after a failed master has returned in its new role.
  await end();
  const again = await Promise.all(
    callers.map(({ key }, index) => backlinks(gateway, key, `${name}-again${index}`)),
  );
  expect(again.map(({ status }) => status)).toEqual(again.map(() => 200));
  expect(await gateway.violations()).toEqual([]);
}

const killed = async (server: TestRedis) => {
  process.kill(server.pid as number, "SIGKILL");
  return () => server.restart();
};

/** All answers to a write that is repeated for a while. */
async function answersOf(url: string, forMs: number): Promise<Set<string>> {
  const client = new Redis(url, {
    retryStrategy: () => 50,
    maxRetriesPerRequest: 1,
    // The ready check would wait until all data is loaded.
    enableReadyCheck: false,
  });
  client.on("error", () => {});
  const answers = new Set<string>();
  for (const end = Date.now() + forMs; Date.now() < end; await sleep(50)) {
    await client.set("{gateway}:probe", 1, "PX", 1000).then(
      () => answers.add("OK"),
      (error: Error) => answers.add(error.message.split(" ")[0] as string),
    );
  }
  client.disconnect();
  return answers;
}

test("a fail-over by Sentinel under load", async () => {
  const sentinels = await startSentinels();
  open.push(sentinels);
  const [master] = sentinels.servers as [TestRedis];
  await through("sentinel", sentinels.url, { outageMs: 2500, begin: () => killed(master) });
});

test("a fail-over of a cluster under load", async () => {
  const cluster = await startRedisCluster({ replicas: 1 });
  open.push(cluster);
  const begin = async () => killed(await cluster.ownerOf("{gateway}:any"));
  await through("cluster", cluster.url, { outageMs: 5000, begin });
});

test("a cluster without a replica loses the node of our keys for a while (CLUSTERDOWN)", async () => {
  const cluster = await startRedisCluster();
  open.push(cluster);
  await through("clusterdown", cluster.url, {
    outageMs: 6000,
    async begin() {
      const owner = await cluster.ownerOf("{gateway}:any");
      const other = cluster.nodes.find((node) => node !== owner) as TestRedis;
      const restart = await killed(owner);
      expect([...(await answersOf(other.url, 5000))]).toContain("CLUSTERDOWN");
      await restart();
      return async () => {};
    },
  });
});

test("a master with fewer replicas than required (NOREPLICAS)", async () => {
  await through("noreplicas", undefined, {
    outageMs: 3000,
    async begin(gateway) {
      const client = new Redis(gateway.redis.url);
      await client.config("SET", "min-replicas-to-write", 1);
      expect([...(await answersOf(gateway.redis.url, 3000))]).toEqual(["NOREPLICAS"]);
      await client.config("SET", "min-replicas-to-write", 0);
      client.disconnect();
      return async () => {};
    },
  });
});

test("a restart that loads much data (LOADING)", async () => {
  const server = await startServer([
    "--enable-debug-command",
    "yes",
    "--key-load-delay",
    "100",
    "--rdbcompression",
    "no",
  ]);
  open.push(server);
  await through("loading", server.url, {
    outageMs: 20_000,
    async begin() {
      const client = new Redis(server.url);
      await client.call("debug", "populate", "20000", "filler", "4096");
      await client.bgrewriteaof();
      await until(async () => {
        const size = /aof_base_size:(\d+)/.exec(await client.info("persistence"))?.[1];
        return Number(size) > 50_000_000;
      });
      client.disconnect();
      await server.shutdown();
      const restarting = server.restart();
      expect([...(await answersOf(server.url, 3000))]).toContain("LOADING");
      const from = Date.now();
      await restarting;
      console.log(`loading: ${Date.now() - from + 3000} ms`);
      return async () => {};
    },
  });
});
