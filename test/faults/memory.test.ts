import { once } from "node:events";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Envelope, Gateway, until } from "../gateway.ts";
import { freePort } from "../redis-server.ts";
import { type Inspector, inspect } from "./inspector.ts";
import { inLanes } from "./traffic.ts";

const calls = Number(process.env["MEMORY_CALLS"] ?? 1000);
const screenshots = Number(process.env["MEMORY_SCREENSHOTS"] ?? 6);
/** Waits for results to expire; otherwise their bytes are subtracted. */
const waits = process.env["MEMORY_WAITS"] === "true";
const megabyte = 1_000_000;

/** 900 x 800 pixels of noise, which no format compresses: a PNG of over 2 MB. */
const noise = `<!doctype html><title>noise</title><body style="margin:0"><canvas id="c" width="900" height="800"></canvas>
<script>
  const context = c.getContext("2d"), image = context.createImageData(900, 800);
  for (let at = 0; at < image.data.length; at += 60000) crypto.getRandomValues(image.data.subarray(at, at + 60000));
  for (let at = 3; at < image.data.length; at += 4) image.data[at] = 255;
  context.putImageData(image, 0, 0);
</script>`;

let server: Server;
let gateway: Gateway;
let redis: Redis;
let api: Inspector;
let origin: string;
beforeAll(async () => {
  server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(noise);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const port = await freePort();
  gateway = await Gateway.start({
    pools: "social,browser",
    env: { EGRESS_ALLOW: origin },
    api: { NODE_OPTIONS: `--inspect=127.0.0.1:${port}` },
  });
  api = await inspect(port);
  redis = new Redis(gateway.redis.url);
});
afterEach(async () => {
  expect(await gateway.violations()).toEqual([]);
});
afterAll(async () => {
  api?.close();
  redis?.disconnect();
  await gateway?.stop();
  server?.close();
});

const usedMemory = async () => Number(/used_memory:(\d+)/.exec(await redis.info("memory"))?.[1]);
const bytesOf = async (key: string) => (await redis.memory("USAGE", key, "SAMPLES", 0)) ?? 0;

async function keysLike(pattern: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const some of redis.scanStream({ match: pattern })) keys.push(...(some as string[]));
  return keys;
}

async function sum(keys: string[]): Promise<number> {
  const sizes = await Promise.all(keys.map(bytesOf));
  return sizes.reduce((total, size) => total + size, 0);
}

test(`case 21: ${calls} small calls leave nothing behind in an API process`, async () => {
  const lanes = await gateway.keys(16, { mode: "test", credits: 1_000_000 });
  const path = "/shortclip/search?q=memory&limit=1";
  const call = async (_: number, lane: number) => {
    const answer = await gateway.call<Envelope>(lanes[lane]?.key, "GET", path);
    if (answer.status !== 200) throw new Error(answer.text);
  };
  /** The minimum excludes a passing timer or connection, which is no leak. */
  const least = async (read: () => Promise<number>) => {
    const readings: number[] = [];
    for (let round = 0; round < (waits ? 8 : 5); round += 1) {
      readings.push(await read());
      await sleep(waits ? 250 : 100);
    }
    return Math.min(...readings);
  };
  const handles = () =>
    least(() => api.evaluate<number>("process.getActiveResourcesInfo().length"));
  const connected = () =>
    least(async () => Number(/connected_clients:(\d+)/.exec(await redis.info("clients"))?.[1]));
  await inLanes(1000, lanes.length, call);
  const before = { heap: await api.heap(), handles: await handles() };
  const clients = await connected();
  await inLanes(calls, lanes.length, call);
  const after = { heap: await api.heap(), handles: await handles() };
  const perThousand = (after.heap - before.heap) / megabyte / (calls / 1000);
  console.log(
    `case 21: heap ${(before.heap / megabyte).toFixed(1)} MB, ${perThousand.toFixed(2)} MB more per 1,000 calls`,
  );
  expect(perThousand).toBeLessThan(1);
  expect(after.handles).toBeLessThan(before.handles + 10);
  expect(await connected()).toBeLessThanOrEqual(clients + 1);
  const streams = await keysLike("gateway:*:events");
  expect(streams.length).toBeGreaterThan(0);
  expect(await sum(streams)).toBeLessThan(5 * megabyte);
}, 600_000);

test(`case 21: ${screenshots} screenshots of 2 MB leave Redis`, async () => {
  const { key } = await gateway.key({ credits: screenshots });
  const base = await usedMemory();
  const startedAt = Date.now();
  await inLanes(screenshots, 4, async () => {
    const answer = await gateway.call<Envelope>(key, "POST", "/browser/screenshot", {
      body: {
        url: `http://${origin}/`,
        timeout_ms: 30_000,
        viewport: { width: 900, height: 800 },
      },
    });
    if (answer.status !== 200) throw new Error(answer.text);
    expect(answer.text.length).toBeGreaterThan(2 * megabyte);
  });
  const streams = await sum(await keysLike("gateway:*:events"));
  expect(streams).toBeLessThan(5 * megabyte);
  if (waits) {
    await until(async () => (await usedMemory()) < base + 50 * megabyte, 360_000);
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    console.log(`case 21: Redis back within 50 MB of its base ${seconds} s after the first call`);
    return;
  }
  // Settled results leave Redis long before they would expire.
  const large = async () => {
    const sizes = await Promise.all((await keysLike("gateway:result:*")).map(bytesOf));
    return sizes.filter((bytes) => bytes >= megabyte).length;
  };
  await until(async () => (await large()) === 0);
  const rest = (await usedMemory()) - base;
  console.log(
    `case 21: results of 2 MB have left Redis ${Date.now() - startedAt} ms after the first call, ${(rest / megabyte).toFixed(1)} MB stay`,
  );
  expect(rest).toBeLessThan(screenshots * 0.1 * megabyte + 5 * megabyte);
}, 900_000);
