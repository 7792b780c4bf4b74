/**
 * Runs calls `atOnce` at a time for `seconds`; returns the median and the 95th percentile of their milliseconds, their rate and
 * their number.
 */
export async function timed(
  atOnce: number,
  seconds: number,
  one: (lane: number) => unknown,
): Promise<{ p50: number; p95: number; perSecond: number; count: number }> {
  const times: number[] = [];
  const startedAt = performance.now();
  const end = startedAt + seconds * 1000;
  await Promise.all(
    Array.from({ length: atOnce }, async (_, lane) => {
      while (performance.now() < end) {
        const from = performance.now();
        await one(lane);
        times.push(performance.now() - from);
      }
    }),
  );
  const perSecond = (times.length / (performance.now() - startedAt)) * 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return {
    p50: at(0.5),
    p95: at(0.95),
    perSecond,
    count: times.length,
  };
}
