import {
  openStored,
  type OwnCredential,
  sealForJob,
  type SealedCredentials,
} from "../runtime/own-credentials.ts";
import type { Database } from "../db/client.ts";
import { credentialsState, type StoredCredential, storedCredentials } from "../db/credentials.ts";
import { Poller } from "./poller.ts";

interface OfAccount {
  names: string[];
  /** The decrypted ones. */
  opened: OwnCredential[];
}

/** The accounts' own credentials as this process knows them: at most a second old while the database answers. */
export class OwnCredentials {
  readonly #db: Database;
  readonly #keys: readonly string[];
  readonly #onUnreadable: (accountId: number, names: string) => void;
  readonly #poller = new Poller(() => this.#read());
  #state: string | undefined;
  #known: ReadonlyMap<number, OfAccount> = new Map();

  /** `keys`: the current one first. */
  constructor(
    db: Database,
    keys: readonly string[],
    onUnreadable: (accountId: number, names: string) => void,
  ) {
    this.#db = db;
    this.#keys = keys;
    this.#onUnreadable = onUnreadable;
  }

  close(): void {
    this.#poller.close();
  }

  /** Reads them again if one has changed. While the database is away, the known ones stay. */
  poll(): Promise<void> {
    return this.#poller.poll();
  }

  async #read(): Promise<void> {
    const state = await credentialsState(this.#db);
    if (state === this.#state) return;
    const rows = await storedCredentials(this.#db);
    const byAccount = Map.groupBy(rows, ({ accountId }) => accountId);
    this.#known = new Map([...byAccount].map(([id, own]) => [id, this.#opened(own)]));
    this.#state = state;
  }

  #opened(rows: readonly StoredCredential[]): OfAccount {
    const opened = rows.flatMap((row) => {
      const { id, accountId, names, sealed, perSecond, pricePercent } = row;
      const secrets = openStored(this.#keys, accountId, names, sealed)?.secrets;
      if (secrets) return [{ id, names, secrets, perSecond: perSecond ?? undefined, pricePercent }];
      this.#onUnreadable(accountId, names);
      return [];
    });
    return { names: rows.map(({ names }) => names), opened };
  }

  /** The account's credentials for one job, which no other job can decrypt; undefined where it has none. */
  forJob(requestId: string, accountId: number, account: string): SealedCredentials | undefined {
    const own = this.#known.get(accountId);
    if (!own) return undefined;
    const { names, opened } = own;
    const [key] = this.#keys;
    if (key === undefined || opened.length === 0) return { names };
    return { names, sealed: sealForJob(key, requestId, account, opened) };
  }
}
