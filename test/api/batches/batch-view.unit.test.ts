import { expect, test } from "vitest";
import { batchView } from "../../../api/batches/batch-view.ts";
import type { BatchRow } from "../../../db/batch-rows.ts";

const beganAt = Date.parse("2026-01-01T00:00:00Z");
const row: BatchRow = {
  id: 1,
  publicId: "batch_1",
  accountId: 1,
  mode: "live",
  keyId: "key",
  version: "2026-01-01",
  scenario: null,
  state: "running",
  pools: ["social"],
  maxCredits: null,
  fields: null,
  total: 1000,
  queued: 700,
  running: 50,
  succeeded: 200,
  failed: 50,
  cancelled: 0,
  held: 50,
  charged: 200,
  sequence: 250,
  createdAt: beganAt,
  beganAt,
  beganWith: 0,
  endedAt: null,
  errorType: null,
  errorMessage: null,
};
const estimate = (change: Partial<BatchRow>, afterMs: number) =>
  batchView({ ...row, ...change }, beganAt + afterMs).estimated_end_at;
const at = (ms: number) => new Date(beganAt + ms).toISOString();

test("the end is estimated from the pace since the batch began", () => {
  // 250 in ten seconds: the other 750 take thirty more.
  expect(estimate({}, 10_000)).toBe(at(40_000));
  expect(estimate({ queued: 0, running: 0, succeeded: 950 }, 10_000)).toBe(at(10_000));
});

test("items that ended before a restart do not count in the pace", () => {
  // 50 since the restart, in ten seconds; 750 are left.
  expect(estimate({ beganWith: 200 }, 10_000)).toBe(at(160_000));
});

test("there is no estimate from too few items, nor for a batch that does not run", () => {
  expect(estimate({ succeeded: 9, failed: 0 }, 10_000)).toBeNull();
  expect(estimate({}, 499)).toBeNull();
  expect(estimate({ beganAt: null }, 10_000)).toBeNull();
  for (const state of ["cancelling", "cancelled", "ended"] as const) {
    expect(estimate({ state }, 10_000)).toBeNull();
  }
});
