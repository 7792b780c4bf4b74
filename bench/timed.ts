/**
 * Runs calls `atOnce` at a time for `seconds`; returns their median milliseconds, their rate and
 * their number.
 */
export async function timed(
  atOnce: number,
  seconds: number,
  one: (lane: number) => unknown,
): Promise<{ p50: number; perSecond: number; count: number }> {
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
  return {
    p50: times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN,
    perSecond,
    count: times.length,
  };
}
