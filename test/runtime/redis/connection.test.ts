import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setImmediate } from "node:timers/promises";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { infoOf, openRedis, persistentOptions } from "../../../runtime/redis/connection.ts";
import { startRedis } from "../../redis.ts";

test("a connection that ends before it has subscribed again refuses nothing that nobody handles", async () => {
  const server = await startRedis({ own: true });
  const admin = new Redis(server.url);
  const redis = openRedis(server.url, {
    ...persistentOptions(true),
    maxRetriesPerRequest: null,
  });
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", note);
  try {
    await redis.subscribe("channel");
    // The client has asked to subscribe again, and has no answer yet.
    redis.once("ready", () => {
      redis.disconnect();
      redis.stream.destroy();
    });
    const ended = once(redis, "end");
    await admin.call("CLIENT", "KILL", "TYPE", "pubsub");
    await ended;
    await setImmediate();
    expect(unhandled).toEqual([]);
    await expect(redis.subscribe("another")).rejects.toThrow("Connection is closed");
  } finally {
    process.off("unhandledRejection", note);
    redis.disconnect();
    admin.disconnect();
    await server.stop();
  }
});

test("INFO is not asked during a handshake, whose end would leave it without an answer", async () => {
  const silent = createServer((socket) => socket.on("error", () => undefined).resume());
  await once(silent.listen(0, "127.0.0.1"), "listening");
  const { port } = silent.address() as AddressInfo;
  const redis = openRedis(`redis://127.0.0.1:${port}`, persistentOptions(true));
  redis.on("error", () => undefined);
  try {
    await expect(infoOf(redis)).rejects.toThrow("no connection that is ready");
    await once(redis, "connect");
    await expect(infoOf(redis)).rejects.toThrow("no connection that is ready");
  } finally {
    redis.disconnect();
    silent.close();
  }
});
