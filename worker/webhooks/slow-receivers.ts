export interface Receiver {
  account: string;
  host: string;
}

/** A receiver that takes longer is slow; most answer within a second. */
const slowMs = 3000;
/** Receivers and accounts that are remembered; the oldest are forgotten first. */
const mostKnown = 10_000;

/**
 * Receivers whose last attempts took long, by host. A host without an attempt counts as its account's last ones did,
 * because an account has as many hosts as it likes under one wildcard name.
 */
export class SlowReceivers {
  readonly #means = new Map<string, number>();

  has({ account, host }: Receiver): boolean {
    const mean = this.#means.get(`${account} ${host}`) ?? this.#means.get(account) ?? 0;
    return mean > slowMs;
  }

  note({ account, host }: Receiver, ms: number): void {
    for (const name of [`${account} ${host}`, account]) {
      const mean = this.#means.get(name);
      this.#means.delete(name);
      this.#means.set(name, mean === undefined ? ms : mean / 2 + ms / 2);
    }
    for (const oldest of this.#means.keys()) {
      if (this.#means.size <= mostKnown) break;
      this.#means.delete(oldest);
    }
  }
}
