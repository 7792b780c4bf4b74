import { steadyNow } from "../../contract/steady.ts";
import type { BatchStore, Owner } from "../../db/batches.ts";
import { ownerName } from "../auth.ts";

type Row = Awaited<ReturnType<BatchStore["get"]>>;

/** What is told of a batch that runs is at most so old, in milliseconds. */
const oldMs = 100;
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
 * Whoever looks at a running batch again and again is told what the look before has found, and does not
 * wait for a database that is busy with the batch. One that does not run is read each time.
 */
export class Looks {
  readonly #read: BatchStore["get"];
  readonly #now: () => number;
  readonly #known = new Map<string, Look>();
  /** What was asked before a batch was changed says nothing of it any more. */
  #changes = 0;

  constructor(read: BatchStore["get"], now = steadyNow) {
    this.#read = read;
    this.#now = now;
  }

  async get(owner: Owner, publicId: string): Promise<Row> {
    const name = `${ownerName(owner)}:${publicId}`;
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

  /** It has ended, or was cancelled or begun again: from here on that is told. */
  changed(id: number): void {
    this.#changes += 1;
    for (const [name, look] of this.#known) if (look.id === id) this.#known.delete(name);
  }

  async #ask(name: string, owner: Owner, publicId: string): Promise<Row> {
    const [changes, at] = [this.#changes, this.#now()];
    const row = await this.#read(owner, publicId);
    if (row?.state !== "running") this.#known.delete(name);
    else if (changes === this.#changes) {
      if (this.#known.size >= most) this.#known.clear();
      this.#known.set(name, { id: row.id, row, at, renewing: false });
    }
    return row;
  }
}
