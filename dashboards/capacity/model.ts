/**
 * How long calls wait for a slot, and how many slots keep that short: a queue with several servers.
 *
 * Erlang C is exact for arrivals without memory and exponential service times. Real ones differ, so the
 * wait it gives is scaled by (ca² + cs²) / 2, with the squared coefficients of variation of the time
 * between arrivals and of the service time (Allen and Cunneen), and by Kimura's factor: with many slots a
 * long call blocks few others, so spread costs less than with one. Waits of those who wait fall off
 * exponentially, which gives the quantile. To that comes what taking a job costs, which
 * no number of slots makes less. Times are in seconds.
 */

export interface Load {
  perSecond: number;
  /** Squared coefficient of variation of the time between arrivals: 1 where they know nothing of each other. */
  arrivalScv: number;
  /** Mean time a call holds its slot. */
  serviceSeconds: number;
  serviceScv: number;
  /** From when there is a job and a free slot until a worker has it; 0 where it is not told. */
  takingSeconds?: number;
}

export interface Waits {
  /** Share of the slots that is busy; 1 or more: the queue grows without end. */
  utilisation: number;
  /** Probability that a call waits at all. */
  chance: number;
  mean: number;
  p95: number;
}

/** Slots that are busy in the mean, were there enough of them. */
export const offered = ({ perSecond, serviceSeconds }: Load): number => perSecond * serviceSeconds;

/** Probability that a call finds all slots busy; of a number of slots that is not whole, between its neighbours. */
export function erlangC(slots: number, load: number): number {
  if (load <= 0) return 0;
  if (load >= slots) return 1;
  // By way of Erlang B, whose recursion stays between 0 and 1 however many slots there are.
  const next = (blocked: number, n: number) => (load * blocked) / (n + load * blocked);
  const whole = Math.floor(slots);
  const part = slots - whole;
  let blocked = 1;
  for (let n = 1; n <= whole; n += 1) blocked = next(blocked, n);
  if (part > 0) blocked = blocked ** (1 - part) * next(blocked, whole + 1) ** part;
  return blocked / (1 - (load / slots) * (1 - blocked));
}

/**
 * The same where calls come in bursts, or evenly. Each of a burst needs a slot of its own, so that many
 * slots are to bursts what few are to single calls (Hayward); with one slot there is nothing to that, and
 * simulations are met best in between, and where most slots are free a burst finds one for each.
 */
function chanceToWait(slots: number, busy: number, arrivalScv: number): number {
  const single = erlangC(slots, busy);
  const burst = Math.min((1 + arrivalScv) / 2, slots);
  const weight = (1 - 1 / Math.sqrt(slots)) * Math.min(1, (2 * busy) / slots) ** 2;
  return single + (erlangC(slots / burst, busy / burst) - single) * weight;
}

/** From Cosmetatos's approximation of the wait where all service times are equal. */
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
  const ofThoseWhoWait = (load.serviceSeconds / (slots - busy)) * spread;
  return {
    utilisation,
    chance,
    mean: taking + chance * ofThoseWhoWait,
    p95: taking + (chance > 0.05 ? Math.log(chance / 0.05) * ofThoseWhoWait : 0),
  };
}

/** Slots busier than this answer every small surge with a long queue, whatever the mean says. */
export const mostUtilisation = 0.9;

/** Nobody runs more; bounds the search. */
const mostSlots = 100_000;

/** The least number of slots whose 95th percentile of the wait for a slot is within the target. */
export function slotsFor(asked: Load, targetSeconds: number): number {
  // A target below what taking a job costs is met by no number of slots.
  const load = { ...asked, takingSeconds: 0 };
  const busy = offered(load);
  if (!(busy > 0)) return 0;
  let slots = Math.max(1, Math.ceil(busy / mostUtilisation - 1e-9));
  while (slots < mostSlots && waits(load, slots).p95 > targetSeconds) slots += 1;
  return slots;
}
