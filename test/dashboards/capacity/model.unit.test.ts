import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Load,
  erlangC,
  offered,
  slotsFor,
  waits,
} from "../../../dashboards/capacity/model.ts";
import { exponential, generator, logNormal, simulate } from "./simulate.ts";

const loads = fc.record({
  perSecond: fc.double({ min: 0.01, max: 500, noNaN: true }),
  arrivalScv: fc.double({ min: 0.1, max: 8, noNaN: true }),
  serviceSeconds: fc.double({ min: 0.001, max: 30, noNaN: true }),
  serviceScv: fc.double({ min: 0, max: 8, noNaN: true }),
}) satisfies fc.Arbitrary<Load>;

test("Erlang C matches the textbook", () => {
  // One slot: the share of time it is busy. Two: 2a²/(2(2-a)+...) = a²/(2+a).
  expect(erlangC(1, 0.7)).toBeCloseTo(0.7, 12);
  expect(erlangC(2, 1)).toBeCloseTo(1 / 3, 12);
  // Tables: 10 Erlang on 13 servers.
  expect(erlangC(13, 10)).toBeCloseTo(0.2853, 3);
  expect(erlangC(2000, 1900)).toBeGreaterThan(0);
  expect(erlangC(3, 3)).toBe(1);
  expect(erlangC(3, 0)).toBe(0);
});

test("more slots never lengthen a wait, and slower work never shortens one", () => {
  fc.assert(
    fc.property(loads, fc.integer({ min: 1, max: 300 }), (load, more) => {
      const slots = Math.floor(offered(load)) + more;
      const here = waits(load, slots);
      expect(waits(load, slots + 1).p95).toBeLessThanOrEqual(here.p95);
      expect(waits(load, slots + 1).mean).toBeLessThanOrEqual(here.mean);
      const slower = { ...load, serviceSeconds: load.serviceSeconds * 1.1 };
      expect(waits(slower, slots).mean).toBeGreaterThanOrEqual(here.mean);
    }),
  );
});

test("the recommended number of slots is enough, and one less is not", () => {
  fc.assert(
    fc.property(loads, fc.double({ min: 0.005, max: 60, noNaN: true }), (load, target) => {
      const slots = slotsFor(load, target);
      expect(waits(load, slots).p95).toBeLessThanOrEqual(target);
      const less = waits(load, slots - 1);
      expect(less.p95 > target || less.utilisation > 0.9 || slots === 1).toBe(true);
    }),
    { numRuns: 300 },
  );
  expect(slotsFor({ perSecond: 0, arrivalScv: 1, serviceSeconds: 1, serviceScv: 1 }, 0.5)).toBe(0);
});

/** Slots, their utilisation, and the variation of service times. */
const cases = [1, 2, 8, 32].flatMap((slots) =>
  [0.3, 0.6, 0.85, 0.95].flatMap((busy) => [0.2, 1, 4].map((scv) => ({ slots, busy, scv }))),
);

test("predicted waits are within 25 % of simulated ones, from one slot to 32, from idle to full, from even to wild service times", () => {
  const far: string[] = [];
  let compared = 0;
  for (const { slots, busy, scv } of cases) {
    const random = generator(slots * 1000 + busy * 100 + scv);
    const perSecond = slots * busy;
    const predicted = waits(
      { perSecond, arrivalScv: 1, serviceSeconds: 1, serviceScv: scv },
      slots,
    );
    const seen = simulate({
      // The higher the utilisation, the longer a queue remembers.
      calls: busy > 0.8 ? 1_000_000 : 200_000,
      slots,
      between: () => exponential(random, 1 / perSecond),
      service: () => logNormal(random, 1, scv),
    });
    // A wait below a twentieth of a service time is not noticeable, and its simulation is
    // unreliable.
    for (const [name, ours, theirs] of [
      ["mean", predicted.mean, seen.mean],
      ["p95", predicted.p95, seen.p95],
    ] as const) {
      if (Math.max(ours, theirs) < 0.05) continue;
      compared += 1;
      const off = ours / theirs - 1;
      // Where few calls wait, each for a very long call, most waits are shorter than exponential
      // ones.
      const most = busy < 0.5 && scv > 2 ? 0.4 : 0.25;
      if (off > most || off < -0.25)
        far.push(`${slots} slots, ${busy} busy, cs² ${scv}: ${name} ${ours} for ${theirs}`);
    }
  }
  expect(far).toEqual([]);
  expect(compared).toBeGreaterThan(50);
}, 240_000);

/** A call after a long time or after a short one, at random (hyperexponential, balanced). */
function bursts(random: () => number, mean: number, scv: number): () => number {
  const share = (1 + Math.sqrt((scv - 1) / (scv + 1))) / 2;
  return () =>
    random() < share
      ? exponential(random, mean / (2 * share))
      : exponential(random, mean / (2 * (1 - share)));
}

test("with bursts of calls, waits are within 25 % of simulated ones from 0.7 busy on, and below that never too short by more", () => {
  const far: string[] = [];
  for (const slots of [2, 8, 32]) {
    for (const busy of [0.5, 0.7, 0.85]) {
      for (const scv of [2, 4]) {
        const random = generator(slots * 1000 + busy * 100 + scv);
        const perSecond = slots * busy;
        const load = { perSecond, arrivalScv: scv, serviceSeconds: 1, serviceScv: 1 };
        const predicted = waits(load, slots).mean;
        const seen = simulate({
          calls: 400_000,
          slots,
          between: bursts(random, 1 / perSecond, scv),
          service: () => logNormal(random, 1, 1),
        }).mean;
        if (Math.max(predicted, seen) < 0.05) continue;
        const off = predicted / seen - 1;
        if (off < -0.25 || (busy > 0.6 && off > 0.25))
          far.push(`${slots} slots, ${busy} busy, ca² ${scv}: ${predicted} for ${seen}`);
      }
    }
  }
  expect(far).toEqual([]);
}, 240_000);

test("the cost of taking a job adds to every wait, and to no number of slots", () => {
  const load = { perSecond: 10, arrivalScv: 1, serviceSeconds: 1, serviceScv: 1 };
  const costly = { ...load, takingSeconds: 0.02 };
  for (const slots of [11, 14, 200]) {
    expect(waits(costly, slots).mean).toBeCloseTo(waits(load, slots).mean + 0.02, 9);
    expect(waits(costly, slots).p95).toBeCloseTo(waits(load, slots).p95 + 0.02, 9);
  }
  for (const target of [0.01, 0.5]) expect(slotsFor(costly, target)).toBe(slotsFor(load, target));
});

test("arrivals in bursts need more slots than even ones", () => {
  const load = { perSecond: 10, serviceSeconds: 1, serviceScv: 1 };
  const even = slotsFor({ ...load, arrivalScv: 0.2 }, 0.5);
  const plain = slotsFor({ ...load, arrivalScv: 1 }, 0.5);
  const bursts = slotsFor({ ...load, arrivalScv: 6 }, 0.5);
  expect(even).toBeLessThanOrEqual(plain);
  expect(bursts).toBeGreaterThan(plain);
});
