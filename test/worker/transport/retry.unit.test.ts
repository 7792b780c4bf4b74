import { describe, expect, test } from "vitest";
import {
  pauseBeforeRetry,
  RetryBudget,
  retryAfterMs,
  toRetryAfter,
} from "../../../worker/transport/retry.ts";

const failed = { retryable: true, retries: 2, throttled: false };
const state = { retriesSoFar: 0, timeLeftMs: 60_000, random: () => 1 };

describe("pauseBeforeRetry", () => {
  test("doubles its ceiling from 200 ms up to 2 s, with full jitter", () => {
    const many = { ...failed, retries: 9 };
    const pauses = [0, 1, 2, 3, 4, 5].map((retriesSoFar) =>
      pauseBeforeRetry(many, { ...state, retriesSoFar }),
    );
    expect(pauses).toEqual([200, 400, 800, 1600, 2000, 2000]);
    expect(pauseBeforeRetry(failed, { ...state, random: () => 0 })).toBe(0);
    expect(pauseBeforeRetry(failed, { ...state, random: () => 0.5 })).toBe(100);
  });

  test("waits at least half the base after throttling", () => {
    const throttled = { ...failed, throttled: true };
    expect(pauseBeforeRetry(throttled, { ...state, random: () => 0 })).toBe(100);
  });

  test("stops after the allowed retries, and for final faults", () => {
    expect(pauseBeforeRetry(failed, { ...state, retriesSoFar: 2 })).toBeUndefined();
    expect(
      pauseBeforeRetry({ ...failed, retries: 3 }, { ...state, retriesSoFar: 2 }),
    ).toBeDefined();
    expect(pauseBeforeRetry({ ...failed, retryable: false }, state)).toBeUndefined();
  });

  test("honours the upstream's pause when it fits in half of the remaining time", () => {
    const hinted = { ...failed, hintMs: 1000 };
    const at = (timeLeftMs: number) =>
      pauseBeforeRetry(hinted, { ...state, timeLeftMs, random: () => 0 });
    expect(at(2000)).toBe(1000);
    expect(at(1999)).toBeUndefined();
  });

  test("never pauses past the end", () => {
    expect(pauseBeforeRetry(failed, { ...state, timeLeftMs: 150 })).toBeUndefined();
  });
});

test("Retry-After is read as seconds or as a date", () => {
  const now = Date.parse("2026-07-01T00:00:00Z");
  expect(retryAfterMs("3", now)).toBe(3000);
  expect(retryAfterMs(" 0 ", now)).toBe(0);
  expect(retryAfterMs("Wed, 01 Jul 2026 00:00:10 GMT", now)).toBe(10_000);
  expect(retryAfterMs("Wed, 01 Jul 2026 00:00:10 GMT", now + 60_000)).toBe(0);
  expect(retryAfterMs("soon", now)).toBeUndefined();
  expect(retryAfterMs(undefined, now)).toBeUndefined();
});

test("callers get 1 to 30 whole seconds", () => {
  expect([0, 1, 1001, 29_500, 3_600_000].map(toRetryAfter)).toEqual([1, 1, 2, 30, 30]);
});

describe("RetryBudget", () => {
  test("always grants three a second", () => {
    const budget = new RetryBudget();
    const grants = [0, 10, 20, 30, 999, 1000, 1001, 1002, 1003].map((at) => budget.takeRetry(at));
    expect(grants).toEqual([true, true, true, false, false, true, true, true, false]);
  });

  test("grants a tenth of the calls of the past ten seconds", () => {
    const budget = new RetryBudget();
    for (let count = 0; count < 1000; count += 1) budget.countCall(500);
    let granted = 0;
    for (let count = 0; count < 500; count += 1) if (budget.takeRetry(600)) granted += 1;
    expect(granted).toBe(100);
    expect([11_000, 11_001, 11_002, 11_003].map((at) => budget.takeRetry(at))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});
