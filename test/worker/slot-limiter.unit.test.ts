import { describe, expect, test } from "vitest";
import { SlotLimiter, type Window } from "../../worker/slot-limiter.ts";

const quiet: Window = {
  running: 0,
  waitingShare: 0,
  waitingForLimits: 0,
  isHeldBack: false,
  loopDelayMs: 0,
  browserDelayMs: 0,
  browserLacksProcessors: false,
  mostByMemory: Infinity,
  isMemoryFull: false,
};

/** Pages that wait for their server and use processors. */
interface Load {
  atOnce: number;
  waitMs: number;
  processorMs: number;
}

interface Seen {
  /** Pages a second. */
  rate: number;
  /** Time of a page in its slot, as a multiple of its time alone. */
  stretch: number;
}

/** A machine that serves a page at once as long as a processor is free (asymptotic bounds of a closed network). */
function machineOf(processors: number, { atOnce, waitMs, processorMs }: Load, slots: number) {
  const running = Math.min(atOnce, slots);
  const aloneMs = waitMs + processorMs;
  const rate = Math.min(running / aloneMs, processors / processorMs);
  const pageMs = running / rate;
  const seen: Seen = { rate: rate * 1000, stretch: pageMs / aloneMs };
  return { seen, window: { ...quiet, running, waitingShare: 1 - aloneMs / pageMs } };
}

function run(limiter: SlotLimiter, load: Load, windows: number, processors = 2) {
  let seen: Seen = { rate: 0, stretch: 1 };
  for (let at = 0; at < windows; at += 1) {
    const machine = machineOf(processors, load, limiter.slots);
    ({ seen } = machine);
    limiter.update(machine.window);
  }
  return { ...seen, slots: limiter.slots, bound: limiter.bound };
}

const waiting = { atOnce: 128, waitMs: 2000, processorMs: 5 };
const ordinary = { atOnce: 128, waitMs: 2000, processorMs: 150 };
const burning = { atOnce: 128, waitMs: 0, processorMs: 1000 };

describe("on a simulated machine", () => {
  test("slots rise to all pages that only wait, in seconds", () => {
    const { slots, bound, stretch } = run(new SlotLimiter(4), waiting, 20);
    expect(slots).toBeGreaterThanOrEqual(128);
    expect(bound).toBe("demand");
    expect(stretch).toBeCloseTo(1, 9);
  });

  test("pages of two seconds use the processors whole, and take at most two and a half times as long", () => {
    const { rate, stretch, bound, slots } = run(new SlotLimiter(4), ordinary, 60);
    expect(rate).toBeCloseTo(2000 / 150, 5);
    expect(stretch).toBeLessThan(2.5);
    expect(bound).toBe("processors");
    // The number is stable.
    const limiter = new SlotLimiter(slots);
    expect(Math.abs(run(limiter, ordinary, 60).slots - slots)).toBeLessThan(4);
  });

  test.each([1, 2, 8, 32])("on %i processors pages that burn them get few slots", (processors) => {
    const { slots, bound } = run(new SlotLimiter(20), burning, 60, processors);
    // A gradient of one half keeps twice the queue.
    const queue = Math.max(4, Math.sqrt(3 * processors));
    expect(slots).toBeLessThanOrEqual(Math.max(8, 2 * processors + queue + 1));
    expect(slots).toBeGreaterThanOrEqual(2 * processors);
    expect(bound).toBe("processors");
  });

  test("slots fall when pages that waited begin to burn the processors, and come back", () => {
    const limiter = new SlotLimiter(4);
    expect(run(limiter, waiting, 30).slots).toBeGreaterThan(127);
    expect(run(limiter, burning, 10).slots).toBeLessThan(70);
    expect(run(limiter, burning, 30).slots).toBeLessThan(12);
    expect(run(limiter, waiting, 30).slots).toBeGreaterThan(127);
  });

  test("few calls raise the slots no further than they need", () => {
    expect(run(new SlotLimiter(4), { ...waiting, atOnce: 6 }, 60).slots).toBeLessThanOrEqual(14);
    expect(run(new SlotLimiter(20), { ...waiting, atOnce: 0 }, 60)).toMatchObject({
      slots: 20,
      bound: "demand",
    });
  });
});

describe("a window", () => {
  const full = (more: Partial<Window>, start = 40): SlotLimiter => {
    const limiter = new SlotLimiter(start);
    limiter.update({ ...quiet, running: start, ...more });
    return limiter;
  };

  test("without waits adds room for a queue: four, or the root of the slots", () => {
    expect(full({}, 9).slots).toBe(13);
    expect(full({}, 100).slots).toBe(110);
  });

  test("lowers the slots by at most a tenth", () => {
    expect(full({ waitingShare: 1 }, 100).slots).toBe(92);
    expect(full({ isMemoryFull: true }, 100)).toMatchObject({ slots: 92, bound: "memory" });
  });

  test.each([
    ["processors", { waitingShare: 0.9 }],
    ["browser", { browserDelayMs: 200, waitingShare: 0.6 }],
    ["processors", { browserDelayMs: 200, browserLacksProcessors: true }],
    ["worker", { loopDelayMs: 150 }],
    ["memory", { mostByMemory: 12.7 }],
  ] as const)("names what binds: %s", (bound, more) => {
    const limiter = full(more);
    expect(limiter.bound).toBe(bound);
    expect(limiter.slots).toBeLessThan(40);
  });

  test("names the processors where pages wait beside free slots because of them", () => {
    const limiter = new SlotLimiter(40);
    limiter.update({ ...quiet, running: 20, isHeldBack: true });
    expect({ bound: limiter.bound, slots: limiter.slots }).toEqual({
      bound: "processors",
      slots: 40,
    });
  });

  test("slots do not rise for jobs that wait for the limits of an upstream, nor fall", () => {
    const limiter = full({ waitingForLimits: 38 });
    expect({ bound: limiter.bound, slots: limiter.slots }).toEqual({ bound: "quota", slots: 40 });
    expect(full({ waitingForLimits: 3 }).slots).toBe(46);
  });

  test("names a bound for ten windows after it last bound", () => {
    const limiter = full({ waitingShare: 0.9 });
    for (let at = 0; at < 9; at += 1) limiter.update(quiet);
    expect(limiter.bound).toBe("processors");
    limiter.update(quiet);
    expect(limiter.bound).toBe("demand");
  });

  test("jobs count as slowed down for thirty windows after the machine took half of their time", () => {
    expect(full({ waitingShare: 0.5 }).isSlowed).toBe(false);
    const limiter = full({ waitingShare: 0.6 });
    for (let at = 0; at < 29; at += 1) limiter.update(quiet);
    expect(limiter.isSlowed).toBe(true);
    limiter.update(quiet);
    expect(limiter.isSlowed).toBe(false);
  });

  test("memory allows fewer than the least of the others, but two", () => {
    expect(full({ mostByMemory: 3.2 }).slots).toBe(3);
    expect(full({ mostByMemory: 0 }).slots).toBe(2);
    const limiter = full({ mostByMemory: 3 });
    limiter.update({ ...quiet, running: 3 });
    expect(limiter.slots).toBe(7);
  });

  test("ends at the most that a worker takes", () => {
    const limiter = full({}, 990);
    expect(limiter.slots).toBe(1000);
    limiter.update({ ...quiet, running: 1000 });
    expect(limiter.bound).toBe("maximum");
  });
});
