import { setTimeout as sleep } from "node:timers/promises";
import { processTree } from "../../worker/browser/chromium/process-tree.ts";
import { spawnSimulator } from "../upstream/spawn.ts";
import { choices } from "../random.ts";
import type { Kind } from "./kinds.ts";
import { commandOf } from "./machine.ts";
import type { Stage } from "./stage.ts";
import type { Traffic } from "./traffic.ts";
import type { Excuse } from "./verdict.ts";

/** A fault, and its permitted effect on calls. */
export interface Fault {
  name: string;
  /**
   * Statuses that calls may get beside their own, until `afterMs` past its end. None: no caller may
   * notice.
   */
  statuses: readonly (number | "unknown")[];
  afterMs: number;
  /** Affected callers; all when absent. */
  concerns?: (kind: Kind) => boolean;
  /** Affects only calls to this API process. */
  api?: () => string;
  run(): Promise<void>;
}

/** The circuit breaker stays open for 10 s, plus or minus a fifth, and then tries one call. */
const breakerMs = 14_000;

const mostFrozenMs = 15_000;
/** Callers that waited during a freeze are answered, and the queues are as short as before. */
const afterFreezeMs = 10_000;

/** Every fault of the rotation, in its order. */
export function faultsOn(stage: Stage, traffic: Traffic): Fault[] {
  const { gateway, redis, victim } = stage;
  const needsUpstream = (kind: Kind) => kind.upstream === true;

  async function replaceWorker(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    await victim.worker.kill(signal);
    gateway.workers.splice(gateway.workers.indexOf(victim.worker), 1);
    victim.worker = await gateway.startWorker();
  }

  async function replaceApi(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const { api } = victim;
    // Callers see a killed process fail; a replaced one is first taken out of service.
    if (signal === "SIGTERM") {
      traffic.inService.delete(api.url);
      await sleep(500);
    }
    const ended = api.process.kill(signal);
    traffic.inService.delete(api.url);
    await ended;
    gateway.apis.splice(gateway.apis.indexOf(api), 1);
    victim.api = await gateway.startApi({}, Number(new URL(api.url).port));
    traffic.inService.add(victim.api.url);
  }

  const freezeMs = choices("length of freezes");
  /** Any length up to that of a fail-over. */
  async function frozen(freeze: () => Promise<() => void>): Promise<void> {
    const ms = freezeMs(1000, mostFrozenMs);
    const thaw = await freeze();
    await sleep(ms);
    thaw();
  }

  async function freezeRedis(): Promise<() => void> {
    const pid = gateway.redis.pid as number;
    process.kill(pid, "SIGSTOP");
    return () => process.kill(pid, "SIGCONT");
  }

  async function killChromium(): Promise<void> {
    const { pid } = stage.steady.worker.process.child;
    for (const { pid: candidate } of await processTree(pid as number)) {
      const command = await commandOf(candidate);
      if (!command.includes("--user-data-dir=") || command.includes("--type=")) continue;
      process.kill(candidate, "SIGKILL");
      return;
    }
    throw new Error("no Chromium to kill");
  }

  const { postgres } = stage;
  const freezes: Fault[] = postgres
    ? [
        {
          name: "Postgres frozen",
          statuses: [503],
          afterMs: afterFreezeMs,
          run: () => frozen(() => postgres.freeze()),
        },
        {
          name: "Redis frozen",
          statuses: [503],
          afterMs: afterFreezeMs,
          run: () => frozen(freezeRedis),
        },
      ]
    : [];

  return [
    ...freezes,
    {
      name: "worker killed",
      statuses: [],
      afterMs: 0,
      run: () => replaceWorker("SIGKILL"),
    },
    {
      name: "API killed",
      statuses: ["unknown"],
      afterMs: 500,
      api: () => victim.api.url,
      run: () => replaceApi("SIGKILL"),
    },
    {
      name: "Chromium killed",
      statuses: [502],
      afterMs: 5000,
      concerns: ({ group }) => group === "browser",
      run: killChromium,
    },
    {
      name: "Redis restarted",
      statuses: [503],
      afterMs: 3000,
      async run() {
        await gateway.redis.shutdown();
        await sleep(1000);
        await gateway.redis.restart();
      },
    },
    {
      name: "Redis connections cut",
      statuses: [],
      afterMs: 0,
      async run() {
        await redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        await redis.call("CLIENT", "KILL", "TYPE", "pubsub", "SKIPME", "yes");
      },
    },
    {
      name: "Postgres backends terminated",
      statuses: [503],
      afterMs: 2000,
      async run() {
        await gateway.db.sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()
            and backend_type = 'client backend'`;
      },
    },
    {
      name: "upstream down 5 s",
      statuses: [503],
      afterMs: breakerMs,
      concerns: needsUpstream,
      async run() {
        const port = Number(new URL(stage.upstream.url).port);
        await stage.upstream.stop();
        await sleep(5000);
        stage.upstream = await spawnSimulator(port);
      },
    },
    {
      name: "upstream slow",
      statuses: [],
      afterMs: 0,
      async run() {
        await stage.upstream.play("*", { faults: [], rest: { kind: "delay", ms: 1500 } });
        await sleep(8000);
        await stage.upstream.reset();
      },
    },
    {
      name: "upstream answers 500",
      statuses: [503],
      afterMs: breakerMs,
      concerns: needsUpstream,
      async run() {
        await stage.upstream.play("*", { faults: [], rest: { kind: "status", status: 500 } });
        await sleep(5000);
        await stage.upstream.reset();
      },
    },
    {
      name: "worker replaced",
      statuses: [],
      afterMs: 0,
      run: () => replaceWorker("SIGTERM"),
    },
    {
      name: "API replaced",
      statuses: [],
      afterMs: 0,
      run: () => replaceApi("SIGTERM"),
    },
    {
      name: "worker frozen 8 s",
      statuses: [],
      afterMs: 0,
      async run() {
        victim.worker.child.kill("SIGSTOP");
        await sleep(8000);
        victim.worker.child.kill("SIGCONT");
      },
    },
  ];
}

/** Runs a fault; its excuse begins now and ends when its effect must be over. */
export async function runFault(fault: Fault, kinds: readonly Kind[]): Promise<Excuse> {
  const from = Date.now();
  const api = fault.api?.();
  await fault.run();
  const concerned = fault.concerns ?? (() => true);
  return {
    fault: fault.name,
    from,
    to: Date.now() + fault.afterMs,
    statuses: fault.statuses,
    kinds: kinds.filter(concerned).map(({ name }) => name),
    ...(api === undefined ? {} : { api }),
  };
}
