import type { CapacityAnswer } from "../dashboards/capacity/answer.ts";
import { capacityVariables } from "../dashboards/capacity/settings.ts";
import { type Pool, pools } from "../contract/operation.ts";

/** The dashboards compute a new answer as often as this. */
const everyMs = 5_000;

/** Default CAPACITY_CEILINGS of a local start on a machine with this many processors; a floor above one raises it. */
export function defaultCeilings(processors: number, floors: string | undefined): string {
  const floorOf = capacityVariables.CAPACITY_FLOORS.parse(floors);
  const usual = (pool: Pool) => (pool === "browser" ? Math.max(2, Math.ceil(processors / 2)) : 4);
  return pools.map((pool) => `${pool}=${Math.max(usual(pool), floorOf(pool) ?? 0)}`).join();
}

/** An additional worker of one pool. */
export interface Extra {
  /** Stops the worker after its running jobs have ended. */
  stop(): Promise<void>;
}

export interface AutoscaleSettings {
  /** Fetches `/capacity` from the dashboards. */
  ask: () => Promise<CapacityAnswer>;
  /** Starts the worker of a pool with this number; number 1 always runs. */
  start: (pool: Pool, number: number) => Extra;
  print: (line: string) => void;
  /** Workers of each pool that run whatever the answer. */
  always?: number;
  everyMs?: number;
}

/** Starts and stops workers on one machine, so that each pool has the number that /capacity desires. */
export class Autoscale {
  readonly #settings: AutoscaleSettings;
  readonly #extras = Object.fromEntries(pools.map((pool) => [pool, []])) as unknown as Record<
    Pool,
    Extra[]
  >;
  readonly #leaving = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #following: Promise<void> | undefined;
  #silent = false;

  constructor(settings: AutoscaleSettings) {
    this.#settings = settings;
    this.#timer = setInterval(() => void this.follow(), settings.everyMs ?? everyMs);
  }

  /** Additional workers of a pool that are running. */
  count(pool: Pool): number {
    return this.#extras[pool].length;
  }

  /** Follows /capacity once (single flight); never rejects. A held or missing answer changes nothing. */
  async follow(): Promise<void> {
    this.#following ??= this.#follow()
      .catch((error: Error) => {
        if (!this.#silent)
          this.#settings.print(`Autoscale: /capacity does not answer (${error.message})`);
        this.#silent = true;
      })
      .finally(() => (this.#following = undefined));
    await this.#following;
  }

  /** Stops the additional workers. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#following;
    for (const pool of pools) while (this.count(pool) > 0) this.#end(pool);
    await Promise.all(this.#leaving);
  }

  async #follow(): Promise<void> {
    const answer = await this.#settings.ask();
    this.#silent = false;
    if (answer.state !== "measured") return;
    for (const pool of pools) this.#scale(pool, answer.pools[pool]);
  }

  #scale(pool: Pool, answer: CapacityAnswer["pools"][Pool]): void {
    const { start, print, always = 1 } = this.#settings;
    const before = this.count(pool);
    const desired = Math.max(0, answer.workers.desired - always);
    // More workers on this machine would not help.
    if (desired > before && answer.more_workers !== "help") return;
    const extras = this.#extras[pool];
    while (extras.length < desired) extras.push(start(pool, always + extras.length + 1));
    // Workers stop one at a time, so that their load shows on the others before the next one stops.
    if (extras.length > desired) this.#end(pool);
    if (extras.length !== before) {
      print(
        `Autoscale: ${pool} from ${always + before} to ${always + extras.length}. ${answer.reason}`,
      );
    }
  }

  #end(pool: Pool): void {
    const extra = this.#extras[pool].pop();
    if (!extra) return;
    const stopped = extra.stop();
    const leaving = stopped.catch(() => undefined).finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }
}
