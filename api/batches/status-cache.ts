import type { Redis } from "ioredis";
import { queuePrefix } from "../../runtime/redis/keys.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import type { BatchStore, OpenBatch } from "../../db/batches.ts";
import type { Owner } from "../../db/owner.ts";
import { ownerName } from "../auth.ts";
import type { Dispatcher } from "../queue/dispatch.ts";

type Row = Awaited<ReturnType<BatchStore["get"]>>;

/** Published with the number of a batch that has ended, was cancelled or retried. */
const channel = `${queuePrefix}:batch-states`;
/**
 * The largest age of a cached state of a running batch, in milliseconds: the scheduler reads all twice in that
 * time.
 */
const oldMs = 1000;
/** From this age on a cached state is read again in the background. */
const renewMs = 40;
/** Batches whose state is cached. */
const most = 1000;

interface Look {
  id: number;
  row: NonNullable<Row>;
  at: number;
  renewing: boolean;
}

/**
 * Status cache (stale-while-revalidate): repeated polls of a running batch get its last known state, from an
 * earlier poll or the scheduler, and do not wait for a database that is busy with the batch. A batch that does
 * not run is read each time.
 */
export class StatusCache {
  readonly #read: BatchStore["get"];
  readonly #redis: Pick<Redis, "publish">;
  readonly #now: () => number;
  readonly #known = new Map<string, Look>();
  /** Counts changes: a read that began before a change is outdated. */
  #changes = 0;

  constructor(
    read: BatchStore["get"],
    { redis, listen }: Pick<Dispatcher, "listen"> & { redis: Pick<Redis, "publish"> },
    now = monotonicNow,
  ) {
    this.#read = read;
    this.#redis = redis;
    this.#now = now;
    listen(channel, (message) => this.forget(Number(message)));
  }

  async get(owner: Owner, publicId: string): Promise<Row> {
    const name = nameOf(owner, publicId);
    const look = this.#known.get(name);
    const age = look ? this.#now() - look.at : Infinity;
    if (!look || age > oldMs) return this.#ask(name, owner, publicId);
    if (age > renewMs && !look.renewing) {
      look.renewing = true;
      // A later poll reports this failure, once the cached state is too old.
      void this.#ask(name, owner, publicId).catch(() => (look.renewing = false));
    }
    return look.row;
  }

  /** Call before reading all open batches; the returned function caches their states. */
  glance(): (rows: readonly OpenBatch[]) => void {
    const seen = this.#asking();
    return (rows) => {
      for (const row of this.#known.size === 0 ? [] : rows) {
        const name = nameOf(row, row.publicId);
        if (this.#known.has(name)) seen(name, row);
      }
    };
  }

  /** The batch has ended, was cancelled or retried: drop its state here and in the other processes. */
  changed(id: number): void {
    this.forget(id);
    // A process that misses the message keeps the old state until it is too old.
    void this.#redis.publish(channel, String(id)).catch(() => undefined);
  }

  /** The next poll reads the batch. */
  forget(id: number): void {
    this.#changes += 1;
    for (const [name, look] of this.#known) if (look.id === id) this.#known.delete(name);
  }

  async #ask(name: string, owner: Owner, publicId: string): Promise<Row> {
    const seen = this.#asking();
    const row = await this.#read(owner, publicId);
    seen(name, row);
    return row;
  }

  #asking(): (name: string, row: Row) => void {
    const [changes, at] = [this.#changes, this.#now()];
    return (name, row) => {
      if (row?.state !== "running") this.#known.delete(name);
      else if (changes === this.#changes && at >= (this.#known.get(name)?.at ?? 0)) {
        if (this.#known.size >= most) this.#known.clear();
        this.#known.set(name, { id: row.id, row, at, renewing: false });
      }
    };
  }
}

const nameOf = (owner: Owner, publicId: string) => `${ownerName(owner)}:${publicId}`;
