import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import type { GatewayError } from "../../../contract/errors.ts";
import { isPassingStatus } from "../../../worker/transport/retry.ts";
import {
  createTransport,
  type Transport,
  type TransportSettings,
} from "../../../worker/transport/transport.ts";
import type { Upstream, Verdict } from "../../../worker/transport/upstream.ts";
import { startRedis } from "../../redis.ts";
import { type TestRedis } from "../../redis-server.ts";
import { type Simulator, startSimulator } from "../../upstream/simulator.ts";
import { tikhub } from "../../upstream/tikhub.ts";

/** A transport, a Redis and an upstream for the test file that calls `useTransport`; fresh logs for every test. */

export const key = "key-that-must-not-be-logged";
let server: TestRedis;
export let redis: Redis;
export let simulator: Simulator;
export let transport: Transport;
export let logged: { level: string; message: string; fields: Record<string, unknown> }[];
export let counted: { name: string; labels: Record<string, unknown> }[];
let transports: Transport[] = [];

export function useTransport(): void {
  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis(server.url);
    simulator = await startSimulator([tikhub({ key })]);
    simulator.on("GET", "/thing", () => ({ body: { id: 1 } }));
    simulator.on("POST", "/thing", (request) => ({ body: { got: request.body } }));
  });
  afterAll(async () => {
    await simulator.stop();
    redis.disconnect();
    await server.stop();
  });
  beforeEach(() => {
    simulator.reset();
    logged = [];
    counted = [];
    transport = open();
  });
  afterEach(async () => {
    for (const each of transports) await each.close();
    transports = [];
  });
}

export function open(over: Partial<TransportSettings> = {}): Transport {
  const opened = createTransport({
    redis,
    env: { SIM_BASE_URL: simulator.url, SIM_KEY: key },
    egressAllow: [],
    limitPrefix: `test:${randomUUID()}`,
    log: (level, message, fields = {}) => logged.push({ level, message, fields }),
    metrics: {
      count: (name, labels) => void counted.push({ name, labels }),
      observe: () => {},
      gauge: () => {},
    },
    ...over,
  });
  transports.push(opened);
  return opened;
}

export function upstreamWith(over: Partial<Upstream> = {}): Upstream {
  return {
    name: `sim-${randomUUID()}`,
    baseUrl: { env: "SIM_BASE_URL", default: "https://sim.invalid" },
    credentials: ["SIM_KEY"],
    authorize: ({ SIM_KEY }) => ({ authorization: `Bearer ${SIM_KEY}` }),
    judge,
    ...over,
  };
}

export function judge({ status, body }: { status: number; body: unknown }): Verdict {
  if (status === 200) {
    return body === undefined
      ? { ok: false, type: "response_shape_error", message: "not JSON" }
      : { ok: true };
  }
  if (status === 401) {
    return {
      ok: false,
      type: "upstream_unavailable",
      message: "unavailable",
      operator: "credential_refused",
    };
  }
  if (status === 404) return { ok: false, type: "not_found", message: "absent" };
  const type = isPassingStatus(status) ? "upstream_unavailable" : "upstream_error";
  return { ok: false, type, message: "fault" };
}

export function caller(ms = 20_000, signal = new AbortController().signal) {
  return {
    requestId: "req_1",
    account: "caller",
    operation: "made.up",
    signal,
    deadline: Date.now() + ms,
  };
}

export const get = { method: "GET", path: "/thing" } as const;
export const statuses = (...list: number[]) =>
  list.map((status) => ({ kind: "status", status }) as const);
export const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => {
      throw new Error("it succeeded");
    },
    (error: unknown) => error as GatewayError,
  );
export const alerts = () => logged.filter((line) => line.level === "error");
