import { expect, test } from "vitest";
import { boundOf } from "../../dashboards/slots-bound.ts";
import type { SlotsBound } from "../../runtime/queue.ts";

const beats = (...bounds: (SlotsBound | undefined)[]) =>
  bounds.map((bound) => ({
    at: 0,
    slots: 4,
    running: 0,
    mean_run_ms: 0,
    ...(bound && { slots_bound: bound }),
  }));

test("the bound of most workers is that of the pool", () => {
  expect(boundOf(beats("processors", "memory", "processors"))).toBe("processors");
});

test("one worker that takes more as calls come suffices for the pool", () => {
  expect(boundOf(beats("processors", "demand", "processors"))).toBe("demand");
});

test("workers of an earlier release have a setting", () => {
  expect(boundOf(beats(undefined, undefined))).toBe("setting");
  expect(boundOf([])).toBe("setting");
});
