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
  // A heap: the slot that is free first is at 0.
  const freeAt = new Float64Array(slots);
  const waited = new Float64Array(calls);
  let now = 0;
  for (let call = 0; call < calls; call += 1) {
    now += options.between();
    const starts = Math.max(now, freeAt[0] as number);
    replaceLeast(freeAt, starts + options.service());
    waited[call] = starts - now;
  }
  const steady = waited.subarray(calls >> 3);
  const sum = steady.reduce((total, wait) => total + wait, 0);
  return { mean: sum / steady.length, p95: ranked(steady, Math.floor(steady.length * 0.95)) };
}

function replaceLeast(heap: Float64Array, value: number): void {
  let place = 0;
  for (let child = 1; child < heap.length; child = 2 * place + 1) {
    if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number))
      child += 1;
    const least = heap[child] as number;
    if (least >= value) break;
    heap[place] = least;
    place = child;
  }
  heap[place] = value;
}

/** The value with `rank` smaller ones, by quickselect, since sorting a million takes ten times as long. */
function ranked(values: Float64Array, rank: number): number {
  let from = 0;
  let to = values.length - 1;
  while (from < to) {
    const pivot = values[(from + to) >> 1] as number;
    let left = from;
    let right = to;
    while (left <= right) {
      while ((values[left] as number) < pivot) left += 1;
      while ((values[right] as number) > pivot) right -= 1;
      if (left > right) break;
      const other = values[left] as number;
      values[left] = values[right] as number;
      values[right] = other;
      left += 1;
      right -= 1;
    }
    if (rank <= right) to = right;
    else if (rank >= left) from = left;
    else break;
  }
  return values[rank] as number;
}
