import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { operations } from "../../../contract/index.ts";
import type { Pool } from "../../../contract/operation.ts";
import { totalsKey } from "../../../runtime/metrics-publisher.ts";
import type { CapacityAnswer } from "../../../dashboards/capacity/answer.ts";
import { Autoscale } from "../../../local/autoscale.ts";
import { Gateway, until } from "../../gateway.ts";
import { type Process, startProcess } from "../../process.ts";
import { freePort } from "../../redis-server.ts";
import { dataforseo } from "../../upstream/dataforseo.ts";
import { type Simulator, startSimulator } from "../../upstream/simulator.ts";
import { tikhub } from "../../upstream/tikhub.ts";
import { exponential, generator, logNormal } from "./simulate.ts";

/** One pool of the stage: its calls, and its upstream's log-normal times. */
export interface Play {
  pool: Pool;
  operation: string;
  /** Prefix of the upstream's paths, which identifies its requests. */
  upstreamPath: string;
  serviceSeconds: number;
  scv: number;
  slots: number;
}

/** Waits of a pool so far. */
export interface Waits {
  at: number;
  calls: number;
  seconds: number;
  /** Calls that waited no longer than this bound of the histogram. */
  within(seconds: number): number;
}

const password = "password of the stage";

/** A whole gateway with its dashboards and autoscaler, slow upstreams, and callers. */
export class Stage {
  readonly gateway: Gateway;
  readonly autoscale: Autoscale;
  readonly lines: string[] = [];
  readonly #plays: readonly Play[];
  readonly #simulator: Simulator;
  readonly #dashboards: Process;
  readonly #url: string;
  readonly #redis: Redis;
  readonly #running = new Set<Promise<void>>();
  /** Answers by status. */
  readonly statuses = new Map<number, number>();
  #seed = 1;

  private constructor(parts: {
    gateway: Gateway;
    simulator: Simulator;
    dashboards: Process;
    url: string;
    plays: readonly Play[];
  }) {
    this.gateway = parts.gateway;
    this.#simulator = parts.simulator;
    this.#dashboards = parts.dashboards;
    this.#url = parts.url;
    this.#plays = parts.plays;
    this.#redis = new Redis(parts.gateway.redis.url);
    this.autoscale = new Autoscale({
      ask: () => this.answer(),
      start: (pool) => {
        const started = this.#worker(pool);
        started.catch((error: Error) => this.lines.push(`${pool}: ${error.message}`));
        return { stop: async () => (await started).kill("SIGTERM") };
      },
      print: (line) => void this.lines.push(line),
    });
  }

  static async start(options: {
    plays: readonly Play[];
    /** Targets, floors and ceilings for the dashboards. */
    capacity?: Record<string, string>;
    /** Quotas for the workers. */
    env?: Record<string, string>;
  }): Promise<Stage> {
    const { plays } = options;
    const random = generator(7);
    const simulator = await startSimulator([]);
    // The usual providers, with a delay before each answer.
    const slow: Simulator = {
      ...simulator,
      on: (method, path, handler) =>
        simulator.on(method, path, async (request, parts) => {
          const play = plays.find(({ upstreamPath }) => request.path.startsWith(upstreamPath));
          if (play) await sleep(logNormal(random, play.serviceSeconds, play.scv) * 1000);
          return handler(request, parts);
        }),
    };
    for (const provider of [dataforseo(), tikhub()]) provider(slow);
    const gateway = await Gateway.start({
      env: {
        TIKHUB_BASE_URL: simulator.url,
        TIKHUB_API_KEY: "sample",
        DATAFORSEO_BASE_URL: simulator.url,
        DATAFORSEO_LOGIN: "sample",
        DATAFORSEO_PASSWORD: "sample",
        ...options.env,
      },
    });
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const dashboards = startProcess("dashboards/main.ts", {
      REDIS_URL: gateway.redis.url,
      DATABASE_URL: gateway.db.url,
      DASHBOARDS_PORT: String(port),
      DASHBOARDS_PASSWORD: password,
      METRICS_TOKEN: password.replaceAll(" ", "-"),
      ...options.capacity,
    });
    const stage = new Stage({ gateway, simulator, dashboards, url, plays });
    await Promise.all(plays.map(({ pool }) => stage.#worker(pool)));
    await until(async () => (await stage.answer().catch(() => undefined)) !== undefined);
    return stage;
  }

  /** The current answer of /capacity. Rejects without one. */
  async answer(): Promise<CapacityAnswer> {
    const headers = { authorization: `Bearer ${password.replaceAll(" ", "-")}` };
    const response = await fetch(`${this.#url}/capacity`, { headers });
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    return (await response.json()) as CapacityAnswer;
  }

  /** Calls a pool like independent callers, at a rate that may change, until `seconds` are over. */
  async call(play: Play, key: string, seconds: number, rate: (at: number) => number) {
    const random = generator((this.#seed += 1));
    const startedAt = performance.now();
    // Keeps to the schedule, so that a late machine sends as many calls.
    for (let due = 0; ;) {
      due += exponential(random, 1 / rate(due));
      if (due > seconds) return;
      const early = due * 1000 - (performance.now() - startedAt);
      if (early > 0) await sleep(early);
      const one: Promise<void> = this.#ask(play, key).finally(() => this.#running.delete(one));
      this.#running.add(one);
    }
  }

  /** Resolves when every call has been answered. */
  async answered(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async waits(pool: Pool): Promise<Waits> {
    const totals = await this.#redis.hgetall(totalsKey);
    const part = (name: string | number) =>
      Number(totals[JSON.stringify(["gateway_job_wait_seconds", pool, name])] ?? 0);
    const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
    return {
      at: Date.now(),
      calls: part("count"),
      seconds: part("sum"),
      within: (seconds) =>
        bounds.filter((bound) => bound <= seconds).reduce((sum, bound) => sum + part(bound), 0),
    };
  }

  async stop(): Promise<void> {
    await this.autoscale.stop();
    await this.#dashboards.kill("SIGKILL");
    this.#redis.disconnect();
    await this.gateway.stop();
    await this.#simulator.stop();
  }

  #worker(pool: Pool): Promise<Process> {
    const play = this.#plays.find((one) => one.pool === pool);
    return this.gateway.startWorker({
      WORKER_POOLS: pool,
      WORKER_SLOTS: String(play?.slots ?? 4),
    });
  }

  async #ask({ operation }: Play, key: string): Promise<void> {
    const known = operations.get(operation);
    if (!known) throw new Error(`no operation ${operation}`);
    const { method, path, example } = known;
    const query = new URLSearchParams(example as Record<string, string>).toString();
    const answer =
      method === "GET"
        ? this.gateway.call(key, method, `${path}?${query}`)
        : this.gateway.call(key, method, path, { body: example });
    // A call without an answer counts as 0.
    const status = await answer.then(
      (given) => given.status,
      () => 0,
    );
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }
}
