import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";

export interface TestRedis {
  url: string;
  /** Process id where the server is the test's own. */
  pid: number | undefined;
  stop(): Promise<void>;
}

/** The server of TEST_REDIS_URL, or one of the test's own on a free port. `own` asks for the latter in any case. */
export async function startRedis(options: { own?: boolean } = {}): Promise<TestRedis> {
  const given = process.env["TEST_REDIS_URL"];
  if (given && !options.own) return { url: given, pid: undefined, stop: async () => {} };

  const folder = await mkdtemp(join(tmpdir(), "gateway-redis-"));
  const port = await freePort();
  const args = ["--port", port, "--bind", "127.0.0.1", "--dir", folder];
  const server = spawn(
    "redis-server",
    [...args.map(String), "--save", "", "--appendonly", "yes", "--maxmemory-policy", "noeviction"],
    { stdio: "ignore" },
  );
  const url = `redis://127.0.0.1:${port}`;
  await answers(url, server);
  return {
    url,
    pid: server.pid,
    async stop() {
      if (server.exitCode === null && server.signalCode === null) {
        const gone = once(server, "exit");
        server.kill("SIGKILL");
        await gone;
      }
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

/** A port of 127.0.0.1 that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
