/** Retry schedule of webhooks: the pause before a failed delivery is sent again. */

/**
 * Seconds between attempts; the last pause repeats. That is about eleven attempts in 24 hours, after which the
 * database allows the last one.
 */
export const defaultPauses: readonly number[] = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 21_600];

/** Lengthens pauses by up to a fifth, so that deliveries that failed together do not return together. */
const jitter = 0.2;

/** Milliseconds from the end of attempt `attempt` (the first is 1) to the next one. */
export function pauseMs(
  attempt: number,
  options: {
    pauses?: readonly number[] | undefined;
    askedSeconds?: number | undefined;
    random?: number;
  } = {},
): number {
  const { pauses = defaultPauses, askedSeconds = 0, random = Math.random() } = options;
  const seconds = pauses[Math.min(attempt, pauses.length) - 1] ?? 0;
  return Math.max(seconds, askedSeconds) * 1000 * (1 + jitter * random);
}
