import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Load,
  erlangC,
  offered,
  slotsFor,
  waits,
} from "../../../dashboards/capacity/model.ts";

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
