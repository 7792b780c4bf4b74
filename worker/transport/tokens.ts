import { setTimeout as sleep } from "node:timers/promises";
import type { Reply, Token, Tokens, Upstream, UpstreamRequest } from "./upstream.ts";

type Send = (upstream: Upstream, request: UpstreamRequest) => Promise<Reply>;

/** A token is renewed this long before its end. */
const marginMs = 60_000;

/** The token of one upstream and credential in this process. */
export class TokenCache {
  readonly #now: () => number;
  #known: { value: string; until: number } | undefined;
  #pending: Promise<string> | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** What an upstream's `authorize` is given; `send` must not end with the call that happens to come first. */
  for(send: Send, patience: { signal: AbortSignal; waitMs: number }): Tokens & { used?: string } {
    const tokens: Tokens & { used?: string } = {
      get: async (fetch) => {
        const known = this.#known;
        if (known && this.#now() < known.until) return (tokens.used = known.value);
        this.#pending ??= this.#renew(() => fetch(send)).finally(() => {
          this.#pending = undefined;
        });
        return (tokens.used = await impatiently(this.#pending, patience));
      },
    };
    return tokens;
  }

  /** Drops a token that was refused, unless a newer one has taken its place. */
  drop(value: string | undefined): void {
    if (this.#known?.value === value) this.#known = undefined;
  }

  async #renew(fetch: () => Promise<Token>): Promise<string> {
    const asked = this.#now();
    const token = await fetch();
    const lifeMs = token.expiresIn === undefined ? Infinity : token.expiresIn * 1000;
    this.#known = { value: token.value, until: asked + lifeMs - Math.min(marginMs, lifeMs / 10) };
    return token.value;
  }
}

/** Waiting for the token took longer than the call has. */
export class TokenTooLate extends Error {}

async function impatiently<T>(
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
