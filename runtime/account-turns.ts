import { monotonicNow } from "./monotonic.ts";

export interface AccountTurnsOptions {
  /** Row of the table of shared resources in docs/evidence/reliability.md. */
  name: string;
  /** Turns at once; `resize` changes them. */
  slots: number;
  /** Slots among them that only an account without a turn may take; none when absent. */
  kept?: number | undefined;
  /** Turns of one account that wait; a further one is refused. No bound when absent. */
  waitingPerAccount?: number | undefined;
  /** Monotonic clock, in milliseconds. */
  now?: (() => number) | undefined;
}

/** A slot, until its work has ended. */
export interface Turn {
  /** Gives the slot to the next account; the milliseconds since the start are the cost unless another one is given. */
  end(cost?: number): void;
}

/** More turns of the account wait than the resource allows. */
export class TooManyWaiting extends Error {}

/** An account counts as being at work for so long after its last turn. */
const atWorkMs = 2000;
/** Idle accounts are forgotten beyond this number. */
const mostIdle = 1000;
/** The least cost of a turn in milliseconds, so that accounts with very short turns alternate as well. */
const leastCost = 1;

interface Waiting {
  grant(): void;
}

interface Account {
  name: string;
  /** Cost of all ended turns, never behind the account served last. */
  used: number;
  /** When each running turn began. */
  readonly running: Set<{ at: number }>;
  readonly waiting: Set<Waiting>;
  lastAt: number;
}

/**
 * Gives the slots of one shared resource to accounts in turns: start-time fair queueing whose cost is the measured
 * time of a turn, so that an account with long turns gets fewer. While several accounts are at work none has more
 * than half of the slots; an account that is alone has all but the kept ones. Nobody saves up for later.
 */
export class AccountTurns {
  readonly name: string;
  #slots: number;
  readonly #kept: number;
  readonly #waitingPerAccount: number;
  readonly #now: () => number;
  readonly #accounts = new Map<string, Account>();
  /** Start tag of the turn that began last. */
  #virtualTime = 0;
  #running = 0;
  #busy = 0;
  readonly #queue = new Set<Account>();
  /** The account that was at work last, and the last one beside it. */
  #latest: (Account | undefined)[] = [];
  #sweepAt = mostIdle;
  #recheck: NodeJS.Timeout | undefined;

  constructor(options: AccountTurnsOptions) {
    this.name = options.name;
    this.#slots = options.slots;
    this.#kept = Math.min(options.kept ?? 0, options.slots - 1);
    this.#waitingPerAccount = options.waitingPerAccount ?? Infinity;
    this.#now = options.now ?? monotonicNow;
  }

  get slots(): number {
    return this.#slots;
  }

