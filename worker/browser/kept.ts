import type { Tab } from "./tab.ts";

/** A tab that has served a tenant and may serve it again: being reset, or proven empty. */
export interface Kept<Owner> {
  tenant: string;
  /** What the job asked for and what it was shown; a job for either finds the right renderer here. */
  origins: ReadonlySet<string>;
  owner: Owner;
  tab: Tab;
  /** True once the reset is proven, false when it failed. */
  proven: Promise<boolean>;
  state: "resetting" | "ready";
  /** When it became ready, in Unix milliseconds. */
  since: number;
}

interface Limits {
  /** Most tabs that wait at once. */
  ready: number;
  idleMs: number;
  /** From which job on, of a tenant at an origin, a tab is kept. */
  fromJob: number;
}

const rememberedOrigins = 1000;

/** The tabs kept for their tenants. Handing one out, or dropping it, takes it off the list. */
export class KeptTabs<Owner> {
  readonly #limits: Limits;
  readonly #drop: (kept: Kept<Owner>) => void;
  readonly #list = new Set<Kept<Owner>>();
  /** Jobs of a tenant at an origin, and when the last one came; the oldest first. */
  readonly #asked = new Map<string, { jobs: number; at: number }>();

  constructor(limits: Limits, drop: (kept: Kept<Owner>) => void) {
    this.#limits = limits;
    this.#drop = drop;
  }

  /** Whether this tenant asks for this origin often enough for a reset to pay; remembers that it asked. */
  asksAgain(tenant: string, origin: string): boolean {
    const key = `${tenant} ${origin}`;
    const last = this.#asked.get(key);
    const fresh = last && Date.now() - last.at < this.#limits.idleMs;
    const jobs = (fresh ? last.jobs : 0) + 1;
    this.#asked.delete(key);
    this.#asked.set(key, { jobs, at: Date.now() });
    for (const oldest of this.#asked.keys()) {
      if (this.#asked.size <= rememberedOrigins) break;
      this.#asked.delete(oldest);
    }
    return jobs >= this.#limits.fromJob;
  }

  add(kept: Kept<Owner>): void {
    this.#list.add(kept);
    void kept.tab.lost.then(() => this.#remove(kept));
    void kept.proven.then((proven) => {
      if (!this.#list.has(kept)) return;
      if (!proven) {
        this.#remove(kept);
        return;
      }
      kept.state = "ready";
      kept.since = Date.now();
      // The one that became ready first has waited longest.
      const ready = [...this.#list]
        .filter(({ state }) => state === "ready")
        .sort((a, b) => a.since - b.since);
      for (const old of ready.slice(0, Math.max(0, ready.length - this.#limits.ready))) {
        this.#remove(old);
      }
    });
  }

  /** Takes a tab of this tenant for this origin off the list: one that is ready, or one being reset. */
  take(tenant: string, origin: string, owner: Owner): Kept<Owner> | undefined {
    this.expire();
    const fit = [...this.#list].filter(
      (kept) => kept.tenant === tenant && kept.origins.has(origin) && kept.owner === owner,
    );
    const kept = fit.findLast(({ state }) => state === "ready") ?? fit[0];
    if (kept) this.#list.delete(kept);
    return kept;
  }

  /** Drops what has waited too long, and what did something while it should do nothing. */
  expire(): void {
    const oldest = Date.now() - this.#limits.idleMs;
    for (const kept of this.#list) {
      if (kept.state === "ready" && (kept.since <= oldest || !isQuiet(kept.tab))) {
        this.#remove(kept);
      }
    }
  }

  dropAll(owner: Owner): void {
    for (const kept of this.#list) if (kept.owner === owner) this.#remove(kept);
  }

  get ready(): number {
    return [...this.#list].filter(({ state }) => state === "ready").length;
  }

  #remove(kept: Kept<Owner>): void {
    if (this.#list.delete(kept)) this.#drop(kept);
  }
}

/** Nothing has come from a tab since its reset. */
export function isQuiet(tab: Tab): boolean {
  return tab.watch.use().taint === undefined && tab.proxy.askedWhileShut() === 0;
}
