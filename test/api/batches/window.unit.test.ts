import { expect, test } from "vitest";
import { type BatchState, newBatchState } from "../../../api/batches/batch-state.ts";
import { Window } from "../../../api/batches/window.ts";
import type { OpenBatch } from "../../../db/batches.ts";

/** Event-loop utilisation since the last reading, in milliseconds. */
let worked = { active: 0, idle: 0, utilization: 0 };
const workFor = (active: number, idle: number) =>
  (worked = { active, idle, utilization: active / (active + idle) });
const state = { workers: 1, slots: 32, holdItemsBack: 0 };

function windowOf(
  more: Partial<typeof state & { nearlyFull: boolean; isConnected: boolean }> = {},
): Window {
  const { nearlyFull = false, isConnected = true, ...own } = more;
  const stateOf = () => ({ ...state, ...own });
  const dispatcher = { nearlyFull, isConnected, stateOf } as unknown as ConstructorParameters<
    typeof Window
  >[0];
  return new Window(dispatcher, () => worked);
}

/** A batch with this mean item duration. */
function batchOf(ranMs?: number): BatchState {
  const batch = { id: 1, state: "running", pools: ["serp"] } as OpenBatch;
  const made = newBatchState(batch, Promise.resolve(undefined));
  if (ranMs !== undefined) made.ran.set("serp", ranMs);
  return made;
}

test("a quarter of the slots stays free while item durations are unknown or long", () => {
  expect(windowOf().size("serp", [batchOf()], 1)).toBe(24);
  expect(windowOf().size("serp", [batchOf(51)], 1)).toBe(24);
  expect(windowOf({ slots: 1 }).size("serp", [batchOf()], 1)).toBe(1);
});

test("brief items fill the slots fourfold, or twofold while this process is busy", () => {
  const window = windowOf();
  expect(window.size("serp", [batchOf(20)], 1)).toBe(128);
  expect(window.size("serp", [batchOf(20), batchOf(200)], 1)).toBe(24);
  workFor(130, 370);
  window.look();
  expect(window.size("serp", [batchOf(20)], 1)).toBe(64);
  // Too soon after the last look for a new result.
  workFor(0, 99);
  window.look();
  expect(window.size("serp", [batchOf(20)], 1)).toBe(64);
  workFor(120, 380);
  window.look();
  expect(window.size("serp", [batchOf(20)], 1)).toBe(128);
});

test("one item at a time of each worker whose machine slows calls down", () => {
  const brief = [batchOf(20)];
  expect(windowOf({ holdItemsBack: 1 }).size("serp", brief, 1)).toBe(1);
  expect(windowOf({ holdItemsBack: 1 }).size("serp", [batchOf()], 1)).toBe(1);
  expect(windowOf({ workers: 4, holdItemsBack: 1 }).size("serp", brief, 1)).toBe(4 * 24 + 1);
  expect(windowOf({ workers: 4, holdItemsBack: 4 }).size("serp", brief, 2)).toBe(2);
});

test("processes share the window; without a worker, or with Redis away or nearly full, no item starts", () => {
  expect(windowOf().size("serp", [batchOf(20)], 3)).toBe(43);
  expect(windowOf({ workers: 0 }).size("serp", [batchOf(20)], 1)).toBe(0);
  expect(windowOf({ isConnected: false }).size("serp", [batchOf(20)], 1)).toBe(0);
  expect(windowOf({ nearlyFull: true }).size("serp", [batchOf(20)], 1)).toBe(0);
});
