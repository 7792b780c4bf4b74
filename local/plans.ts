import { join } from "node:path";
import { openRedis } from "../runtime/redis/connection.ts";
import { redisTime } from "../runtime/store-clock.ts";
import { heartbeatKey } from "../runtime/redis/keys.ts";
import type { Heartbeat } from "../runtime/queue.ts";
import type { Pool } from "../contract/operation.ts";
import type { CapacityAnswer } from "../dashboards/capacity/answer.ts";
import type { ChromiumPart } from "./chromium.ts";
import type { Settings } from "./settings.ts";
import type { Plan } from "./supervisor.ts";
import { upstreams } from "../worker/sandbox/upstreams.ts";

const root = join(import.meta.dirname, "..");

type Served = Pool | "webhooks";

/** Pools of each worker process. The browser has its own process, so that rendering does not slow down the rest. */
const workers: { name: string; pools: Served[] }[] = [
  { name: "worker-browser", pools: ["browser"] },
  { name: "worker", pools: ["seo", "seo-bulk", "serp", "social", "webhooks"] },
];

/** The longest deadline of a call is 130 s, and a stopping API finishes its accepted calls. */
const apiGraceMs = 140_000;
const readyMs = 60_000;

export interface Parts {
  databaseUrl: string;
  redisUrl: string;
  chromium: ChromiumPart;
  /** `address:port` of the demo page. */
  demoAddress: string;
}

const localHost = (host: string) => (host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host);
const urlOf = (host: string, port: number) => {
  const name = localHost(host);
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
};

export const apiUrl = (settings: Settings): string => urlOf(settings.host, settings.port);
export const dashboardsUrl = (settings: Settings): string =>
  urlOf(settings.dashboardsHost, settings.dashboardsPort);

/** Fetches `/capacity` from the dashboards of this start. */
export async function askCapacity(settings: Settings): Promise<CapacityAnswer> {
  const { dashboardsUser: user, dashboardsPassword: password } = settings;
  const pair = Buffer.from(`${user}:${password}`).toString("base64");
  const response = await fetch(`${dashboardsUrl(settings)}/capacity`, {
    headers: { authorization: `Basic ${pair}`, accept: "application/json" },
    signal: AbortSignal.timeout(10_000),
  });
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  return (await response.json()) as CapacityAnswer;
}

