import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type ErrorEnvelope, Gateway, until } from "../gateway.ts";
import { dial } from "../raw.ts";
import { full } from "./full.ts";

const stallMs = full ? 15_000 : 2000;
const megabytes = 30;
const path = "/geo/mentions/search";

let gateway: Gateway;
let input: unknown;
beforeAll(async () => {
  gateway = await Gateway.start({
    // Parts of stored answers are cut on the API's thread: 10 ms a megabyte, and these have thirty.
    mayHold: ["geo.mentions.search"],
    replaced: [path],
    pools: "seo,serp",
    api: { ANSWER_STALL_MS: String(stallMs), REPLAY_BYTES_PER_ACCOUNT: String(100 * 1024 * 1024) },
  });
  const { areas } = await import("../../contract/index.ts");
  const op = areas.flatMap(({ operations }) => operations).find((one) => one.path === path);
  input = op?.example;
});
afterEach(async () => {
  expect(await gateway.violations()).toEqual([]);
});
afterAll(() => gateway.stop());

const call = (key: string, idempotencyKey: string) =>
  gateway.call<ErrorEnvelope>(key, "POST", path, {
    body: input,
    headers: { "idempotency-key": idempotencyKey },
  });

/** A stored answer of this size: the call's answer with a longer text in it. */
async function keptAnswer(key: string, idempotencyKey: string): Promise<void> {
  const { status, text, headers } = await call(key, idempotencyKey);
  expect(status, text).toBe(200);
  const id = headers.get("svc-request-id");
  await gateway.db.sql`
    select store_body(${id}, convert_to('{"data":"' || repeat('a', ${megabytes * 1024 * 1024}) || '"', 'utf8'))`;
  await gateway.db.sql`
    update replays set body = null, body_apart = true where request_id = ${id}`;
}

/** The raw request, as a separate client writes it. */
function replay(key: string, idempotencyKey: string, more = ""): string {
  const body = JSON.stringify(input);
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: ${idempotencyKey}\r\nContent-Type: application/json\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
}

