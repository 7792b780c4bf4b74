import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeHints, hintLimitBytes } from "../../runtime/queue.ts";
import { resultKey } from "../../runtime/redis/keys.ts";
import { type Outcome, createOutcomeStore } from "../../worker/outcomes.ts";
import { until } from "../gateway.ts";
import { startRedis } from "../redis.ts";
import { type TestRedis } from "../redis-server.ts";

let server: TestRedis;
let redis: Redis;
let subscriber: Redis;
let store: (outcome: Outcome) => Promise<void>;
const received: { channel: string; jobId: string; stored: string | undefined }[] = [];
beforeAll(async () => {
  server = await startRedis({ own: true });
  redis = new Redis(server.url);
  subscriber = new Redis(server.url);
  store = createOutcomeStore(redis);
  subscriber.on("messageBuffer", (channel: Buffer, message: Buffer) => {
    for (const { jobId, stored } of decodeHints(message).hints)
      received.push({ channel: channel.toString(), jobId, stored: stored?.toString() });
  });
  await subscriber.subscribe("one", "two");
});
afterAll(async () => {
  redis.disconnect();
  subscriber.disconnect();
  await server.stop();
});

const outcome = (jobId: string, stored: string, channel = "one"): Outcome => ({
  jobId,
  channel,
  lifeMs: 30_000,
  stored: Buffer.from(stored),
});

test("concurrent outcomes are each stored, and each channel gets its own", async () => {
  const all = Array.from({ length: 40 }, (_, index) =>
    outcome(`svc_${index}`, `{"n":${index}}\n"ü\n${index}"`, index % 2 ? "two" : "one"),
  );
  await Promise.all(all.map(store));
  for (const { jobId, stored } of all) {
    expect(await redis.get(resultKey(jobId))).toBe(stored.toString());
    expect(await redis.pttl(resultKey(jobId))).toBeGreaterThan(20_000);
  }
  await until(() => received.length === all.length);
  expect(received.toSorted((a, b) => a.jobId.localeCompare(b.jobId))).toEqual(
    all
      .map(({ jobId, channel, stored }) => ({ jobId, channel, stored: stored.toString() }))
      .toSorted((a, b) => a.jobId.localeCompare(b.jobId)),
  );
});

test("the second outcome of a job changes nothing and is not published", async () => {
  received.length = 0;
  await store(outcome("twice", "first"));
  await store(outcome("twice", "second"));
  await store(outcome("after", "third"));
  await until(() => received.length >= 2);
  expect(received.map(({ stored }) => stored)).toEqual(["first", "third"]);
  expect(await redis.get(resultKey("twice"))).toBe("first");
});

test("a large outcome is stored whole, and its hint has no bytes", async () => {
  received.length = 0;
  const large = "x".repeat(hintLimitBytes + 1);
  await Promise.all([store(outcome("large", large)), store(outcome("small", "s"))]);
  await until(() => received.length === 2);
  expect(received.find(({ jobId }) => jobId === "large")?.stored).toBeUndefined();
  expect(received.find(({ jobId }) => jobId === "small")?.stored).toBe("s");
  expect((await redis.get(resultKey("large")))?.length).toBe(large.length);
});

test("a full Redis rejects, and the next attempt succeeds", async () => {
  await redis.config("SET", "maxmemory", "1mb");
  await expect(store(outcome("full", "a"))).rejects.toThrow(/OOM/);
  await redis.config("SET", "maxmemory", "0");
  await store(outcome("full", "a"));
  expect(await redis.get(resultKey("full"))).toBe("a");
});
