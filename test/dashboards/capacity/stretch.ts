import { type Part as Counted, eitherWay } from "../../../dashboards/capacity/interval.ts";

/** Ten seconds of a pool. */
export interface Part extends Counted {
  /** Unix time of its end. */
  at: number;
  /** Slots at its end. */
  slots: number;
  /** Prediction of `/capacity` at its end; null when the queue grows. */
  predictedMs: number | null;
}

export interface Stretch {
  from: number;
  to: number;
  slots: number;
  calls: number;
  predictedMs: number;
  measuredMs: number;
  /** Half of the 95 % confidence interval of the mean wait, from the means of its parts. */
  eitherWayMs: number;
  isWithin: boolean;
}

/** Required accuracy of a prediction. */
const near = 0.25;

/**
 * The longest time without a change of slots within parts of a steady rate; the first part only
 * begins it.
 */
export function steadyStretch(parts: readonly Part[]): Stretch | undefined {
  let best: readonly Part[] = [];
  let from = 0;
  for (let index = 1; index <= parts.length; index += 1) {
    if (parts[index]?.slots === parts[from]?.slots && index < parts.length) continue;
    if (index - from > best.length) best = parts.slice(from, index);
    from = index;
  }
  const [first, ...counted] = best;
  const last = counted.at(-1);
  if (!first || !last) return undefined;
  const calls = counted.reduce((sum, one) => sum + one.calls, 0);
  const mean = counted.reduce((sum, one) => sum + one.seconds, 0) / calls;
  const predictedSum = counted.reduce((sum, { predictedMs }) => sum + (predictedMs ?? Infinity), 0);
  const predictedMs = predictedSum / counted.length;
  return {
    from: first.at,
    to: last.at,
    slots: first.slots,
    calls,
    predictedMs,
    measuredMs: mean * 1000,
    eitherWayMs: eitherWay(counted) * 1000,
    isWithin: Math.abs(predictedMs / (mean * 1000) - 1) <= near,
  };
}
