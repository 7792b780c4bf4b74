import { describe, expect, test } from "vitest";
import type { SlotsBound } from "../../../runtime/queue.ts";
import type { PoolAnswer } from "../../../dashboards/capacity/answer.ts";
import { defaultSettings } from "../../../dashboards/capacity/settings.ts";
import { follow, last } from "./follow.ts";
import { Recording, type Step } from "./samples.ts";

const pool = "serp";

const settingsWith = (change: { targetMs?: number; floor?: number; ceiling?: number }) => {
  const settings = defaultSettings();
  return { ...settings, [pool]: { ...settings[pool], ...change } };
};

test("the desired slots are the formula's, and the sentence gives its numbers", () => {
  const run = follow(new Recording(pool));
  const answer = last(run(60, { perSecond: 10, now: { slots: 4, workers: 1, running: 4 } }));
  // 10 Erlang: 13 slots give a p95 of 580 ms, 14 one of 310 ms; a worker has four.
  expect(answer.workers.desired).toBe(4);
  expect(answer.slots.desired).toBe(16);
  expect(answer.wall).toBe("slots");
  expect(answer.more_workers).toBe("help");
  expect(answer.wait.predicted_p95_ms).toBeNull();
  expect(answer.reason).toBe(
    "10 calls/s (10 in the last minute, peak 10) × 1 s keep 10 slots busy; Erlang C (Allen-Cunneen, ca² 1, cs² 1) gives a p95 wait of 22.8 ms on 16 slots and a p95 wait of 1.1 s on 12 slots (target 500 ms): 4 workers of 4 slots.",
  );
});

test("it scales up within 15 s, and down only after two minutes of lower demand", () => {
  const run = follow(new Recording(pool));
  run(24, { perSecond: 2, now: { workers: 2, slots: 8, running: 2 } });
  const up = run(12, { perSecond: 20, now: { workers: 2, slots: 8, running: 8 } });
  const firstUp = up.findIndex(({ workers }) => workers.desired > 2);
  expect(firstUp).toBeGreaterThanOrEqual(0);
  expect(firstUp).toBeLessThanOrEqual(3);
  expect(last(up).workers.desired).toBeGreaterThanOrEqual(6);
  const steps = up.map(({ workers }) => workers.desired);
  steps.slice(1).forEach((next, index) => {
    const before = steps[index] as number;
    expect(next).toBeLessThanOrEqual(Math.max(before + 2, before * 2));
  });
  const top = last(up).workers.desired;
  const down = run(120, { perSecond: 2, now: { workers: top, slots: top * 4, running: 2 } });
  // The peak of the last two minutes, and then two minutes of lower demand.
  expect(down.slice(0, 24).every(({ workers }) => workers.desired >= 6)).toBe(true);
  expect(last(down).workers.desired).toBeLessThanOrEqual(2);
  for (const [index, { workers }] of down.slice(1).entries()) {
    const before = (down[index] as PoolAnswer).workers.desired;
    expect(before - workers.desired).toBeLessThanOrEqual(Math.max(1, before / 5));
  }
});

test("a rise is planned for before it ends, chance and a steady rate are not", () => {
  const run = follow(new Recording(pool));
  const now = { workers: 4, slots: 16, running: 10 };
  const even = last(run(60, { perSecond: 10, now }));
  expect(even.arrivals.planned_per_second).toBe(10);
  const rising = [12, 14, 16, 18, 20, 22].flatMap((perSecond) => run(1, { perSecond, now }));
  expect(last(rising).arrivals.peak_per_second).toBeLessThan(18);
  expect(last(rising).arrivals.planned_per_second).toBeGreaterThan(22);
  const steady = last(run(30, { perSecond: 22, now }));
  expect(steady.arrivals.planned_per_second).toBeCloseTo(22, 6);
});

test("small changes of the rate change nothing: no flapping", () => {
  const run = follow(new Recording(pool));
  run(60, { perSecond: 10, now: { workers: 4, slots: 16, running: 10 } });
  const seen = new Set<number>();
  for (let index = 0; index < 60; index += 1) {
    const [answer] = run(1, { perSecond: index % 2 ? 10.4 : 9.6 }) as [PoolAnswer];
    seen.add(answer.workers.desired);
  }
  expect(seen.size).toBe(1);
});

