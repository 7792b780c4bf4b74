import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { Queue, Worker, type Processor } from "bullmq";
import type { FastifyInstance } from "fastify";
import { Redis } from "ioredis";
import { type JobData } from "../../runtime/queue.ts";
import { queueOf, queuePrefix } from "../../runtime/redis/keys.ts";
import type { Pool } from "../../contract/operation.ts";
import { createApp } from "../../dashboards/app.ts";
import { defaultSettings } from "../../dashboards/capacity/settings.ts";
import type { Config } from "../../dashboards/config.ts";
import type { NamedUser } from "../../dashboards/users.ts";

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Retries until the attempt succeeds; fails with the last reason after `seconds`. */
export async function eventually<T>(attempt: () => Promise<T>, seconds = 60): Promise<T> {
  for (const end = Date.now() + seconds * 1000; ; await pause(50)) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

export interface RedisServer {
  url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  signal(name: NodeJS.Signals): void;
}

/** A Redis of the test's own, kept in memory only. */
export async function redisServer(): Promise<RedisServer> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  return {
    url,
    async start() {
      const options = [
        "--port",
        String(port),
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--dir",
        tmpdir(),
      ];
      child = spawn("redis-server", options, { stdio: "ignore" });
      const probe = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
      probe.on("error", () => undefined);
      await probe.ping();
      probe.disconnect();
    },
    async stop() {
      if (child && child.exitCode === null) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
    },
    signal: (name) => void child?.kill(name),
  };
}

export const user = "operator";
export const password = "correct horse battery";
export const metricsToken = "token-of-the-scraper";
export const basic = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

export interface Dashboards {
  app: FastifyInstance;
  url: string;
  /** Uses the operator's login unless the headers have another. */
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  send(method: string, path: string, body?: unknown): Promise<Response>;
}

const sampleEveryMs = 250;

export async function dashboards(redisUrl: string, change?: Partial<Config>): Promise<Dashboards> {
  const config = {
    redisUrl,
    databaseUrl: undefined,
    port: 0,
    host: "127.0.0.1",
    user,
    password,
    viewer: undefined,
    users: [] as NamedUser[],
    proxyUsers: undefined,
    writable: false,
    metricsToken,
    trustedProxies: [] as string[],
    logLevel: "silent",
    capacity: defaultSettings(),
    ...change,
  } as const;
  const app = await createApp(config, undefined, sampleEveryMs);
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  return {
    app,
    url,
    get: (path, headers = { authorization: basic }) =>
      fetch(url + path, { headers, redirect: "manual" }),
    send: (method, path, body) =>
      fetch(url + path, {
        method,
        redirect: "manual",
        headers: { authorization: basic, origin: url, "content-type": "application/json" },
        body: JSON.stringify(body ?? {}),
      }),
  };
}

export const secretUrl = "https://hidden.example/patients?name=Ada Lovelace";
export const secretCursor = "cursor-of-nobody-else";

export const jobData = (input: unknown = { url: secretUrl, timeout_ms: 1000 }): JobData => ({
  operation: "browser.markdown",
  input,
  mode: "live",
  tenant: "account-7-live",
  max_records: 1,
  cursor: { after: secretCursor },
  deadline: Date.now() + 60_000,
  reply: "reply:api-1",
});

export function openQueue(redisUrl: string, pool: Pool): Queue {
  return new Queue(queueOf(pool), { connection: { url: redisUrl }, prefix: queuePrefix });
}

export function openWorker(redisUrl: string, pool: Pool, run: Processor): Worker {
  return new Worker(queueOf(pool), run, { connection: { url: redisUrl }, prefix: queuePrefix });
}
