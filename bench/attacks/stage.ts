import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { revokeKey } from "../../db/keys.ts";
import { Gateway, until } from "../../test/gateway.ts";
import { startProcess } from "../../test/process.ts";
import { freePort } from "../../test/redis-server.ts";
import { fromSamples } from "../../test/upstream/from-samples.ts";
import { startSimulator } from "../../test/upstream/simulator.ts";
import { operations } from "../../contract/index.ts";
import { hackernews } from "../../worker/areas/news-aggregator/samples/answers.ts";
import { cpuMs } from "../process.ts";
import { type Silence, longestOf, reporting, startReference } from "./silences.ts";
import type { Caller } from "./victim.ts";

const credits = 1_000_000;
/** As `npm start` and the image have it. */
const nodeOptions = "--v8-pool-size=1";
/** Time for work of a revoked key to end. */
const endMs = 30_000;
const password = "correct horse battery";

export interface Stage {
  gateway: Gateway;
  /** An account without limits beyond the default ones. */
  caller(): Promise<Caller>;
  /**
   * Starts an attack by a new account; its good calls go out by its live key. `stop` ends the attack and all that its
   * account left behind.
   */
  attack(name: string, longMs: number): Promise<{ caller: Caller; stop(): Promise<void> }>;
  /** The longest silence of the API's event loop since the last call of this function. */
  silence(): Silence;
  /** Memory, processor time and work that held the API's event loop, since the last call. */
  notes(): string;
  /** Processes that ended, and bugs in their logs: no attack may cause any. */
  complaints(): string[];
  stop(): Promise<void>;
}

/** One gateway as `npm start` runs it: an API, a worker for pages and one for the rest, and the dashboards. */
export async function openStage(): Promise<Stage> {
  const [simulator, site, reference, sitePort, dashboardsPort] = await Promise.all([
    startSimulator([fromSamples(hackernews)]),
    startSite(),
    startReference(),
    freePort(),
    freePort(),
  ]);
  const egress = `127.0.0.1:${new URL(site.url).port},127.0.0.1:${sitePort}`;
  const gateway = await Gateway.start({
    pools: "browser",
    env: {
      HACKERNEWS_BASE_URL: `${simulator.url}/hackernews`,
      EGRESS_ALLOW: egress,
      WEBHOOK_ALLOW: egress,
      NODE_OPTIONS: nodeOptions,
    },
    api: { NODE_OPTIONS: `${nodeOptions} ${reporting}` },
  });
  await gateway.startWorker({ WORKER_POOLS: "seo,seo-bulk,serp,social,webhooks" });
  const dashboards = startProcess("dashboards/main.ts", {
    DASHBOARDS_PORT: String(dashboardsPort),
    DASHBOARDS_PASSWORD: password,
    REDIS_URL: gateway.redis.url,
    DATABASE_URL: gateway.db.url,
  });
  const known = {
    url: gateway.url,
    dashboards: `http://127.0.0.1:${dashboardsPort}`,
    basic: `Basic ${Buffer.from(`operator:${password}`).toString("base64")}`,
    site,
  };
  const account = async () => {
    const { key, accountId } = await gateway.key({ credits });
    // Jobs name addresses for their events only once there is a secret that signs them.
    await gateway.call(key, "POST", "/webhooks/direct/rotate-secret");
    return { key, accountId, caller: { ...known, key } satisfies Caller };
  };
  let read = 0;
  let referenceRead = 0;
  let heldBefore = 0;
  const usage = watchUsage(() => [
    ...gateway.apis.map(({ process: { child } }) => ["API", child.pid] as const),
    ...gateway.workers.map(({ child }) => ["worker", child.pid] as const),
  ]);

  return {
    gateway,
    caller: async () => (await account()).caller,
    async attack(name, longMs) {
      const { key, accountId, caller } = await account();
      const test = await gateway.secondKey(accountId, "test");
      if (name === "usage") await aYearOfUsage(gateway, accountId);
      const target = { url: known.url, dashboards: known.dashboards, live: key, test };
      const child = spawn(
        process.execPath,
        [fileURLToPath(new URL("attacker.ts", import.meta.url)), name],
        {
          env: {
            PATH: process.env["PATH"],
            TARGET: JSON.stringify({ ...target, sitePort, longMs }),
          },
          stdio: ["pipe", "pipe", "inherit"],
        },
      );
      const gone = once(child, "exit");
      await Promise.race([once(child.stdout, "data"), gone]);
      if (child.exitCode !== null) throw new Error(`the attack ${name} did not start`);
      return {
        caller,
        async stop() {
          if (child.exitCode !== null) throw new Error(`the attack ${name} ended by itself`);
          child.stdin.end();
          const timer = setTimeout(() => child.kill("SIGKILL"), 5000);
          await gone;
          clearTimeout(timer);
          await endAll(gateway, accountId);
        },
      };
    },
    silence() {
      const log = gateway.apis[0]?.process.log() ?? "";
      const idle = reference.log();
      const longest = longestOf(log.slice(read), idle.slice(referenceRead));
      read = log.length;
      referenceRead = idle.length;
      return longest;
    },
    notes() {
      const all = gateway.apis.flatMap(({ process: api }) => api.held());
      const held = all.slice(heldBefore).map(({ operation, ms }) => `${operation} ${ms}`);
      heldBefore = all.length;
      return `${usage.since()}; held: ${held.slice(0, 5).join(", ") || "nothing"}`;
    },
    complaints: () =>
      [...gateway.apis.map(({ process: api }) => api), ...gateway.workers, dashboards].flatMap(
        (one) => one.complaints(),
      ),
    async stop() {
      usage.stop();
      await dashboards.kill();
      await gateway.stop().catch((error: Error) => process.stderr.write(`${error.message}\n`));
      await Promise.all([simulator.stop(), reference.stop()]);
      await site.stop();
    },
  };
}

