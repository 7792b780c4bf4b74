import { hash } from "node:crypto";
import { Breaker, type BreakerState } from "./breaker.ts";
import { OperationRests } from "./rests.ts";
import { RetryBudget } from "./retry.ts";
import { TokenCache } from "./tokens.ts";
import type { Upstream } from "./upstream.ts";

/** State of one upstream and credential in this process. */
export interface Account {
  /** Key of the limits: upstreams with the same credential share them. */
  name: string;
  /** True for the own credential of an account of the gateway. */
  isOwn: boolean;
  breaker: Breaker;
  budget: RetryBudget;
  rests: OperationRests;
  tokens: TokenCache;
}

/** Callers may name any number of servers, so their state is kept in this many groups. */
const serverGroups = 256;

const groupOf = (host: string): number =>
  Number.parseInt(hash("sha256", host, "hex").slice(0, 8), 16) % serverGroups;
const mostKnown = 2000;

export class Accounts {
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #onBreaker: (upstream: string, state: BreakerState, isOwn: boolean) => void;
  readonly #known = new Map<string, Account>();

  constructor(
    now: () => number,
    random: () => number,
    onBreaker: (upstream: string, state: BreakerState, isOwn: boolean) => void,
  ) {
    this.#now = now;
    this.#random = random;
    this.#onBreaker = onBreaker;
  }

  /** `own` is the id of an own credential that takes the place of the operator's. */
  of(upstream: Upstream, own?: number): Account {
    const operators = upstream.credentials.join("+");
    const credential = own === undefined ? operators : `${operators} own ${own}`;
    const group = upstream.server ? ` ${groupOf(upstream.server.host)}` : "";
    const key = `${upstream.name}${group} ${credential}`;
    let account = this.#known.get(key);
    if (!account) {
      account = {
        name: (credential || upstream.name) + group,
        isOwn: own !== undefined,
        breaker: new Breaker({
          now: this.#now,
          random: this.#random,
          onChange: (state) => this.#onBreaker(upstream.name, state, own !== undefined),
        }),
        budget: new RetryBudget(),
        rests: new OperationRests(this.#now, this.#random),
        tokens: new TokenCache(this.#now),
      };
      this.#known.set(key, account);
      if (own !== undefined) this.#forgetOldest();
    }
    return account;
  }

  /** The states of own credentials are bounded: there are as many as accounts have. */
  #forgetOldest(): void {
    if (this.#known.size <= mostKnown) return;
    for (const [key, { isOwn }] of this.#known) {
      if (!isOwn) continue;
      this.#known.delete(key);
      return;
    }
  }
}
