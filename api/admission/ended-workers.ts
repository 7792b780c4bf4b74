import type { Redis } from "ioredis";
import { instanceOf } from "../../runtime/build.ts";
import { readProcesses } from "../../runtime/processes.ts";
import type { Database } from "../../db/client.ts";
import { type Latest, endControl } from "../../db/controls.ts";

/** Redis lists a process that was killed for an hour after its last report, one that stopped by itself no longer. */
const lookEveryMs = 10_000;
/** A Redis that lost its data lists a live process again after five seconds. */
const missingForMs = 60_000;

const why = "the process has ended";

/** The processes that Redis lists, by the names that decisions use. */
async function listedProcesses(redis: Redis): Promise<Set<string>> {
  const found = await readProcesses(redis);
  return new Set(found.flatMap(({ about }) => (about ? [instanceOf(about)] : [])));
}

/**
 * Ends decisions to quiet worker processes that have ended: they would stand in every list for ever, because a
 * worker that starts later is another process.
 */
export class EndedWorkers {
  readonly #stores: { db: Database; redis: Redis };
  readonly #now: () => number;
  /** Id of a decision -> first look at which its process was not listed, by the steady clock. */
  readonly #missingSince = new Map<number, number>();
  #lookedAt = -Infinity;

  constructor(stores: { db: Database; redis: Redis }, now = () => performance.now()) {
    this.#stores = stores;
    this.#now = now;
  }

  /** Called with the latest decisions at each poll; throws where a store does not answer. */
  async look(latest: readonly Latest[]): Promise<void> {
    const quiet = latest.filter(({ kind, effect }) => kind === "worker" && effect === "pause");
    const now = this.#now();
    if (quiet.length === 0 || now - this.#lookedAt < lookEveryMs) return;
    this.#lookedAt = now;
    const listed = await listedProcesses(this.#stores.redis);
    const missing = quiet.filter(({ target }) => !listed.has(target));
    const ids = new Set(missing.map(({ id }) => id));
    for (const id of this.#missingSince.keys()) if (!ids.has(id)) this.#missingSince.delete(id);
    for (const { id } of missing) {
      const since = this.#missingSince.get(id) ?? now;
      this.#missingSince.set(id, since);
      if (now - since < missingForMs) continue;
      await endControl(this.#stores.db, id, { who: "gateway", via: "program", why });
      this.#missingSince.delete(id);
    }
  }
}
