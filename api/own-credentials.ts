import {
  openStored,
  type OwnCredential,
  sealForJob,
  type SealedCredentials,
} from "../runtime/own-credentials.ts";
import type { Database } from "../db/client.ts";
import { credentialsState, type StoredCredential, storedCredentials } from "../db/credentials.ts";

const everyMs = 1000;

interface OfAccount {
  names: string[];
  /** The decrypted ones. */
  opened: OwnCredential[];
}

/** The accounts' own credentials as this process knows them: at most a second old while the database answers. */
export class OwnCredentials {
  readonly #db: Database;
  readonly #key: string | undefined;
  readonly #onUnreadable: (accountId: number, names: string) => void;
  readonly #timer: NodeJS.Timeout;
  #state: string | undefined;
  #polling = false;
  #known: ReadonlyMap<number, OfAccount> = new Map();

  constructor(
    db: Database,
    key: string | undefined,
    onUnreadable: (accountId: number, names: string) => void,
  ) {
    this.#db = db;
    this.#key = key;
    this.#onUnreadable = onUnreadable;
    this.#timer = setInterval(() => void this.poll().catch(() => undefined), everyMs);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Reads them again if one has changed. While the database is away, the known ones stay. */
  async poll(): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    try {
      const state = await credentialsState(this.#db);
      if (state === this.#state) return;
      const rows = await storedCredentials(this.#db);
      const byAccount = Map.groupBy(rows, ({ accountId }) => accountId);
      this.#known = new Map([...byAccount].map(([id, own]) => [id, this.#opened(own)]));
      this.#state = state;
    } finally {
      this.#polling = false;
    }
  }

  #opened(rows: readonly StoredCredential[]): OfAccount {
    const opened = rows.flatMap((row) => {
      const { id, accountId, names, sealed, perSecond, pricePercent } = row;
      const secrets =
        this.#key === undefined ? undefined : openStored(this.#key, accountId, names, sealed);
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
    if (this.#key === undefined || opened.length === 0) return { names };
    return { names, sealed: sealForJob(this.#key, requestId, account, opened) };
  }
}
