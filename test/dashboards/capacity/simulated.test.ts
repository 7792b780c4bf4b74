import { expect, test } from "vitest";
import { waits } from "../../../dashboards/capacity/model.ts";
import { exponential, generator, logNormal, simulate } from "./simulate.ts";

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
