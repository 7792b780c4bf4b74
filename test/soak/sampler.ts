import { readdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { processKey, processFreshSeconds, processesKey } from "../../runtime/metrics-publisher.ts";
import { processTree } from "../../worker/browser/chromium/process-tree.ts";
import { type Key, kindOf } from "./keys.ts";
import { birthOf, commandOf, openFiles, residentOf } from "./machine.ts";
import type { Stage } from "./stage.ts";
import type { Reading } from "./verdict.ts";

const restReadings = 5;
const restReadingEveryMs = 300;

/** Reads every figure of a stage repeatedly; a series is named "<process> <figure>". */
export class Sampler {
  readonly series = new Map<string, Reading[]>();
  /** Processes ever seen below a worker, by id and birth. */
  readonly #descendants = new Map<number, string>();
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** One reading of everything. Figures that are unreadable during a fault are left out. */
  async read(): Promise<Map<string, number>> {
    const { steady, victim } = this.#stage;
    const figures = new Map<string, number>();
    const add = (name: string, value: number | undefined) => {
      if (value !== undefined) figures.set(name, value);
    };
    const processes = {
      "steady api": steady.api.process,
      "steady worker": steady.worker.process,
      "other api": victim.api.process,
      "other worker": victim.worker,
    };
    const types: string[] = [];
    for (const [name, { child }] of Object.entries(processes)) {
      const pid = child.pid as number;
      const open = await openFiles(pid);
      add(`${name} rss`, await residentOf(pid));
      add(`${name} files`, open?.files);
      add(`${name} sockets`, open?.sockets);
      add(`${name} loops`, open?.loops);
      if (!name.endsWith("worker")) continue;
      const tree = (await processTree(pid)).slice(1);
      for (const one of tree) {
        const birth = await birthOf(one.pid);
        if (birth !== undefined) this.#descendants.set(one.pid, birth);
        types.push(typeOf(await commandOf(one.pid)));
      }
    }
    for (const [type, count] of countBy(types, String)) add(`processes: ${type}`, count);
    const renderers = types.filter((type) => type === "renderer").length;
    for (const [name, { inspector }] of Object.entries(steady)) {
      add(`steady ${name} heap`, await inspector.heap());
      const kinds = await inspector.evaluate<string[]>("process.getActiveResourcesInfo()");
      // The memory watchdog's file reads come and go.
      const held = kinds.filter((kind) => !kind.startsWith("FSReq"));
      add(`steady ${name} resources`, held.length);
      for (const [kind, count] of countBy(held, String)) add(`steady ${name} ${kind}`, count);
    }
    add("temporary folders", (await readdir(this.#stage.temporary)).length);
    await this.#readServices(add).catch(() => undefined);
    figures.set("browser renderers", renderers);
    figures.set("browser processes", types.length);
    return figures;
  }

  /** The least of several readings of each figure: at rest a timer or a poll comes and goes. */
  async readAtRest(): Promise<Map<string, number>> {
    const least = new Map<string, number>();
    for (let count = 0; count < restReadings; count += 1) {
      if (count > 0) await sleep(restReadingEveryMs);
      for (const [name, value] of await this.read()) {
        least.set(name, Math.min(value, least.get(name) ?? value));
      }
    }
    return least;
  }

  /** Reads once and keeps it. */
  async sample(): Promise<void> {
    const at = Date.now();
    for (const [name, value] of await this.read()) {
      const readings = this.series.get(name) ?? [];
      readings.push({ at, value });
      this.series.set(name, readings);
    }
  }

  /** Series whose process was never stopped. */
  steady(): Map<string, Reading[]> {
    return new Map([...this.series].filter(([name]) => name.startsWith("steady ")));
  }

  /** Processes that outlived their worker. */
  async orphans(): Promise<number> {
    const { steady, victim } = this.#stage;
    const alive = [steady.worker.process, victim.worker].map(({ child }) => child.pid as number);
    const trees = await Promise.all(alive.map((pid) => processTree(pid)));
    const owned = new Set(trees.flat().map(({ pid }) => pid));
    let left = 0;
    for (const [pid, birth] of this.#descendants) {
      if (!owned.has(pid) && (await birthOf(pid)) === birth) left += 1;
    }
    return left;
  }

  async #readServices(add: (name: string, value: number | undefined) => void): Promise<void> {
    const { redis, gateway } = this.#stage;
    if (redis.status !== "ready") return;
    add("redis memory", Number(/used_memory:(\d+)/.exec(await redis.info("memory"))?.[1]));
    const clients = String(await redis.call("CLIENT", "LIST"))
      .trim()
      .split("\n");
    add("redis connections", clients.length);
    for (const [kind, count] of countBy(await keyNames(this.#stage), kindOf)) {
      add(`redis keys: ${kind}`, count);
    }
    for (const [figure, value] of await this.#browserGauges()) add(`browser ${figure}`, value);
    const [row] = await gateway.db.sql<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name = 'api'`;
    add("postgres connections", row?.count);
  }

  /** Sum of the gauges gateway_browser_* over all living worker processes. */
  async #browserGauges(): Promise<Map<string, number>> {
    const { redis } = this.#stage;
    const since = Math.floor(Date.now() / 1000) - processFreshSeconds / 2;
    const sums = new Map<string, number>();
    for (const id of await redis.zrangebyscore(processesKey, since, "+inf")) {
      const gauges = JSON.parse((await redis.hget(processKey(id), "gauges")) ?? "{}") as object;
      for (const [field, value] of Object.entries(gauges) as [string, number][]) {
        const [name] = JSON.parse(field) as [string];
        const figure = /^gateway_browser_(\w+)$/.exec(name)?.[1];
        if (figure) sums.set(figure, (sums.get(figure) ?? 0) + value);
      }
    }
    return sums;
  }
}

/**
 * A process's role in Chromium: its type, for a utility the service; its program if it has no type.
 */
function typeOf(command: string): string {
  const words = command.split(/[\0 ]+/);
  const flag = (name: string) =>
    words.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
  const type = flag("type") ?? words[0]?.split("/").at(-1) ?? "";
  return [type || "gone", flag("utility-sub-type")].filter(Boolean).join(" ");
}

async function keyNames({ redis }: Stage): Promise<string[]> {
  const names: string[] = [];
  for await (const some of redis.scanStream({ count: 1000 })) names.push(...(some as string[]));
  return names;
}

function countBy<T>(all: readonly T[], kind: (one: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(kind(one), (counts.get(kind(one)) ?? 0) + 1);
  return counts;
}

const sizeCommands: Readonly<Record<string, string>> = {
  hash: "HLEN",
  list: "LLEN",
  set: "SCARD",
  zset: "ZCARD",
  stream: "XLEN",
};

/** Every key of the stage's Redis with its expiry and size. */
export async function keysOf(stage: Stage): Promise<Key[]> {
  const { redis } = stage;
  const keys: Key[] = [];
  for (const name of await keyNames(stage)) {
    const ttlMs = await redis.pttl(name);
    // Expired since it was listed.
    if (ttlMs === -2) continue;
    const command = sizeCommands[await redis.type(name)];
    keys.push({ name, ttlMs, size: command ? Number(await redis.call(command, name)) : 1 });
  }
  return keys;
}
