import { monotonicNow } from "../runtime/monotonic.ts";
import type { Database } from "../db/client.ts";
import { validKeyIds } from "../db/keys.ts";
import { retryStore } from "./stores.ts";

/** A key issued since the last read is unknown for this long at most, in milliseconds. */
const readEveryMs = 5000;

/** Ids of all valid keys. They distinguish a key that this process has not seen from a stranger's guess. */
export class KeyIds {
  readonly #db: Database;
  #ids: ReadonlySet<string> = new Set();
  #readAt = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  async has(id: string): Promise<boolean> {
    if (this.#ids.has(id)) return true;
    if (monotonicNow() - this.#readAt < readEveryMs) return false;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    await this.#reading;
    return this.#ids.has(id);
  }

  async #read(): Promise<void> {
    this.#readAt = monotonicNow();
    this.#ids = new Set(await retryStore(() => validKeyIds(this.#db)));
  }
}
