/** Retries: which failures are retried, after which backoff, and the retry budget of an upstream. */

export const defaultRetries = 2;
/** Seconds until a caller's retry where the upstream states none. */
export const defaultRetryAfter = 5;
const baseMs = 200;
const capMs = 2000;

/** HTTP statuses of temporary failures; they also count in the circuit breaker. */
const passing = new Set([408, 425, 429, 500, 502, 503, 504]);

export function isPassingStatus(status: number): boolean {
  return passing.has(status);
}

/** Facts about a failed attempt. */
export interface Failed {
  retryable: boolean;
  /** Retries allowed in all. */
  retries: number;
  /** Pause that the upstream requested, in milliseconds. */
  hintMs?: number | undefined;
  throttled: boolean;
}

/** Backoff before the retry in milliseconds, or undefined for no retry. */
export function pauseBeforeRetry(
  failed: Failed,
  state: { retriesSoFar: number; timeLeftMs: number; random: () => number },
): number | undefined {
  if (!failed.retryable || state.retriesSoFar >= failed.retries) return undefined;
  const hintMs = failed.hintMs ?? 0;
  if (hintMs > state.timeLeftMs / 2) return undefined;
  const ceiling = Math.min(capMs, baseMs * 2 ** state.retriesSoFar);
  const jitter = state.random() * ceiling;
  const floor = failed.throttled ? baseMs / 2 : 0;
  // Jitter: calls with the same hint must not come back all at once.
  const pause = hintMs > 0 ? hintMs + state.random() * baseMs : Math.max(floor, jitter);
  return pause < state.timeLeftMs ? pause : undefined;
}

/** Reads Retry-After (seconds or an HTTP date) as milliseconds from `now`. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** `Retry-After` for a caller: whole seconds, 1 to 30. */
export function toRetryAfter(ms: number): number {
  return Math.min(30, Math.max(1, Math.ceil(ms / 1000)));
}

/** `Retry-After` for a caller where the upstream may have stated a pause in milliseconds. */
export const retryAfterOf = (statedMs: number | undefined): number =>
  statedMs ? toRetryAfter(statedMs) : defaultRetryAfter;

const windowSeconds = 10;
const share = 0.1;
const floorPerSecond = 3;

/** Retry budget of one upstream: a tenth of the calls of the past ten seconds, and always three a second. */
export class RetryBudget {
  readonly #calls = new Map<number, number>();
  readonly #retries = new Map<number, number>();

  /** `now` in milliseconds, here and below. */
  countCall(now: number): void {
    add(this.#calls, now);
  }

  /** Takes one retry from the budget; false when the budget is used up. */
  takeRetry(now: number): boolean {
    const second = Math.floor(now / 1000);
    const fits =
      (this.#retries.get(second) ?? 0) < floorPerSecond ||
      sum(this.#retries, now) < share * sum(this.#calls, now);
    if (fits) add(this.#retries, now);
    return fits;
  }
}

function add(counts: Map<number, number>, now: number): void {
  const second = Math.floor(now / 1000);
  for (const old of counts.keys()) if (old <= second - windowSeconds) counts.delete(old);
  counts.set(second, (counts.get(second) ?? 0) + 1);
}

function sum(counts: Map<number, number>, now: number): number {
  const oldest = Math.floor(now / 1000) - windowSeconds;
  let total = 0;
  for (const [second, count] of counts) if (second > oldest) total += count;
  return total;
}
