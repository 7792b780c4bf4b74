import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { Gateway, type Process } from "../gateway.ts";
import { type Origin, startOrigin } from "../origin.ts";
import { type TestPostgres, startPostgres } from "../postgres.ts";
import { type Receiver, startReceiver } from "../receiver.ts";
import { freePort } from "../redis-server.ts";
import { type Inspector, inspect } from "../faults/inspector.ts";
import type { ShortTime } from "../faults/short-times.ts";
import { type SpawnedSimulator, spawnSimulator } from "../upstream/spawn.ts";

/** An inspectable process that runs from the first call to the last. */
export interface Steady {
  process: Process;
  inspector: Inspector;
}

/**
 * The gateway of a soak: of API and worker one that never stops and one that suffers the faults.
 */
export interface Stage {
  gateway: Gateway;
  redis: Redis;
  /** Only of a long soak, because another server takes seconds to start. */
  postgres: TestPostgres | undefined;
  origin: Origin;
  /** Takes webhooks. */
  receiver: Receiver;
  upstream: SpawnedSimulator;
  /** Temporary folder of worker processes and their Chromium. */
  temporary: string;
  steady: Record<"api" | "worker", Steady>;
  victim: { api: { url: string; process: Process }; worker: Process };
  stop(): Promise<void>;
}

export async function openStage(
  options: { graceMs?: number; ownPostgres?: boolean; shorter?: readonly ShortTime[] } = {},
): Promise<Stage> {
  const postgres = options.ownPostgres ? await startPostgres() : undefined;
  if (postgres) process.env["TEST_DATABASE_URL"] = postgres.url;
  const temporary = await mkdtemp(join(tmpdir(), "gateway-soak-"));
  const origin = await startOrigin();
  const receiver = await startReceiver();
  const upstream = await spawnSimulator();
  const { graceMs, shorter = [] } = options;
  const ports = { api: await freePort(), worker: await freePort() };
  const inspected = (port: number) => ({ NODE_OPTIONS: `--inspect=127.0.0.1:${port}` });
  const gateway = await Gateway.start({
    shorter,
    // The first process delivers webhooks, for which it has connections of its own: it is the steady one.
    api: inspected(ports.api),
    env: {
      TMPDIR: temporary,
      EGRESS_ALLOW: origin.address,
      // A result may stay in Redis for as long as its job may wait.
      JOB_QUEUE_MS: "60000",
      WEBHOOK_ALLOW: receiver.address,
      WEBHOOK_PAUSES: "0.5,1,2,5,10,30",
      DATAFORSEO_BASE_URL: upstream.url,
      DATAFORSEO_LOGIN: "sample",
      DATAFORSEO_PASSWORD: "sample",
      DATAFORSEO_CALLS_PER_MINUTE: "100000",
      TIKHUB_BASE_URL: upstream.url,
      TIKHUB_API_KEY: "sample",
      TICKETMASTER_BASE_URL: upstream.url,
      TICKETMASTER_API_KEY: "sample",
      ...(graceMs === undefined ? {} : { HOLD_GRACE_MS: String(graceMs) }),
    },
  });
  const api = gateway.apis[0] as { process: Process };
  const [worker, victimApi, victim] = await Promise.all([
    gateway.startWorker(inspected(ports.worker)),
    gateway.startApi(),
    gateway.startWorker(),
  ]);
  const redis = new Redis(gateway.redis.url, { maxRetriesPerRequest: null });
  redis.on("error", () => undefined);

  const steady = {
    api: { process: api.process, inspector: await inspect(ports.api) },
    worker: { process: worker, inspector: await inspect(ports.worker) },
  };
  const stage: Stage = {
    gateway,
    redis,
    postgres,
    origin,
    receiver,
    upstream,
    temporary,
    steady,
    victim: { api: victimApi, worker: victim },
    async stop() {
      for (const { inspector } of Object.values(steady)) inspector.close();
      redis.disconnect();
      await gateway.stop();
      await stage.upstream.stop();
      await origin.stop();
      await receiver.stop();
      await postgres?.stop();
      await rm(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
  return stage;
}