/** Most memory and the processor time of each process since the last look. */
function watchUsage(processes: () => (readonly [name: string, pid: number | undefined])[]) {
  const peaks = new Map<number, number>();
  const spent = new Map<number, number>();
  const sampling = setInterval(() => {
    for (const [, pid = 0] of processes()) {
      peaks.set(pid, Math.max(residentMb(pid), peaks.get(pid) ?? 0));
    }
  }, 250).unref();
  return {
    since() {
      const parts = processes().map(([name, pid = 0]) => {
        const now = cpuMs(pid) ?? 0;
        const seconds = (now - (spent.get(pid) ?? 0)) / 1000;
        spent.set(pid, now);
        return `${name} ${peaks.get(pid) ?? 0} MB, ${seconds.toFixed(1)} s of a processor`;
      });
      peaks.clear();
      return parts.join("; ");
    },
    stop: () => clearInterval(sampling),
  };
}

/** 0 where the system does not report it. */
function residentMb(pid: number | undefined): number {
  try {
    const kb = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Math.round(Number(kb ?? 0) / 1024);
  } catch {
    return 0;
  }
}

/** The victim's site: one short page, and a receiver that tells which events came. */
async function startSite() {
  const awaited = new Map<string, () => void>();
  const page = `<!doctype html><title>A page</title><h1>A page</h1>${"<p>Some text of it.</p>".repeat(40)}`;
  const server = createServer((request, response) => {
    request.resume();
    awaited.get(request.url as string)?.();
    awaited.delete(request.url as string);
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    delivered: (path: string) => new Promise<void>((resolve) => awaited.set(path, resolve)),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Ends the account's jobs and batches, crawls among them, as an operator would: by revoking its keys. */
async function endAll({ db }: Gateway, accountId: number): Promise<void> {
  const keys = await db.sql<{ id: string }[]>`
    select id from api_keys where account_id = ${accountId} and revoked_at is null`;
  for (const { id } of keys) await revokeKey(db, id);
  const isOver = async () => {
    const [left] = await db.sql<{ count: number }[]>`
      select ((select count(*) from jobs where account_id = ${accountId} and ended_at is null)
        + (select count(*) from batches where account_id = ${accountId} and ended_at is null))::int
        as count`;
    return left?.count === 0;
  };
  await until(isOver, endMs);
}

async function aYearOfUsage({ db }: Gateway, accountId: number): Promise<void> {
  const ids = JSON.stringify([...operations.keys()]);
  await db.sql`
    insert into usage_days (account_id, mode, day, operation, calls, errors, credits, records)
    select ${accountId}, mode, current_date - day, operation, 100, 1, 100, 100
    from json_array_elements_text(${ids}::text::json) operation, generate_series(1, 358) day,
      unnest(array['live', 'test']) mode`;
}
