import type { Redis } from "ioredis";
import { queuePrefix } from "../../contract/job.ts";
import { steadyNow } from "../../contract/steady.ts";
import type { BatchStore, OpenBatch, Owner } from "../../db/batches.ts";
import { ownerName } from "../auth.ts";
import type { Dispatcher } from "../queue/dispatch.ts";

type Row = Awaited<ReturnType<BatchStore["get"]>>;

/** Published with the number of a batch that has ended, was cancelled or begun again. */
const channel = `${queuePrefix}:batch-states`;
/** What is told of a batch that runs is at most so old, in milliseconds: the feeder glances twice in that time. */
const oldMs = 1000;
/** From this age on it is read again meanwhile. */
const renewMs = 40;
/** Batches of which something is remembered. */
const most = 1000;

interface Look {
  id: number;
  row: NonNullable<Row>;
  at: number;
  renewing: boolean;
}

/**
 * Whoever looks at a running batch again is told what was last seen of it, by the look before or by the feeder,
 * and does not wait for a database that is busy with the batch. One that does not run is read each time.
 */
export class Looks {
  readonly #read: BatchStore["get"];
  readonly #redis: Pick<Redis, "publish">;
  readonly #now: () => number;
  readonly #known = new Map<string, Look>();
  /** What was asked before a batch was changed says nothing of it any more. */
  #changes = 0;

  constructor(
    read: BatchStore["get"],
    { redis, listen }: Pick<Dispatcher, "listen"> & { redis: Pick<Redis, "publish"> },
    now = steadyNow,
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
      // What fails here is told to whoever looks when this one is too old.
      void this.#ask(name, owner, publicId).catch(() => (look.renewing = false));
    }
    return look.row;
  }

  /** Before all open batches are read; what it returns is told what they were. */
  glance(): (rows: readonly OpenBatch[]) => void {
    const seen = this.#asking();
    return (rows) => {
      for (const row of this.#known.size === 0 ? [] : rows) {
        const name = nameOf(row, row.publicId);
        if (this.#known.has(name)) seen(name, row);
      }
    };
  }

  /** It has ended, or was cancelled or begun again: from here on that is told, by the other processes too. */
  changed(id: number): void {
    this.forget(id);
    // Who does not hear of it tells the old state until that is too old.
    void this.#redis.publish(channel, String(id)).catch(() => undefined);
  }

  /** The next look reads it. */
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