test("never below the running work, never outside floor and ceiling", () => {
  const busy = follow(new Recording(pool), settingsWith({ ceiling: 50 }));
  const answers = busy(120, { perSecond: 0, now: { workers: 5, slots: 20, running: 17 } });
  expect(answers.every(({ workers }) => workers.desired >= 5)).toBe(true);
  const floored = follow(new Recording(pool), settingsWith({ floor: 3 }));
  const low = last(floored(30, { perSecond: 0 }));
  expect(low.workers.desired).toBe(3);
  expect(low.reason).toContain("(the floor)");
  const capped = follow(new Recording(pool), settingsWith({ ceiling: 2 }));
  const high = last(capped(30, { perSecond: 50, now: { running: 4 } }));
  expect(high.workers.desired).toBe(2);
  expect(high.reason).toContain("(the ceiling)");
});

test("a longer target needs fewer slots", () => {
  const step: Step = { perSecond: 10, now: { running: 4 } };
  const short = last(follow(new Recording(pool), settingsWith({ targetMs: 50 }))(60, step));
  const long = last(follow(new Recording(pool), settingsWith({ targetMs: 30_000 }))(60, step));
  expect(long.workers.desired).toBeLessThan(short.workers.desired);
  // At most nine in ten slots busy, however long calls may wait.
  expect(long.slots.desired).toBeGreaterThanOrEqual(12);
});

test("a backlog needs more slots than the rate alone", () => {
  const step: Step = { perSecond: 5, now: { running: 4 } };
  const plain = last(follow(new Recording(pool))(60, step));
  const behind = last(
    follow(new Recording(pool))(60, { ...step, now: { running: 4, waiting: 300 } }),
  );
  expect(behind.workers.desired).toBeGreaterThan(plain.workers.desired);
  expect(behind.reason).toContain("300 waiting calls");
});

test("when an upstream's quota binds, more workers do not help, and none is added", () => {
  const recording = new Recording(pool);
  recording.quotas = { provider: { account: "PROVIDER_KEY", per_second: 10 } };
  const run = follow(recording);
  const now = { workers: 2, slots: 8, running: 8, waiting: 60 };
  const answers = run(60, {
    perSecond: 8,
    serviceSeconds: 5,
    requestsPerCall: 2,
    quotaWaitSeconds: 4,
    now,
  });
  const answer = last(answers);
  expect(answer.wall).toBe("upstream_quota");
  expect(answer.more_workers).toBe("do_not_help");
  expect(answers.every(({ workers }) => workers.desired <= 2)).toBe(true);
  expect(answer.reason).toBe(
    "provider allows 600 requests a minute and calls need 960, so more workers will not help and a quota of 1067 a minute would: 2 workers of 4 slots.",
  );
  // Within the named quota the same calls can be carried by workers again.
  recording.quotas = { provider: { account: "PROVIDER_KEY", per_second: 1080 / 60 } };
  const freed = last(run(60, { perSecond: 8, serviceSeconds: 1, requestsPerCall: 2, now }));
  expect(freed.wall).toBe("slots");
});

test("two pools share an account's quota", () => {
  const recording = new Recording(pool);
  recording.quotas = {
    provider: { account: "A", per_second: 10 },
    twin: { account: "A", per_second: 10 },
  };
  const answer = last(
    follow(recording)(60, { perSecond: 8, requestsPerCall: 1, now: { running: 4 } }),
  );
  const quota = answer.walls.filter(({ wall }) => wall === "upstream_quota");
  expect(quota).toHaveLength(1);
  expect(quota[0]).toMatchObject({ of: "provider and twin", limit: 600, used: 480, share: 0.8 });
});

