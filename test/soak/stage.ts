import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { Gateway, type Process } from "../gateway.ts";
import { type Origin, startOrigin } from "../origin.ts";
import { freePort } from "../redis-server.ts";
import { type Inspector, inspect } from "../faults/inspector.ts";
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
  origin: Origin;
  upstream: SpawnedSimulator;
  /** Temporary folder of worker processes and their Chromium. */
  temporary: string;
  steady: Record<"api" | "worker", Steady>;
  victim: { api: { url: string; process: Process }; worker: Process };
  stop(): Promise<void>;
}

export async function openStage(options: { graceMs?: number } = {}): Promise<Stage> {
  const temporary = await mkdtemp(join(tmpdir(), "gateway-soak-"));
  const origin = await startOrigin();
  const upstream = await spawnSimulator();
  const { graceMs } = options;
  const gateway = await Gateway.start({
    env: {
      TMPDIR: temporary,
      EGRESS_ALLOW: origin.address,
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
  const ports = { api: await freePort(), worker: await freePort() };
  const inspected = (port: number) => ({ NODE_OPTIONS: `--inspect=127.0.0.1:${port}` });
  const [worker, api, victim] = await Promise.all([
    gateway.startWorker(inspected(ports.worker)),
    gateway.startApi(inspected(ports.api)),
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
    origin,
    upstream,
    temporary,
    steady,
    victim: {
      api: gateway.apis[0] as { url: string; process: Process },
      worker: victim,
    },
    async stop() {
      for (const { inspector } of Object.values(steady)) inspector.close();
      redis.disconnect();
      await gateway.stop();
      await stage.upstream.stop();
      await origin.stop();
      await rm(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
  return stage;
}
