import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";

/** One Redis server of a test's own. */

export interface TestRedis {
  url: string;
  /** Process id where the server is the test's own. */
  pid: number | undefined;
  /** Shuts the test's own server down like an operator, keeping its data. */
  shutdown(): Promise<void>;
  /** Starts it again on the same port and data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A server on a free port, with further command-line options. */
export async function startServer(more: readonly string[] = []): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), "gateway-redis-"));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
  const durable = ["--appendonly", "yes", "--maxmemory-policy", "noeviction", ...more];
  const spawnServer = () => spawn("redis-server", [...args, ...durable], { stdio: "ignore" });
  let server = spawnServer();
  await answers(url, server);

  const isRunning = () => server.exitCode === null && server.signalCode === null;
  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!isRunning()) return;
    const gone = once(server, "exit");
    server.kill(signal);
    await gone;
  }

  return {
    url,
    get pid() {
      return server.pid;
    },
    shutdown: () => end("SIGTERM"),
    async restart() {
      // A killed server keeps its port until it has ended.
      if (isRunning()) await once(server, "exit");
      server = spawnServer();
      await answers(url, server);
    },
    async stop() {
      await end("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string, server: ChildProcess): Promise<void> {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: () => (server.exitCode === null ? 50 : null),
  });
  redis.on("error", () => {});
  try {
    await redis.ping();
  } finally {
    redis.disconnect();
  }
}

/** Systems give outgoing connections and `listen(0)` ports above these, so none takes one before its server listens. */
const [firstPort, endPort] = [10_240, 32_768];
/** As many test files at once, at most. */
const parts = 16;
const partSize = (endPort - firstPort) / parts;
/**
 * Each test process chooses ports from a part of its own, and no port twice before all others: what it chooses is free
 * until its server listens, which may be seconds later.
 */
const part = firstPort + (Number(process.env["VITEST_POOL_ID"] ?? 0) % parts) * partSize;
let next = randomInt(partSize);

/** A port of 127.0.0.1 without a listener. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = part + next;
    next = (next + 1) % partSize;
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
