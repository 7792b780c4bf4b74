import type { CapacityAnswer } from "../dashboards/capacity/answer.ts";
import { type Pool, pools } from "../contract/operation.ts";

/** As often as the answer changes. */
const everyMs = 5_000;

/** The most workers of a pool on a machine of this many processors, unless the environment says so. */
export const usualCeilings = (processors: number): string =>
  `all=4,browser=${Math.max(2, Math.ceil(processors / 2))}`;

/** A worker that was started for one pool and can be ended. */
export interface Extra {
  /** Lets running jobs end. */
  stop(): Promise<void>;
}

export interface AutoscaleSettings {
  /** What the dashboards answer on /capacity. */
  ask: () => Promise<CapacityAnswer>;
  /** Starts the worker of a pool with this number; 1 are those that always run. */
  start: (pool: Pool, number: number) => Extra;
  say: (line: string) => void;
  /** Workers of each pool that run whatever is answered. */
  always?: number;
  everyMs?: number;
}

/** Follows /capacity on one machine: as many workers of each pool as it names, within its floor and ceiling. */
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

  /** Workers of a pool that this has started and not ended. */
  count(pool: Pool): number {
    return this.#extras[pool].length;
  }

  /** Looks once; never rejects. An answer that is held or none at all changes nothing. */
  async follow(): Promise<void> {
    this.#following ??= this.#follow()
      .catch((error: Error) => {
        if (!this.#silent)
          this.#settings.say(`Autoscale: no answer of /capacity (${error.message})`);
        this.#silent = true;
      })
      .finally(() => (this.#following = undefined));
    await this.#following;
  }

  /** Ends the workers that it started. */
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
    for (const pool of pools) this.#bring(pool, answer.pools[pool]);
  }

  #bring(pool: Pool, answer: CapacityAnswer["pools"][Pool]): void {
    const { start, say, always = 1 } = this.#settings;
    const before = this.count(pool);
    const wanted = Math.max(0, answer.workers.desired - always);
    // On this machine there is nothing left for them.
    if (wanted > before && answer.more_workers !== "help") return;
    const extras = this.#extras[pool];
    while (extras.length < wanted) extras.push(start(pool, always + extras.length + 1));
    // One at a time: what it carried is seen on the others before the next one goes.
    if (extras.length > wanted) this.#end(pool);
    if (extras.length !== before) {
      say(
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
