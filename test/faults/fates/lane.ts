import { hostname } from "node:os";
import { retryUntil } from "../../../runtime/retry.ts";
import { Gateway, type Process, until } from "../../gateway.ts";
import { type Receiver, startReceiver } from "../../receiver.ts";
import { freePort } from "../../redis-server.ts";
import { full } from "../full.ts";
import type { GuardName } from "../guards.ts";
import { type ProgramOptions, endOf, isProgram, pools, startProgram } from "./programs.ts";
import { type Program, Relays, type Role, type Stores, type Target } from "./relays.ts";
import { type Upstream, startUpstream } from "./upstream.ts";

/** A gateway behind relays: one API process and one worker, each with its stores behind relays of its own. */

type ApiRole = "api" | "other";
type Api = Gateway["apis"][number];

export interface Account {
  key: string;
  keyId: string;
  accountId: number;
}

/** The receiver refuses the first attempt for such a path. */
export const failsFirst = "/fails-first-";

/** A process that a fault met at its start may need a second start. */
const mostStarts = 3;
const stopMs = 150_000;

export class Lane {
  readonly receiver: Receiver;
  readonly upstream: Upstream;
  readonly relays = new Relays((role) => this.#kill(role));
  #gateway: Gateway | undefined;
  #stores: Stores = { database: "", redis: "" };
  readonly #apis: Partial<Record<ApiRole, Api>> = {};
  readonly #processes = new Map<Role, Process>();
  #turns = 0;
  /** Roles start beside each other: a worker waits until an API process knows it. */
  readonly #restarts = new Map<Role, Promise<void>>();

  private constructor(receiver: Receiver, upstream: Upstream) {
    this.receiver = receiver;
    this.upstream = upstream;
  }

  /** `without` names a guard that the processes and the database leave out. */
  static async start(without?: GuardName): Promise<Lane> {
    const lane = new Lane(await startReceiver(), await startUpstream());
    lane.receiver.answers(({ path }, earlier) =>
      path.startsWith(failsFirst) && earlier === 0 ? 500 : 204,
    );
    lane.#gateway = await Gateway.start({
      ...(without === undefined ? {} : { without }),
      shorter: ["locks", "slow", "left", "webhooks"],
      // Without a request: gateways share the processors here, and a virtual machine counts time of its neighbours.
      ...(full ? { mayHold: ["none"] } : {}),
      env: {
        ...lane.upstream.env,
        WEBHOOK_ALLOW: lane.receiver.address,
        WEBHOOK_PAUSES: "0.2,0.5,1,2",
        // A sweep is 15 statements, and most lanes wait most of the time.
        SWEEP_EVERY_MS: "3000",
      },
      between(stores) {
        lane.#stores = stores;
        return lane.relays.environment("api", stores);
      },
    });
    lane.#keep("api", lane.gateway.apis[0] as Api);
    await lane.#startWorker();
    return lane;
  }

  get gateway(): Gateway {
    return this.#gateway as Gateway;
  }

  /** The URL of an API process that runs; where there are two, of each in turn. */
  get url(): string {
    const running = Object.values(this.#apis).filter(({ process }) => !process.isOver());
    this.#turns += 1;
    return (running[this.#turns % running.length] ?? (this.#apis.api as Api)).url;
  }

  /** The URL of the first API process. */
  get firstUrl(): string {
    return (this.#apis.api as Api).url;
  }

  /** A key of a new account; round trips do not count yet. */
  async account(mode: "live" | "test", target?: Target): Promise<Account> {
    await this.recovered();
    this.relays.aim(target);
    return this.newAccount(mode);
  }

  newAccount(mode: "live" | "test" = "test"): Promise<Account> {
    return retryUntil(
      () => this.gateway.key({ mode, credits: 10_000, rate: 1000 }),
      // The database of a busy machine may be too slow for the test's own statements.
      { pauseMs: 1000, isOver: (_, attempt) => attempt === mostStarts },
    );
  }

  /** Counts round trips from here on, and gives the chosen one its fate. */
  watch(): void {
    this.relays.watch();
  }

  /** Resolves once all processes run again. */
  async recovered(): Promise<void> {
    await Promise.all(this.#restarts.values());
  }

  /** Brings the deadlines of lost calls forward, so that the next sweep returns their holds. */
  async expireHolds(): Promise<void> {
    await this.gateway.db.sql`
      update holds set deadline = clock_timestamp() where state = 'open'`;
  }

  /** Ends a process with SIGTERM; another takes its place. Returns its exit code, or the signal's name. */
  async replace(role: "api" | "worker"): Promise<number | string> {
    const doomed = this.#processes.get(role) as Process;
    doomed.child.kill("SIGTERM");
    const code = await endOf(doomed, stopMs);
    this.#takePlace(role, doomed);
    await this.recovered();
    return code;
  }

  /** Whether a second API process runs beside the first. */
  get isPair(): boolean {
    return this.#apis.other !== undefined;
  }

  /** Starts the second API process where it is needed, and ends it where it is not: it serves several flows. */
  async run(processes: 1 | 2): Promise<void> {
    this.relays.pause();
    await this.recovered();
    const { other } = this.#apis;
    if (processes === 2 && (other === undefined || other.process.isOver()))
      await this.#started("other");
    if (processes === 1 && other !== undefined) {
      other.process.child.kill("SIGTERM");
      await endOf(other.process, stopMs);
      delete this.#apis.other;
    }
    if (this.#processes.get("api")?.isOver()) await this.#started("api");
    this.#turns = 1;
  }

  /** Name of the worker's process. */
  get workerName(): string {
    return `${hostname()}-${this.#processes.get("worker")?.child.pid}`;
  }

  /** Kills the first of two API processes; it stays away. */
  async loseFirst(): Promise<void> {
    await this.#processes.get("api")?.kill("SIGKILL");
  }

  /** Runs a program behind relays until it ends; `stores` replaces the lane's own. */
  async program(
    role: Program,
    script: string,
    { stores: others, ...options }: ProgramOptions,
  ): Promise<{ code: number | string; log: string }> {
    const stores = await this.relays.environment(role, { ...this.#stores, ...others });
    const process = startProgram(role, script, stores, options);
    this.#processes.set(role, process);
    const code = await endOf(process, options.withinMs);
    await process.kill("SIGKILL");
    return { code, log: process.log() };
  }

  /** Warnings and errors of all processes since a time, in Unix milliseconds, and exits that nobody asked for. */
  warnings(since: number): string[] {
    const { apis, workers } = this.gateway;
    const processes = [...apis.map(({ process }) => process), ...workers];
    const lines = processes
      .flatMap((process) => process.log().split("\n"))
      .filter((line) => {
        const [, level, time] = /^\{"level":(\d+),"time":(\d+)/.exec(line) ?? [];
        return Number(level) >= 40 && Number(time) >= since;
      });
    return [...lines, ...processes.flatMap((process) => process.complaints())];
  }

  async stop(): Promise<void> {
    // A start that failed is a finding already.
    await this.recovered().catch(() => undefined);
    await this.#gateway?.stop();
    this.relays.stop();
    await this.receiver.stop();
    await this.upstream.stop();
  }

  #keep(role: ApiRole, api: Api): void {
    this.#apis[role] = api;
    this.#processes.set(role, api.process);
  }

  #kill(role: Role): void {
    const doomed = this.#processes.get(role) as Process;
    doomed.child.kill("SIGKILL");
    if (isProgram(role)) return;
    const partner = role === "worker" ? undefined : this.#apis[role === "api" ? "other" : "api"];
    // Of two API processes the other one takes over.
    if (partner !== undefined && !partner.process.isOver()) return;
    this.#takePlace(role, doomed);
  }

  /** Starts another process in the place of one that ends, unless a later one has that already. */
  #takePlace(role: ApiRole | "worker", doomed: Process): void {
    const before = this.#restarts.get(role) ?? Promise.resolve();
    const started = before.then(async () => {
      if (this.#processes.get(role) === doomed) await this.#started(role);
    });
    this.#restarts.set(role, started);
  }

  async #started(role: ApiRole | "worker"): Promise<void> {
    for (let left = mostStarts; ; left -= 1) {
      try {
        if (role === "worker") await this.#startWorker();
        else await this.#startApi(role);
        return;
      } catch (error) {
        // A process may give up its start without its stores: its supervisor starts it again.
        this.#processes.get(role)?.child.kill("SIGKILL");
        if (left === 1) throw error;
      }
    }
  }

  async #startApi(role: ApiRole): Promise<void> {
    const env = await this.relays.environment(role, this.#stores);
    const starting = this.gateway.startApi(env, await freePort());
    this.#keep(role, this.gateway.apis.at(-1) as Api);
    await starting;
  }

  async #startWorker(): Promise<void> {
    const env = await this.relays.environment("worker", this.#stores);
    const starting = this.gateway.startWorker({ ...env, WORKER_POOLS: pools });
    this.#processes.set("worker", this.gateway.workers.at(-1) as Process);
    await starting;
    await until(() =>
      fetch(`${this.url}/health/ready`).then(
        async (answer) => {
          const { workers } = (await answer.json()) as { workers: Record<string, number> };
          return (workers["social"] ?? 0) > 0;
        },
        () => false,
      ),
    );
  }
}
