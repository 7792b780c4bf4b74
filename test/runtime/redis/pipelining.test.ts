import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pipelineWrites } from "../../../runtime/redis/pipelining.ts";
import { startRedis } from "../../redis.ts";
import { type TestRedis } from "../../redis-server.ts";

let server: TestRedis;
beforeAll(async () => {
  server = await startRedis({ own: true });
});
afterAll(() => server.stop());

/** A client, and the number of its socket writes since it was ready. */
async function client(awaitsAnswer: boolean) {
  const redis = new Redis(server.url, { retryStrategy: () => 50 });
  const socket = { writes: 0 };
  pipelineWrites(redis, { awaitsAnswer });
  redis.on("connect", () => {
    const { stream } = redis;
    for (const name of ["_write", "_writev"] as const) {
      const inner = (stream[name] as (...args: unknown[]) => void).bind(stream);
      stream[name] = (...args: unknown[]) => {
        socket.writes += 1;
        inner(...args);
      };
    }
  });
  await redis.ping();
  socket.writes = 0;
  return { redis, socket };
}

const many = Array.from({ length: 200 }, (_, index) => String(index));

test.each([true, false])("one turn's commands are one write (awaitsAnswer %s)", async (awaits) => {
  const { redis, socket } = await client(awaits);
  expect(await Promise.all(many.map((value) => redis.echo(value)))).toEqual(many);
  expect(socket.writes).toBe(1);
  redis.disconnect();
});

test("commands issued before the first answer go out together after it", async () => {
  const { redis, socket } = await client(true);
  const other = new Redis(server.url);
  await other.client("PAUSE", 500);
  const first = redis.echo("late");
  const rest: Promise<string>[] = [];
  for (const value of many.slice(0, 20)) {
    await sleep(1);
    rest.push(redis.echo(value));
  }
  expect(socket.writes).toBe(1);
  expect(await first).toBe("late");
  expect(await Promise.all(rest)).toEqual(many.slice(0, 20));
  expect(socket.writes).toBe(2);
  redis.disconnect();
  other.disconnect();
});

test("a connection cut while writes are pipelined loses none, and pipelines again", async () => {
  const { redis, socket } = await client(true);
  const other = new Redis(server.url);
  await other.client("PAUSE", 500);
  const first = redis.echo("asked");
  await sleep(20);
  const pipelined = redis.echo("gathered");
  redis.stream.destroy();
  expect(await Promise.all([first, pipelined])).toEqual(["asked", "gathered"]);
  socket.writes = 0;
  expect(await Promise.all(many.map((value) => redis.echo(value)))).toEqual(many);
  expect(socket.writes).toBe(1);
  redis.disconnect();
  other.disconnect();
});