/** Resident memory of the API process in megabytes. */
async function resident(): Promise<number> {
  const status = await readFile(`/proc/${gateway.apis[0]?.process.child.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

test.runIf(process.platform === "linux")(
  "case 42: unread answers are limited in number, and end",
  { concurrent: true },
  async () => {
    const { key } = await gateway.key({ mode: "test", rate: 10_000 });
    const other = await gateway.key({ mode: "test" });
    await keptAnswer(key, "large");
    const before = await resident();
    const sockets: Socket[] = [];
    const heads: string[] = [];
    for (let index = 0; index < 60; index += 1) {
      const socket = await dial(gateway.url);
      // Reads the start of the answer, and then no more.
      socket
        .on("error", () => undefined)
        .once("data", (part: Buffer) => {
          heads.push(part.toString("latin1"));
          socket.pause();
        });
      // Every tenth sends five pipelined requests.
      socket.write(replay(key, "large").repeat(index % 10 === 0 ? 5 : 1));
      sockets.push(socket);
    }
    let most = 0;
    const startedAt = Date.now();
    const watch = setInterval(() => {
      void resident().then((now) => (most = Math.max(most, now)));
    }, 100);
    const refused = () => heads.filter((head) => head.startsWith("HTTP/1.1 429"));
    // Two fit into an account's unread limit; calls in the same moment are refused before anything
    // is read.
    await until(() => refused().length > 40);
    for (const head of refused()) {
      expect(head).toContain("rate_limited");
      expect(head).toMatch(/\r\nretry-after: 1\r\n/i);
    }
    expect((await call(other.key, "beside")).status).toBe(200);
    // Stalled connections end by themselves, and then the answer is available again.
    await until(async () => (await call(key, "large")).status === 200, 3 * stallMs + 30_000);
    const ended = Date.now() - startedAt;
    clearInterval(watch);
    most = Math.max(most, await resident());
    console.log(`case 42: at most ${Math.round(most - before)} MB more, over after ${ended} ms`);
    expect(most - before).toBeLessThan(300);
    for (const socket of sockets) socket.destroy();
  },
);

test.concurrent("case 42: a slow reader that keeps reading is not cut off", async () => {
  const { key } = await gateway.key({ mode: "test" });
  await keptAnswer(key, "slow");
  const socket = await dial(gateway.url);
  socket.write(replay(key, "slow", "Connection: close\r\n"));
  let bytes = 0;
  socket.on("data", (part: Buffer) => {
    bytes += part.length;
    // Three and a half stalls in all.
    if (Math.floor(bytes / 4e6) > Math.floor((bytes - part.length) / 4e6)) {
      socket.pause();
      setTimeout(() => socket.resume(), stallMs / 2);
    }
  });
  await new Promise((resolve) => socket.once("close", resolve));
  expect(bytes).toBeGreaterThan(megabytes * 1024 * 1024);
});

// They are free, quick to request, and take a third of a second of the API's thread each.
test("case 42: partial reads of stored answers have a rate limit", async () => {
  const { key, accountId } = await gateway.key({ mode: "test", rate: 10_000, inFlight: 100 });
  await keptAnswer(key, "whole");
  const { balance } = await gateway.balance(accountId, "test");
  const replies = Array.from({ length: 40 }, () =>
    gateway.call<ErrorEnvelope>(key, "POST", path, {
      body: input,
      headers: { "idempotency-key": "whole", "svc-fields": "platform" },
    }),
  );
  const refused = (await Promise.all(replies)).filter(({ text }) => text.includes("too fast"));
  // Four pass at once, then one in four seconds.
  expect(refused.length).toBeGreaterThan(10);
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]));
  expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  // The whole answer is always sent.
  expect((await call(key, "whole")).status).toBe(200);
  expect(await gateway.balance(accountId, "test")).toEqual({ balance, held: 0 });
});

test("case 42: new calls are refused before Redis is full, and accepted once it has memory again", async () => {
  const { Redis } = await import("ioredis");
  const redis = new Redis(gateway.redis.url);
  const { key } = await gateway.key({ mode: "test" });
  const ask = () => gateway.call<ErrorEnvelope>(key, "POST", path, { body: input });
  const used = Number(/used_memory:(\d+)/.exec(await redis.info("memory"))?.[1]);
  await redis.config("SET", "maxmemory", String(used + 64 * 1024 * 1024));
  expect((await ask()).status).toBe(200);
  const filler = Array.from({ length: 58 }, (_, index) => `filler${index}`);
  for (const name of filler) await redis.set(name, "a".repeat(1_000_000));
  await until(async () => (await ask()).status === 503);
  // The refusal is not from Redis, which still has memory.
  await redis.set("more", "a");
  expect(Number((await ask()).headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  await redis.del(...filler, "more");
  await until(async () => (await ask()).status === 200);
  await redis.config("SET", "maxmemory", "0");
  redis.disconnect();
});

test("case 42: stored answers have a budget at rest; beyond it new keys are refused, old ones answered", async () => {
  const { key, accountId } = await gateway.key({ mode: "test" });
  for (const name of ["one", "two", "three", "four"]) await keptAnswer(key, name);
  const refused = await call(key, "five");
  expect(refused.status).toBe(429);
  expect(refused.body.error.type).toBe("rate_limited");
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await call(key, "one")).headers.get("idempotency-replayed")).toBe("true");
  const unkeyed = await gateway.call(key, "POST", path, { body: input });
  expect(unkeyed.status).toBe(200);
  const other = await gateway.key({ mode: "test" });
  expect((await call(other.key, "five")).status).toBe(200);
  // Pruned answers free their part of the budget.
  await gateway.db.sql`
    update replays set created_at = now() - interval '25 hours' where account_id = ${accountId}`;
  await gateway.db.sql`
    update bodies set created_at = now() - interval '25 hours' where account_id = ${accountId}`;
  const { addUpKept, pruneReplays } = await import("../../db/sweep.ts");
  // A sweep of the API may be at the same rows, and leaves them to be counted by the next one.
  await until(async () => {
    await pruneReplays(gateway.db);
    await addUpKept(gateway.db);
    const [left] = await gateway.db.sql<{ bytes: number }[]>`
      select bytes from kept_bytes where account_id = ${accountId}`;
    return (left?.bytes ?? 0) < 100_000;
  });
  expect((await call(key, "six")).status).toBe(200);
});