test("a full machine, an exhausted Redis and an account's own limit are named", () => {
  const machine = {
    process: "a-1",
    host: "a",
    busy_processors: 1.95,
    processors: 2,
    own_processors: 1.2,
    memory_used: 1e9,
    memory: 4e9,
    own_limits: false,
  };
  const step: Step = { perSecond: 10, now: { running: 4, machines: [machine] } };
  const full = last(follow(new Recording(pool))(30, step));
  expect(full).toMatchObject({ wall: "processor", more_workers: "help_on_other_machines" });
  expect(full.reason).toMatch(
    /^a uses 1.9 of 2 processors, so more workers on this machine will not help/,
  );

  const contained = { ...machine, own_limits: true };
  const inside = last(
    follow(new Recording(pool))(30, { ...step, now: { running: 4, machines: [contained] } }),
  );
  expect(inside.more_workers).toBe("help");

  const others = { ...machine, own_processors: 0.1 };
  const apart = last(
    follow(new Recording(pool))(30, { ...step, now: { running: 4, machines: [others] } }),
  );
  expect(apart).toMatchObject({ wall: "processor", more_workers: "help_on_other_machines" });
  expect(apart.reason).toContain("a (busy with other programs) uses 1.9 of 2 processors");

  const recording = new Recording(pool);
  recording.redis = { processorSeconds: 0, usedBytes: 95e6, limitBytes: 100e6 };
  const stuffed = last(follow(recording)(30, { perSecond: 10, now: { running: 4 } }));
  expect(stuffed).toMatchObject({ wall: "redis", more_workers: "do_not_help" });
  expect(stuffed.reason).toContain("Redis uses 95 of 100 MB");

  let crowded = 0;
  const refusing = new Recording(pool);
  let answer: PoolAnswer | undefined;
  const run = follow(refusing);
  for (let index = 0; index < 30; index += 1) {
    crowded += 10;
    answer = last(run(1, { perSecond: 2, now: { crowded, running: 2 } }));
  }
  expect(answer).toMatchObject({ wall: "account_concurrency", more_workers: "do_not_help" });
  expect(answer?.reason).toContain(
    "120 calls a minute are refused by their account's own concurrency limit",
  );
});

test("counters reset to zero are a new start, not a negative rate", () => {
  const recording = new Recording(pool);
  const run = follow(recording);
  run(60, { perSecond: 10, now: { running: 4 } });
  recording.forget();
  const after = run(10, { perSecond: 10, now: { running: 4 } });
  for (const { arrivals, workers } of after) {
    expect(arrivals.per_second).toBeGreaterThanOrEqual(0);
    expect(workers.desired).toBeGreaterThanOrEqual(4);
  }
  expect(last(after).arrivals.per_second).toBeCloseTo(10, 1);
});

test("before anything is known it keeps the present slots", () => {
  const run = follow(new Recording(pool));
  const answer = last(run(1, { perSecond: 10, now: { workers: 3, slots: 12, running: 5 } }));
  expect(answer.workers.desired).toBe(3);
  expect(answer.service).toBeNull();
});

describe("slots that follow the machine", () => {
  const machine = {
    process: "worker-1",
    host: "worker",
    busy_processors: 1,
    processors: 2,
    own_processors: 1,
    memory_used: 1e9,
    memory: 8e9,
    own_limits: false,
  };
  const busy = {
    perSecond: 10,
    now: { slots: 9, workers: 1, running: 9, machines: [machine] },
  };
  const held = (bound: SlotsBound) => {
    const run = follow(new Recording(pool));
    return last(run(60, { ...busy, now: { ...busy.now, bound } }));
  };

  test("while nothing but demand holds them, the workers take the calls themselves", () => {
    const answer = held("demand");
    expect(answer.workers.desired).toBe(1);
    expect(answer.slots.bound).toBe("demand");
    expect(answer.reason).toContain("1 worker of 9 slots and more as calls come");
  });

  test("held by a resource they are what a worker has, and the sentence names the resource", () => {
    const answer = held("processors");
    expect(answer.workers.desired).toBe(2);
    expect(answer.more_workers).toBe("help_on_other_machines");
    expect(answer.reason).toContain("2 workers of 9 slots, held by the processors.");
    const browser = held("browser");
    expect(browser.more_workers).toBe("help");
    expect(browser.reason).toContain("2 workers of 9 slots, held by the browser's main thread.");
  });

  test("a worker's slots are the mean of the last minute, and change no plan from sample to sample", () => {
    const run = follow(new Recording(pool));
    const now = { workers: 1, running: 8, bound: "processors" } as const;
    run(60, { perSecond: 10, now: { ...now, slots: 9 } });
    for (let at = 0; at < 10; at += 1) {
      run(1, { perSecond: 10, now: { ...now, slots: 6 } });
      run(1, { perSecond: 10, now: { ...now, slots: 12 } });
    }
    const [answer] = run(1, { perSecond: 10, now: { ...now, slots: 6 } });
    expect(answer?.slots.now).toBe(6);
    expect(answer?.slots.per_worker).toBeCloseTo(9, 0);
    expect(answer?.workers.desired).toBe(2);
  });
});
