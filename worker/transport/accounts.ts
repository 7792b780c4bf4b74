import { Breaker, type BreakerState } from "./breaker.ts";
import { RetryBudget } from "./retry.ts";
import { TokenCache } from "./tokens.ts";
import type { Upstream } from "./upstream.ts";

/** State of one upstream and credential in this process. */
export interface Account {
  /** Key of the limits: upstreams with the same credential share them. */
  name: string;
  breaker: Breaker;
  budget: RetryBudget;
  tokens: TokenCache;
}

export class Accounts {
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #onBreaker: (upstream: string, state: BreakerState) => void;
  readonly #known = new Map<string, Account>();

  constructor(
    now: () => number,
    random: () => number,
    onBreaker: (upstream: string, state: BreakerState) => void,
  ) {
    this.#now = now;
    this.#random = random;
    this.#onBreaker = onBreaker;
  }

  of(upstream: Upstream): Account {
    const credential = upstream.credentials.join("+");
    const key = `${upstream.name} ${credential}`;
    let account = this.#known.get(key);
    if (!account) {
      account = {
        name: credential || upstream.name,
        breaker: new Breaker({
          now: this.#now,
          random: this.#random,
          onChange: (state) => this.#onBreaker(upstream.name, state),
        }),
        budget: new RetryBudget(),
        tokens: new TokenCache(this.#now),
      };
      this.#known.set(key, account);
    }
    return account;
  }
}
