/**
 * Predicts how long calls wait for a slot, and how many slots keep the wait short: a queue with several
 * servers. Times are in seconds.
 *
 * Erlang C is exact for memoryless arrivals and exponential service times. Real calls differ, so its wait is
 * scaled by (ca² + cs²) / 2, with the squared coefficients of variation of the time between arrivals and of
 * the service time (Allen and Cunneen), and by Kimura's factor: with many slots a long call blocks few
 * others, so variability costs less than with one slot. The waits of waiting calls are taken as exponentially
 * distributed, which gives the quantile. The time of taking a job is added; no number of slots reduces it.
 */

export interface Load {
  perSecond: number;
  /** Squared coefficient of variation of the time between arrivals: 1 for independent calls. */
  arrivalScv: number;
  /** Mean time a call holds its slot. */
  serviceSeconds: number;
  serviceScv: number;
  /** Time from when there is a job and a free slot until a worker has the job; 0 where unknown. */
  takingSeconds?: number;
}

export interface Waits {
  /** Share of the slots that is busy. At 1 or more the queue grows without end. */
  utilisation: number;
  /** Probability that a call waits at all. */
  chance: number;
  mean: number;
  p95: number;
}

/** Offered load: the mean number of busy slots, given enough slots. */
export const offered = ({ perSecond, serviceSeconds }: Load): number => perSecond * serviceSeconds;

/** Probability that a call finds all slots busy. A fractional number of slots is interpolated. */
export function erlangC(slots: number, load: number): number {
  if (load <= 0) return 0;
  if (load >= slots) return 1;
  // Computed from Erlang B, whose recursion stays between 0 and 1 for any number of slots.
  const next = (blocked: number, n: number) => (load * blocked) / (n + load * blocked);
  const whole = Math.floor(slots);
  const part = slots - whole;
  let blocked = 1;
  for (let n = 1; n <= whole; n += 1) blocked = next(blocked, n);
  if (part > 0) blocked = blocked ** (1 - part) * next(blocked, whole + 1) ** part;
  return blocked / (1 - (load / slots) * (1 - blocked));
}

/**
 * The same for calls that come in bursts, or evenly. Each call of a burst needs its own slot, so many slots
 * serve bursts as few slots serve single calls (Hayward). The weight fits simulations: it is 0 for one slot,
 * and small where most slots are free, because then every call of a burst finds a slot.
 */
function chanceToWait(slots: number, busy: number, arrivalScv: number): number {
  const single = erlangC(slots, busy);
  const burst = Math.min((1 + arrivalScv) / 2, slots);
  const weight = (1 - 1 / Math.sqrt(slots)) * Math.min(1, (2 * busy) / slots) ** 2;
  return single + (erlangC(slots / burst, busy / burst) - single) * weight;
}

/** Kimura's factor, from Cosmetatos's approximation of the wait for equal service times. */
function kimura(slots: number, utilisation: number, serviceScv: number): number {
  const share =
    ((1 - utilisation) * (slots - 1) * (Math.sqrt(4 + 5 * slots) - 2)) / (16 * utilisation * slots);
  return (1 + share) / (1 + serviceScv * share);
}

export function waits(load: Load, slots: number): Waits {
  const busy = offered(load);
  const utilisation = slots > 0 ? busy / slots : Infinity;
  const taking = load.takingSeconds ?? 0;
  if (busy === 0) return { utilisation: 0, chance: 0, mean: taking, p95: taking };
  if (utilisation >= 1) return { utilisation, chance: 1, mean: Infinity, p95: Infinity };
  const chance = chanceToWait(slots, busy, load.arrivalScv);
  const spread =
    ((load.arrivalScv + load.serviceScv) / 2) * kimura(slots, utilisation, load.serviceScv);
  const meanWhenWaiting = (load.serviceSeconds / (slots - busy)) * spread;
  return {
    utilisation,
    chance,
    mean: taking + chance * meanWhenWaiting,
    p95: taking + (chance > 0.05 ? Math.log(chance / 0.05) * meanWhenWaiting : 0),
  };
}

/** Above this utilisation every small surge causes a long queue, whatever the mean wait. */
export const mostUtilisation = 0.9;

/** Bounds the search: nobody runs more slots. */
const mostSlots = 100_000;

/** The least number of slots that keeps the 95th percentile of the wait for a slot within the target. */
export function slotsFor(given: Load, targetSeconds: number): number {
  // No number of slots meets a target below the time of taking a job, so that time is left out.
  const load = { ...given, takingSeconds: 0 };
  const busy = offered(load);
  if (!(busy > 0)) return 0;
  let slots = Math.max(1, Math.ceil(busy / mostUtilisation - 1e-9));
  while (slots < mostSlots && waits(load, slots).p95 > targetSeconds) slots += 1;
  return slots;
}
