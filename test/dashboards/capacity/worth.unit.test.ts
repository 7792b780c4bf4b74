import { expect, test } from "vitest";
import { eitherWay } from "../../../dashboards/capacity/interval.ts";
import { worthOf } from "../../../dashboards/capacity/reason.ts";
import { follow, last } from "./follow.ts";
import { Recording } from "./samples.ts";

const pool = "serp";

test("the cost of taking a job is part of the predicted wait, is reported, and adds no slot", () => {
  const now = { workers: 4, slots: 16, running: 10 };
  const plain = last(follow(new Recording(pool))(60, { perSecond: 10, now }));
  const run = follow(new Recording(pool));
  const slow = last(run(60, { perSecond: 10, takingSeconds: 0.0042, now }));
  expect(plain.wait.taking_ms).toBe(0);
  expect(slow.wait.taking_ms).toBe(4.2);
  expect(slow.wait.predicted_mean_ms).toBeCloseTo((plain.wait.predicted_mean_ms ?? 0) + 4.2, 6);
  expect(slow.reason).toContain("cs² 1, 4.2 ms to take a job) gives a p95 wait of 27 ms on");
  // The cost exceeds the target itself: no number of slots would help, so none is requested.
  const stuck = last(run(60, { perSecond: 10, takingSeconds: 0.9, now }));
  expect(stuck.slots.desired).toBe(plain.slots.desired);
  // It is measured over the last minute, and over longer only while hardly any call finds a free
  // slot.
  expect(last(run(13, { perSecond: 10, takingSeconds: 0.002, now })).wait.taking_ms).toBe(2);
  expect(last(run(13, { perSecond: 10, now })).wait.taking_ms).toBeCloseTo(
    (34 * 900 + 13 * 2) / 47,
    0,
  );
  // A stored sample of an earlier release lacks this cost.
  const mixed = new Recording(pool);
  mixed.steps(30, { perSecond: 10, now });
  const upgraded = last(follow(mixed)(12, { perSecond: 10, takingSeconds: 0.004, now }));
  expect(upgraded.wait.taking_ms).toBe(4);
});

test("it reports how good the prediction is: beside the observed wait, with its interval and number of calls", () => {
  const slots = { workers: 4, slots: 16, running: 10 };
  const waited = (each: (step: number) => { calls: number; ms: number }) => {
    const run = follow(new Recording(pool));
    let now = { ...slots, waits: 0, waitSeconds: 0 };
    const answers = Array.from({ length: 60 }, (_, step) => {
      const { calls, ms } = each(step);
      now = {
        ...now,
        waits: now.waits + calls,
        waitSeconds: now.waitSeconds + (calls * ms) / 1000,
      };
      return last(run(1, { perSecond: 10, takingSeconds: 0.004, now }));
    });
    return worthOf(last(answers));
  };
  expect(waited(() => ({ calls: 0, ms: 0 }))).toBe("");
  expect(waited((step) => ({ calls: 50, ms: step % 2 ? 18 : 22 }))).toMatch(
    /^On 16 slots a mean wait of 13\.6 ms is predicted; in the last five minutes it was 2\d ms ± [\d.]+ ms, of 2950 calls\.$/,
  );
  // One long wait among forty.
  expect(waited((step) => ({ calls: step > 20 ? 1 : 0, ms: step === 40 ? 900 : 4 }))).toMatch(
    /± [\d.]+ ms, of 39 calls, too few to say much\.$/,
  );
});

test("calls that all arrived in one part of the time give no interval", () => {
  const idle = { calls: 0, seconds: 0 };
  const one = { calls: 1, seconds: 0.004 };
  expect(eitherWay([idle, one, idle, idle])).toBe(Infinity);
  expect(eitherWay([idle, idle])).toBe(Infinity);
  expect(eitherWay([idle, one, { calls: 1, seconds: 0.008 }])).toBeGreaterThan(0.001);
});

test("a changed rate is no burst, bursts are", () => {
  const now = { workers: 4, slots: 16, running: 10 };
  const run = follow(new Recording(pool));
  run(30, { perSecond: 2, now });
  const changed = run(24, { perSecond: 10, now });
  // Only the stretch in which the rate changed has both long and short gaps.
  for (const { arrivals } of changed) expect(arrivals.scv).toBeLessThan(1.5);
  expect(last(changed).arrivals.scv).toBeCloseTo(1, 6);
  const bursts = new Recording(pool);
  const seen = last(follow(bursts)(60, { perSecond: 10, gapScv: 4, now }));
  expect(seen.arrivals.scv).toBeCloseTo(4, 6);
});

test("bursts that only counts show keep the workers, chance does not", () => {
  const now = { workers: 6, slots: 24, running: 10 };
  const workersWith = (dispersion: number) =>
    last(follow(new Recording(pool))(80, { perSecond: 10, dispersion, now })).workers.desired;
  expect(workersWith(1.3)).toBe(workersWith(1));
  expect(workersWith(8)).toBeGreaterThan(workersWith(1));
});

test("a changed service time is known after a minute of many runs, and after five of few", () => {
  const now = { workers: 4, slots: 16, running: 10 };
  for (const [perSecond, seconds] of [
    [10, 60],
    [1, 300],
  ] as const) {
    const run = follow(new Recording(pool));
    run(60, { perSecond, serviceSeconds: 1, now });
    const steps = seconds / 5;
    expect(last(run(steps - 1, { perSecond, serviceSeconds: 0.5, now })).service?.mean_ms).not.toBe(
      500,
    );
    expect(last(run(1, { perSecond, serviceSeconds: 0.5, now })).service?.mean_ms).toBe(500);
  }
});
