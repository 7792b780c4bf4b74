import { expect, test } from "vitest";
import { OperationRests } from "../../../worker/transport/rests.ts";

function rig() {
  const clock = { now: 1_000_000 };
  const rests = new OperationRests(
    () => clock.now,
    () => 0.5,
  );
  return { clock, rests };
}

test("three failures in a row give an operation a rest of ten seconds, and others none", () => {
  const { clock, rests } = rig();
  for (const answered of [false, false, true, false, false]) rests.note("a", answered);
  expect(rests.admits("a")).toBe(true);
  rests.note("a", false);
  expect(rests.admits("a")).toBe(false);
  expect(rests.admits("b")).toBe(true);
  clock.now += 9_999;
  expect(rests.admits("a")).toBe(false);
});

test("after a rest one call at a time may ask, until one is answered", () => {
  const { clock, rests } = rig();
  for (let count = 0; count < 3; count += 1) rests.note("a", false);
  clock.now += 10_000;
  expect([rests.admits("a"), rests.admits("a")]).toEqual([true, false]);
  // A probe whose end nobody reported does not block the next one.
  clock.now += 10_000;
  expect(rests.admits("a")).toBe(true);
  rests.note("a", false);
  expect(rests.admits("a")).toBe(false);
  clock.now += 10_000;
  expect(rests.admits("a")).toBe(true);
  rests.note("a", true);
  expect([rests.admits("a"), rests.admits("a")]).toEqual([true, true]);
});
