import { Redis } from "ioredis";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DataFolder } from "../../local/data-folder.ts";
import { redisObjection } from "../../runtime/redis/requirements.ts";
import { redisFacts, redisPart } from "../../local/redis.ts";
import type { RedisPart } from "../../local/redis.ts";
import { Supervised } from "../../local/supervisor.ts";

const quiet = () => {};
let folder: DataFolder;
let started: Supervised[];

beforeEach(async () => {
  folder = await DataFolder.open(fs.mkdtempSync(join(tmpdir(), "gateway-redis-")));
  started = [];
});
afterEach(async () => {
  await Promise.all(started.map((service) => service.stop()));
  folder.close();
  fs.rmSync(folder.dir, { recursive: true, force: true });
});

async function up(part: RedisPart, print: (line: string) => void = quiet): Promise<Supervised> {
  if (!part.plan) throw new Error("This Redis is somebody else's.");
  const service = new Supervised(part.plan, folder, print);
  started.push(service);
  service.spawn();
  await service.ready();
  return service;
}

async function withRedis<T>(url: string, use: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  try {
    return await use(redis);
  } finally {
    redis.disconnect();
  }
}

test("our own Redis is durable, evicts nothing, requires a password, and its data survives", async () => {
  const part = await redisPart(folder, quiet, {});
  const first = await up(part);
  expect(await redisFacts(part.url)).toMatchObject({ policy: "noeviction", appendOnly: true });
  // The API refuses calls before Redis is full, so the machine does not run out of memory.
  const limit = await withRedis(part.url, (redis) => redis.config("GET", "maxmemory"));
  expect(limit).toEqual(["maxmemory", String(1024 ** 3)]);
  const open = new URL(part.url);
  open.password = "";
  await expect(redisFacts(open.href)).rejects.toThrow(/NOAUTH/);
  await withRedis(part.url, (redis) => redis.set("kept", "yes"));
  await first.stop();
  const again = await redisPart(folder, quiet, {});
  expect(again.url).toBe(part.url);
  await up(again);
  expect(await withRedis(again.url, (redis) => redis.get("kept"))).toBe("yes");
});

test("a Redis that dies is started again", async () => {
  const part = await redisPart(folder, quiet, {});
  const service = await up(part);
  const before = service.pid;
  process.kill(before as number, "SIGKILL");
  await expect.poll(() => service.pid, { timeout: 60_000 }).not.toBe(before);
  await expect
    .poll(() => redisFacts(part.url).then((facts) => facts.policy, String), { timeout: 60_000 })
    .toBe("noeviction");
});

test("an external Redis is used only when it may not evict queued work", async () => {
  const own = await redisPart(folder, quiet, {});
  await up(own);
  const env = { REDIS_URL: own.url };
  expect(await redisPart(folder, quiet, env)).toEqual({ url: own.url, source: "REDIS_URL" });
  await withRedis(own.url, (redis) => redis.config("SET", "maxmemory-policy", "allkeys-lru"));
  await expect(redisPart(folder, quiet, env)).rejects.toThrow(
    /maxmemory-policy allkeys-lru.*set it to noeviction/,
  );
});

test("an append-only file that ends in garbage is repaired, and its former state kept", async () => {
  const lines: string[] = [];
  const part = await redisPart(folder, quiet, {});
  const first = await up(part);
  await withRedis(part.url, (redis) => redis.set("kept", "yes"));
  await first.stop();
  const parts = folder.path("redis", "appendonlydir");
  const last = fs.readdirSync(parts).find((name) => name.endsWith(".incr.aof")) as string;
  const file = join(parts, last);
  const whole = fs.readFileSync(file);
  const torn = Buffer.concat([whole, Buffer.alloc(200)]);
  fs.writeFileSync(file, torn);

  const again = await redisPart(folder, quiet, {});
  await up(again, (line) => lines.push(line));
  expect(await withRedis(again.url, (redis) => redis.get("kept"))).toBe("yes");
  expect(lines).toEqual([
    expect.stringMatching(/^Redis could not read .* 200 bytes were cut off; the former file is /),
  ]);
  const [, former = ""] = /the former file is (.*)\.$/.exec(lines[0] as string) ?? [];
  expect(fs.readFileSync(join(former, last))).toEqual(torn);
});

test("an append-only file that the tool cannot repair gives one sentence with the way out", async () => {
  const part = await redisPart(folder, quiet, {});
  await (await up(part)).stop();
  const parts = folder.path("redis", "appendonlydir");
  const [base = ""] = fs.readdirSync(parts).filter((name) => name.endsWith(".incr.aof"));
  fs.writeFileSync(join(parts, base), "garbage from the first byte on");
  fs.writeFileSync(join(parts, "appendonly.aof.manifest"), "garbage");
  await expect(up(await redisPart(folder, quiet, {}))).rejects.toThrow(
    /redis did not start.*mv .*appendonlydir .*appendonlydir\.damaged.*Postgres/s,
  );
});

test("an unreachable REDIS_URL gives one sentence", async () => {
  const port = await folder.port("nobody");
  const env = { REDIS_URL: `redis://127.0.0.1:${port}` };
  await expect(redisPart(folder, quiet, env)).rejects.toThrow(
    /^The Redis of REDIS_URL does not answer: .*ECONNREFUSED/,
  );
});

test("a version that BullMQ refuses is refused", () => {
  const facts = { policy: "noeviction", appendOnly: true };
  expect(redisObjection({ ...facts, version: "6.0.16" })).toMatch(/too old/);
  expect(redisObjection({ ...facts, version: "6.2.0" })).toBeUndefined();
  expect(redisObjection({ ...facts, version: "7.0.15" })).toBeUndefined();
});
