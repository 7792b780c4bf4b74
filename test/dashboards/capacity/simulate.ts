/** A queue with several servers, event by event, to check the formula against. */

/** Numbers between 0 and 1 that are the same in every run (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const exponential = (random: () => number, mean: number): number =>
  -Math.log(1 - random()) * mean;

/**
 * Log-normal with this mean and squared coefficient of variation; always the mean when that is 0.
 */
export function logNormal(random: () => number, mean: number, scv: number): number {
  const sigma2 = Math.log(1 + scv);
  const normal =
    Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()) * Math.sqrt(sigma2);
  return mean * Math.exp(normal - sigma2 / 2);
}

/** Waits of `calls` calls in the order of arrival, without the start-up phase. */
export function simulate(options: {
  calls: number;
  slots: number;
  between(): number;
  service(): number;
}): { mean: number; p95: number } {
  const { calls, slots } = options;
  const freeAt = new Float64Array(slots);
  const waited = new Float64Array(calls);
  let now = 0;
  for (let call = 0; call < calls; call += 1) {
    now += options.between();
    let first = 0;
    for (let slot = 1; slot < slots; slot += 1) {
      if ((freeAt[slot] as number) < (freeAt[first] as number)) first = slot;
    }
    const starts = Math.max(now, freeAt[first] as number);
    freeAt[first] = starts + options.service();
    waited[call] = starts - now;
  }
  const steady = waited.subarray(calls >> 3).toSorted();
  const sum = steady.reduce((total, wait) => total + wait, 0);
  return { mean: sum / steady.length, p95: steady[Math.floor(steady.length * 0.95)] as number };
}
