/** When an attempt that failed is made again. */

/**
 * Seconds between attempts, the last one again and again: about eleven attempts in the 24 hours after
 * which the database makes the last.
 */
export const usualPauses: readonly number[] = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 21_600];

/** Up to a fifth longer, so that what failed together does not come back together. */
const jitter = 0.2;

/** Milliseconds from the end of attempt `attempt` (1 is the first) to the next one. */
export function pauseMs(
  attempt: number,
  options: {
    pauses?: readonly number[] | undefined;
    askedSeconds?: number | undefined;
    random?: number;
  } = {},
): number {
  const { pauses = usualPauses, askedSeconds = 0, random = Math.random() } = options;
  const usual = pauses[Math.min(attempt, pauses.length) - 1] ?? 0;
  return Math.max(usual, askedSeconds) * 1000 * (1 + jitter * random);
}
