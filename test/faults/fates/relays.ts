import type { Fate } from "./fate.ts";
import { PostgresProtocol } from "./postgres-relay.ts";
import { RedisProtocol } from "./redis-relay.ts";
import { type Protocol, type StoreRelay, startStoreRelay } from "./store-relay.ts";

/** The relays of a lane: they count the round trips of a flow by name, and give one of them its fate. */

/** Programs that end by themselves: a health check, a migration, and a command of an operator. */
export type Program = "health" | "migration" | "operator";
/** `other` is a second API process. */
export type Role = "api" | "other" | "worker" | Program;

/** One round trip of a flow, and its fate. `trip` is its name with the number of its occurrence. */
export interface Target {
  trip: string;
  fate: Fate;
}

export interface Stores {
  database: string;
  redis: string;
}

export class Relays {
  readonly #kill: (role: Role) => void;
  readonly #relays = new Map<string, StoreRelay>();
  #counts = new Map<string, number>();
  #isCounting = false;
  #target: Target | undefined;
  #isReached = false;

  /** `kill` ends the process of a role. */
  constructor(kill: (role: Role) => void) {
    this.#kill = kill;
  }

  /** The variables that name the stores to a process of this role. */
  async environment(role: Role, { database, redis }: Stores): Promise<Record<string, string>> {
    return {
      DATABASE_URL: await this.#through(`${role} postgres`, role, database),
      REDIS_URL: await this.#through(`${role} redis`, role, redis),
    };
  }

  /** Chooses the round trip that is given a fate; none counts yet. */
  aim(target: Target | undefined): void {
    this.#isCounting = false;
    this.#target = target;
    this.#isReached = false;
  }

  /** Counts round trips from here on. */
  watch(): void {
    this.#counts = new Map();
    this.#isCounting = true;
  }

  /** Further round trips do not count. */
  pause(): void {
    this.#isCounting = false;
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

  stop(): void {
    for (const relay of this.#relays.values()) relay.stop();
  }

  async #through(name: string, role: Role, url: string): Promise<string> {
    const protocol = (): Protocol =>
      name.endsWith("postgres") ? new PostgresProtocol() : new RedisProtocol();
    const relay =
      this.#relays.get(name) ??
      (await startStoreRelay(Number(new URL(url).port), protocol, {
        fateOf: (label) => this.#fateOf(`${name} ${label}`),
        kill: () => this.#kill(role),
      }));
    this.#relays.set(name, relay);
    return relay.through(url);
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
}