  /** Changes the turns at once. Beyond a lower number no turn begins; those that run go on. */
  resize(slots: number): void {
    if (slots === this.#slots) return;
    this.#slots = slots;
    this.#grant();
  }

  /** Waits for a slot. Rejects with the signal's reason, or with `TooManyWaiting`. */
  async take(name: string, signal?: AbortSignal): Promise<Turn> {
    signal?.throwIfAborted();
    const account = this.#account(name);
    this.#touch(account);
    if (account.waiting.size === 0 && this.#mayRun(account)) return this.#begin(account);
    if (account.waiting.size >= this.#waitingPerAccount) {
      throw new TooManyWaiting(`More than ${this.#waitingPerAccount} wait for ${this.name}`);
    }
    const { promise, resolve, reject } = Promise.withResolvers<Turn>();
    const entry: Waiting = {
      grant: () => {
        // In this order the account stays busy in between.
        const turn = this.#begin(account);
        this.#leave(account, entry);
        resolve(turn);
      },
    };
    const giveUp = () => {
      if (!account.waiting.has(entry)) return;
      this.#leave(account, entry);
      reject(signal?.reason as Error);
      this.#grant();
    };
    this.#wait(account, entry);
    signal?.addEventListener("abort", giveUp, { once: true });
    // A second account ends the time in which the first one was alone, and others may be below their share.
    this.#grant();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener("abort", giveUp);
    }
  }

  /** Does the work in a turn of the account. */
  async run<T>(name: string, work: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = await this.take(name, signal);
    try {
      return await work();
    } finally {
      turn.end();
    }
  }

  /** Slots that an account without a turn may take, and the accounts for which no turn would begin. */
  free(): { slots: number; barred: string[] } {
    const barred: string[] = [];
    for (const account of this.#accounts.values()) {
      if (isBusy(account) && !this.#mayRun(account)) barred.push(account.name);
    }
    return { slots: this.slots - this.#running, barred };
  }

  counts(): { running: number; waiting: number; accounts: number } {
    let waiting = 0;
    for (const account of this.#queue) waiting += account.waiting.size;
    return { running: this.#running, waiting, accounts: this.#busy };
  }

  #account(name: string): Account {
    const known = this.#accounts.get(name);
    if (known) {
      if (!isBusy(known)) known.used = Math.max(known.used, this.#virtualTime);
      return known;
    }
    if (this.#accounts.size > this.#sweepAt) this.#forget();
    const used = this.#virtualTime;
    const lastAt = -Infinity;
    const account: Account = { name, used, running: new Set(), waiting: new Set(), lastAt };
    this.#accounts.set(name, account);
    return account;
  }

  #forget(): void {
    const now = this.#now();
    for (const [name, account] of this.#accounts) {
      const owesNothing = account.used <= this.#virtualTime || this.#busy === 0;
      if (!isBusy(account) && owesNothing && now - account.lastAt > atWorkMs) {
        this.#accounts.delete(name);
      }
    }
    this.#sweepAt = Math.max(mostIdle, 2 * this.#accounts.size);
  }

  #touch(account: Account): void {
    account.lastAt = this.#now();
    if (this.#latest[0] !== account) this.#latest = [account, this.#latest[0]];
  }

  #wait(account: Account, entry: Waiting): void {
    if (!isBusy(account)) this.#busy += 1;
    account.waiting.add(entry);
    this.#queue.add(account);
  }

  #leave(account: Account, entry: Waiting): void {
    account.waiting.delete(entry);
    if (account.waiting.size === 0) this.#queue.delete(account);
    if (!isBusy(account)) this.#busy -= 1;
  }

  #mayRun(account: Account): boolean {
    if (this.#running >= this.slots) return false;
    const isFirst = account.running.size === 0;
    if (isFirst) return true;
    if (this.#running >= this.slots - this.#kept) return false;
    return !this.#othersAtWork(account) || account.running.size < Math.floor(this.slots / 2);
  }

  #othersAtWork(account: Account): boolean {
    if (this.#busy > (isBusy(account) ? 1 : 0)) return true;
    const other = this.#latest[0] === account ? this.#latest[1] : this.#latest[0];
    return other !== undefined && this.#now() - other.lastAt < atWorkMs;
  }

  #begin(account: Account): Turn {
    const start = { at: this.#now() };
    this.#virtualTime = Math.max(this.#virtualTime, account.used);
    if (!isBusy(account)) this.#busy += 1;
    account.running.add(start);
    this.#running += 1;
    return {
      end: (cost) => {
        if (!account.running.delete(start)) return;
        account.used += Math.max(leastCost, cost ?? this.#now() - start.at);
        this.#running -= 1;
        if (!isBusy(account)) this.#busy -= 1;
        this.#touch(account);
        this.#grant();
      },
    };
  }

  /** Begins the turns that are due, the account that has used least first. */
  #grant(): void {
    for (;;) {
      const next = this.#next();
      if (!next) break;
      const [entry] = next.waiting;
      entry?.grant();
    }
    this.#recheckLater();
  }

  #next(): Account | undefined {
    if (this.#running >= this.slots) return undefined;
    const now = this.#now();
    let least: { account: Account; used: number } | undefined;
    for (const account of this.#queue) {
      if (!this.#mayRun(account)) continue;
      const used = usedBy(account, now);
      if (!least || used < least.used) least = { account, used };
    }
    return least?.account;
  }

  /** An account that waits beside free slots may take them once the others have been away for long enough. */
  #recheckLater(): void {
    clearTimeout(this.#recheck);
    if (this.#running >= this.slots || this.#running === 0) return;
    if (this.#queue.size === 0) return;
    this.#recheck = setTimeout(() => this.#grant(), atWorkMs / 10);
    this.#recheck.unref();
  }
}

const isBusy = ({ running, waiting }: Account) => running.size > 0 || waiting.size > 0;

/** Running turns count with the time that they have taken so far. */
function usedBy({ used, running }: Account, now: number): number {
  let sum = used;
  for (const { at } of running) sum += now - at;
  return sum;
}