async function answersWell(url: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(3000) });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${url} answers ${response.status} ${body}`);
}

/** A worker is ready when each of its pools has a heartbeat since its start; older heartbeats outlive a restart. */
async function heartbeatsSince(
  startedAt: number,
  pools: Served[],
  redisUrl: string,
): Promise<void> {
  const redis = openRedis(redisUrl, { lazyConnect: true, retryStrategy: () => null });
  redis.on("error", () => {});
  try {
    await redis.connect();
    const since = (await redisTime(redis)) - (performance.now() - startedAt);
    for (const pool of pools) {
      const beats = await redis.hvals(heartbeatKey(pool));
      if (!beats.some((beat) => (JSON.parse(beat) as Heartbeat).at >= since)) {
        throw new Error(`no worker of the pool ${pool} has reported`);
      }
    }
  } finally {
    redis.disconnect();
  }
}

/** Secret variables by the processes that may have them. */
const secrets = {
  database: /^(DATABASE_URL|PG[A-Z]+)(_FILE)?$/,
  api: /^(KEY_PEPPER|CURSOR_SECRET)(_FILE)?$/,
  dashboards:
    /^(DASHBOARDS_PASSWORD|DASHBOARDS_VIEWER_PASSWORD|DASHBOARDS_USERS|METRICS_TOKEN)(_FILE)?$/,
  credentials: /^CREDENTIALS_KEY(_PREVIOUS)?(_FILE)?$/,
  upstreams: new RegExp(
    `^(${[...new Set(upstreams.flatMap(({ credentials }) => credentials)), "FAILED_ANSWERS_KEY"].join("|")})(_FILE)?$`,
  ),
};

/** Secrets to withhold from a worker. A browser worker gets no upstream credentials. */
const foreignTo = (served: readonly Served[]): (keyof typeof secrets)[] => [
  "database",
  "api",
  "dashboards",
  ...(served.every((pool) => pool === "browser") ? (["upstreams", "credentials"] as const) : []),
];

function without(env: NodeJS.ProcessEnv, foreign: readonly (keyof typeof secrets)[]) {
  const named = Object.entries(env).filter(([name]) =>
    foreign.every((one) => !secrets[one].test(name)),
  );
  return Object.fromEntries(named);
}

/**
 * V8 gets one background thread (garbage collection, compiling) in place of four: on few processors four
 * threads compete, which makes a call 5 % slower. An operator's own options come last and win.
 */
const nodeOptions = (env: NodeJS.ProcessEnv) =>
  ["--v8-pool-size=1", env["NODE_OPTIONS"]].filter(Boolean).join(" ");

/** The common part of all plans. */
function planner(parts: Parts, env: NodeJS.ProcessEnv) {
  return (
    name: string,
    script: string,
    foreign: readonly (keyof typeof secrets)[],
    own: NodeJS.ProcessEnv,
  ): Omit<Plan, "ready"> => ({
    name,
    argv: [process.execPath, join(root, script)],
    cwd: root,
    env: {
      ...without(env, foreign),
      NODE_OPTIONS: nodeOptions(env),
      REDIS_URL: parts.redisUrl,
      ...own,
    },
    stopSignal: "SIGTERM",
    graceMs: 20_000,
    readyMs,
  });
}

function workerPlan(name: string, served: Served[], parts: Parts, env: NodeJS.ProcessEnv): Plan {
  const startedAt = performance.now();
  const allowed = [env["EGRESS_ALLOW"], parts.demoAddress].filter(Boolean).join(",");
  return {
    ...planner(parts, env)(name, "worker/main.ts", foreignTo(served), {
      WORKER_POOLS: served.join(","),
      EGRESS_ALLOW: allowed,
      PUPPETEER_EXECUTABLE_PATH: parts.chromium.executablePath,
      CHROMIUM_LAUNCHER: JSON.stringify(parts.chromium.launcher),
      CHROMIUM_SANDBOX: String(parts.chromium.sandbox),
    }),
    ready: () => heartbeatsSince(startedAt, served, parts.redisUrl),
  };
}

/** An additional worker of a pool. When stopped, it finishes its jobs, however long they take. */
export const extraWorkerPlan = (
  pool: Pool,
  number: number,
  parts: Parts,
  env: NodeJS.ProcessEnv,
): Plan => ({ ...workerPlan(`worker-${pool}-${number}`, [pool], parts, env), graceMs: apiGraceMs });

/** The gateway's own processes. All start together; the lists stop one after the other, in this order. */
export function gatewayPlans(settings: Settings, parts: Parts, env: NodeJS.ProcessEnv): Plan[][] {
  const plan = planner(parts, env);
  const api: Plan = {
    ...plan("api", "api/main.ts", ["dashboards", "upstreams"], {
      DATABASE_URL: parts.databaseUrl,
      HOST: settings.host,
      PORT: String(settings.port),
      KEY_PEPPER: settings.keyPepper,
      CURSOR_SECRET: settings.cursorSecret,
    }),
    graceMs: apiGraceMs,
    ready: () => answersWell(`${apiUrl(settings)}/health/ready`),
  };
  const dashboards: Plan = {
    ...plan("dashboards", "dashboards/main.ts", ["api", "upstreams", "credentials"], {
      DATABASE_URL: parts.databaseUrl,
      DASHBOARDS_HOST: settings.dashboardsHost,
      DASHBOARDS_PORT: String(settings.dashboardsPort),
      DASHBOARDS_USER: settings.dashboardsUser,
      DASHBOARDS_PASSWORD: settings.dashboardsPassword,
    }),
    ready: () => answersWell(`${dashboardsUrl(settings)}/health`),
  };
  const workerPlans = workers.map(({ name, pools }) => workerPlan(name, pools, parts, env));
  return [[api], [...workerPlans, dashboards]];
}
