import { expect, test } from "vitest";
import { type Hour, type Minute, runHour } from "./hour.ts";

/** The pools of `npm run bench -- capacity`. */
const plays: (Pick<Hour, "pool" | "serviceSeconds" | "scv" | "slots" | "targetSeconds"> & {
  base: number;
})[] = [
  { pool: "social", serviceSeconds: 0.5, scv: 1, slots: 1, base: 1.4, targetSeconds: 0.5 },
  { pool: "serp", serviceSeconds: 0.8, scv: 0.5, slots: 2, base: 2, targetSeconds: 0.5 },
  { pool: "seo-bulk", serviceSeconds: 1.5, scv: 2, slots: 2, base: 0.8, targetSeconds: 30 },
];
const runs = 16;
const reactionSeconds = 60;

/** From 1 to 5 within 40 s, and back. */
function height(at: number): number {
  if (at < 120 || at >= 380) return 1;
  if (at < 160) return 1 + (4 * (at - 120)) / 40;
  return at < 340 ? 5 : 5 - (4 * (at - 340)) / 40;
}

const hours = (play: (typeof plays)[number]): Minute[][] =>
  Array.from({ length: runs }, (_, run) =>
    runHour({
      ...play,
      seconds: 600,
      seed: (run + 1) * 7919,
      startSeconds: 12,
      rate: (at) => play.base * height(at),
    }),
  );

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

for (const play of plays) {
  test(`${play.pool}: after one minute of reaction 95 % of the minutes keep the target, although a worker takes 12 s to start`, () => {
    const judged = hours(play)
      .flat()
      .filter(({ at }) =>
        [0, 120].every((change) => at <= change || at > change + reactionSeconds),
      );
    const kept = ({ waits }: Minute) => {
      const within = waits.filter((wait) => wait <= play.targetSeconds).length;
      return waits.length === 0 || within / waits.length >= 0.95;
    };
    expect(judged).toHaveLength(runs * 48);
    expect(judged.filter(kept).length / judged.length).toBeGreaterThanOrEqual(0.95);
    // Also right after it: what the rise has left is worked off by then, as the rise was planned for.
    const after = judged.filter(({ at }) => at > 180 && at <= 200);
    expect(after.filter(kept).length / after.length).toBeGreaterThanOrEqual(0.75);
  });

  test(`${play.pool}: at the peak the wait that is predicted is the one that is seen, within 25 %`, () => {
    const peaks = hours(play).map((minutes) => minutes.filter(({ at }) => at > 220 && at <= 340));
    const seen = mean(peaks.flat().flatMap(({ waits }) => waits)) * 1000;
    const predicted = mean(
      peaks.flat().map(({ answer }) => answer.wait.predicted_mean_ms ?? Infinity),
    );
    expect(Math.abs(predicted / seen - 1)).toBeLessThanOrEqual(0.25);
    // A single stretch of it says little: chance alone moves what is seen of it by more than that.
    const alone = peaks.map((minutes) => mean(minutes.flatMap(({ waits }) => waits)) * 1000);
    expect(Math.max(...alone) / Math.min(...alone)).toBeGreaterThan(2);
  });
}
