import { setTimeout as sleep } from "node:timers/promises";
import type { Reply, Token, Tokens, Upstream, UpstreamRequest } from "./upstream.ts";

type Send = (upstream: Upstream, request: UpstreamRequest) => Promise<Reply>;

/** A token is renewed this long before it expires. */
const marginMs = 60_000;

/** Token cache of one upstream and credential, with single flight: concurrent calls share one renewal. */
export class TokenCache {
  readonly #now: () => number;
  #known: { value: string; until: number } | undefined;
  #pending: Promise<string> | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The `tokens` argument of an upstream's `authorize`. `send` must outlive the call that triggers the renewal. */
  for(send: Send, patience: { signal: AbortSignal; waitMs: number }): Tokens & { used?: string } {
    const tokens: Tokens & { used?: string } = {
      get: async (fetch) => {
        const known = this.#known;
        if (known && this.#now() < known.until) return (tokens.used = known.value);
        this.#pending ??= this.#renew(() => fetch(send)).finally(() => {
          this.#pending = undefined;
        });
        return (tokens.used = await withTimeout(this.#pending, patience));
      },
    };
    return tokens;
  }

  /** Drops a refused token, unless a newer one has replaced it. */
  drop(value: string | undefined): void {
    if (this.#known?.value === value) this.#known = undefined;
  }

  async #renew(fetch: () => Promise<Token>): Promise<string> {
    const requestedAt = this.#now();
    const token = await fetch();
    const lifeMs = token.expiresIn === undefined ? Infinity : token.expiresIn * 1000;
    this.#known = {
      value: token.value,
      until: requestedAt + lifeMs - Math.min(marginMs, lifeMs / 10),
    };
    return token.value;
  }
}

/** The wait for the token exceeded the call's time. */
export class TokenTooLate extends Error {}

async function withTimeout<T>(
  promise: Promise<T>,
  patience: { signal: AbortSignal; waitMs: number },
): Promise<T> {
  const over = new AbortController();
  const signal = AbortSignal.any([patience.signal, over.signal]);
  try {
    return await Promise.race([
      promise,
      sleep(patience.waitMs, undefined, { signal }).then(
        () => {
          throw new TokenTooLate();
        },
        () => {
          throw patience.signal.reason;
        },
      ),
    ]);
  } finally {
    over.abort();
  }
}
