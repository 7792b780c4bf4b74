import { setTimeout as sleep } from "node:timers/promises";

/**
 * Retry: loops that repeat a step after a failure, for stores and queues. Calls to upstreams also need backoff and
 * a budget: `worker/transport/retry.ts`.
 */

/** Which failures of a step are final. */
export interface RetryPolicy {
  /** Between two attempts. */
  pauseMs: number;
  /** False where a pause keeps no process alive. */
  ref?: boolean;
  /** Called after each failed attempt, the first is 1. True throws the error on; another error may be thrown in its place. */
  isOver: (error: unknown, attempt: number) => boolean;
}

/** Tries a step that may be repeated until it succeeds, or until a failure is final. */
export async function retryUntil<T>(
  step: (attempt: number) => Promise<T>,
  { pauseMs, isOver, ref = true }: RetryPolicy,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step(attempt);
    } catch (error) {
      if (isOver(error, attempt)) throw error;
    }
    if (pauseMs > 0) await sleep(pauseMs, undefined, { ref });
  }
}

/** Tries until it succeeds; undefined where `isStopped` says so before that. */
export async function retryUntilStopped<T>(
  step: () => Promise<T>,
  {
    isStopped,
    pauseMs,
    mostPauseMs = pauseMs,
    ref = true,
    onFailure,
  }: {
    isStopped: () => boolean;
    pauseMs: number;
    /** A pause is twice the one before it, up to this. */
    mostPauseMs?: number;
    ref?: boolean;
    /** The first attempt is 1. */
    onFailure?: (error: unknown, attempt: number) => void;
  },
): Promise<T | undefined> {
  let pause = pauseMs;
  for (let attempt = 1; !isStopped(); attempt += 1) {
    try {
      return await step();
    } catch (error) {
      onFailure?.(error, attempt);
    }
    await sleep(pause, undefined, { ref });
    pause = Math.min(mostPauseMs, pause * 2);
  }
  return undefined;
}

/** The result of a step, or the error of `late` once it took longer than the limit; the step itself goes on. */
export async function limitTime<T>(
  step: PromiseLike<T>,
  limitMs: number,
  late: () => Error,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), limitMs);
  });
  try {
    return await Promise.race([step, limit]);
  } finally {
    clearTimeout(timer);
  }
}
