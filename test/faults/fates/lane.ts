import { setTimeout as sleep } from "node:timers/promises";
import { Gateway, type Process, until } from "../../gateway.ts";
import { type Receiver, startReceiver } from "../../receiver.ts";
import type { GuardName } from "../guards.ts";
import type { Fate } from "./fate.ts";
import { PostgresProtocol } from "./postgres-relay.ts";
import { RedisProtocol } from "./redis-relay.ts";
import { type Protocol, type StoreRelay, type Watch, startStoreRelay } from "./store-relay.ts";

/** A gateway behind relays: one API process and one worker, each with its stores behind relays of its own. */

type Role = "api" | "worker";

/** One round trip of a flow, and its fate. `trip` is its name with the number of its occurrence. */
export interface Target {
  trip: string;
  fate: Fate;
}

/** The receiver refuses the first attempt for such a path. */
export const failsFirst = "/fails-first-";

const pools = "social,serp,webhooks";
/** A process that a fault met at its start may need a second start. */
const mostStarts = 3;

export class Lane {
  readonly receiver: Receiver;
  #gateway: Gateway | undefined;
  readonly #relays: StoreRelay[] = [];
  #workerEnv: Record<string, string> = {};
  #counts = new Map<string, number>();
  #isCounting = false;
  #target: Target | undefined;
  #isReached = false;
  /** Several flows run at once, and no round trip is given a fate. */
  #isObserved = false;
  #restart: Promise<void> = Promise.resolve();

  private constructor(receiver: Receiver) {
    this.receiver = receiver;
  }

  /** `without` names a guard that the processes and the database leave out. */
  static async start(without?: GuardName): Promise<Lane> {
    const lane = new Lane(await startReceiver());
    lane.receiver.answers(({ path }, earlier) =>
      path.startsWith(failsFirst) && earlier === 0 ? 500 : 204,
    );
    const behind = async (role: Role, stores: { database: string; redis: string }) => {
      const watch = (store: string): Watch => ({
        fateOf: (label) => lane.#fateOf(`${role} ${store} ${label}`),
        kill: () => lane.#kill(role),
      });
      const relayed = async (store: string, url: string, protocol: () => Protocol) => {
        const relay = await startStoreRelay(Number(new URL(url).port), protocol, watch(store));
        lane.#relays.push(relay);
        return relay.through(url);
      };
      return {
        DATABASE_URL: await relayed("postgres", stores.database, () => new PostgresProtocol()),
        REDIS_URL: await relayed("redis", stores.redis, () => new RedisProtocol()),
      };
    };
    lane.#gateway = await Gateway.start({
      ...(without === undefined ? {} : { without }),
      env: { WEBHOOK_ALLOW: lane.receiver.address, WEBHOOK_PAUSES: "0.2,0.5,1,2" },
      async between(stores) {
        lane.#workerEnv = { ...(await behind("worker", stores)), WORKER_POOLS: pools };
        return behind("api", stores);
      },
    });
    await lane.#startWorker();
    return lane;
  }

  get gateway(): Gateway {
    return this.#gateway as Gateway;
  }

  /** A key of a new account; round trips do not count yet. */
  async account(target?: Target): Promise<{ key: string; keyId: string; accountId: number }> {
    await this.#restart;
    this.pause();
    this.#target = target;
    this.#isReached = false;
    return this.gateway.key({ mode: "test", credits: 10_000, rate: 1000 });
  }

  /** Counts round trips from here on, and gives the chosen one its fate. */
  watch(): void {
    if (this.#isObserved) return;
    this.#counts = new Map();
    this.#isCounting = true;
  }

  /** Counts all round trips, of however many flows. */
  async observed(work: () => Promise<unknown>): Promise<ReadonlyMap<string, number>> {
    this.watch();
    this.#isObserved = true;
    try {
      await work();
    } finally {
      this.#isObserved = false;
    }
    return this.seen();
  }

  /** Further round trips do not count. */
  pause(): void {
    if (!this.#isObserved) this.#isCounting = false;
  }

  /** Ends the count; returns how often each round trip occurred. */
  seen(): ReadonlyMap<string, number> {
    this.pause();
    this.#target = undefined;
    return this.#counts;
  }

  /** Whether the chosen round trip occurred. */
  get isReached(): boolean {
    return this.#isReached;
  }

  /** Resolves once all processes run again. */
  async recovered(): Promise<void> {
    await this.#restart;
  }

  /** Brings the deadlines of lost calls forward, so that the next sweep returns their holds. */
  async expireHolds(): Promise<void> {
    await this.gateway.db.sql`
      update holds set deadline = clock_timestamp() where state = 'open'`;
  }

  /** Ends a process with SIGTERM; another takes its place. Returns its exit code, or the signal's name. */
  async replace(role: Role): Promise<number | string> {
    const doomed = this.#process(role);
    doomed.child.kill("SIGTERM");
    const code = await Promise.race([doomed.ended, sleep(150_000).then(() => "no end")]);
    await this.#restart;
    // A fault may have killed the process, and its place is taken already.
    if (this.#process(role) === doomed) await this.#started(role);
    return code;
  }

  /** Warnings and errors of all processes since a time, in Unix milliseconds. */
  warnings(since: number): string[] {
    const { apis, workers } = this.gateway;
    return [...apis.map(({ process }) => process), ...workers]
      .flatMap((process) => process.log().split("\n"))
      .filter((line) => {
        const [, level, time] = /^\{"level":(\d+),"time":(\d+)/.exec(line) ?? [];
        return Number(level) >= 40 && Number(time) >= since;
      });
  }

  async stop(): Promise<void> {
    await this.#restart;
    await this.#gateway?.stop();
    for (const relay of this.#relays) relay.stop();
    await this.receiver.stop();
  }

  #fateOf(name: string): Fate | undefined {
    if (!this.#isCounting) return undefined;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    if (this.#target?.trip !== `${name} #${count}`) return undefined;
    const { fate } = this.#target;
    this.#target = undefined;
    this.#isReached = true;
    return fate;
  }

  #process(role: Role): Process {
    const { apis, workers } = this.gateway;
    return (role === "api" ? apis.at(-1)?.process : workers.at(-1)) as Process;
  }

  #kill(role: Role): void {
    this.#process(role).child.kill("SIGKILL");
    this.#restart = this.#restart.then(() => this.#started(role));
  }

  async #started(role: Role): Promise<void> {
    for (let left = mostStarts; ; left -= 1) {
      try {
        if (role === "api") await this.gateway.startApi();
        else await this.#startWorker();
        return;
      } catch (error) {
        // A process may give up its start without its stores: its supervisor starts it again.
        this.#process(role).child.kill("SIGKILL");
        if (left === 1) throw error;
      }
    }
  }

  async #startWorker(): Promise<void> {
    await this.gateway.startWorker(this.#workerEnv);
    await until(() =>
      fetch(`${this.gateway.url}/health/ready`).then(
        async (answer) => {
          const { workers } = (await answer.json()) as { workers: Record<string, number> };
          return (workers["social"] ?? 0) > 0;
        },
        () => false,
      ),
    );
  }
}
