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

const shape = "response_shape_error";

test("three failures in a row give an operation a rest of ten seconds, and others none", () => {
  const { clock, rests } = rig();
  rests.failed("a", shape);
  rests.failed("a", shape);
  rests.answered("a");
  rests.failed("a", shape);
  rests.failed("a", shape);
  expect(rests.admits("a")).toBe(true);
  rests.failed("a", shape);
  expect(rests.admits("a")).toBe(false);
  expect(rests.admits("b")).toBe(true);
  clock.now += 9_999;
  expect(rests.admits("a")).toBe(false);
});

test("an upstream that is unavailable to three calls rests for all of its operations", () => {
  const { clock, rests } = rig();
  for (const operation of ["a", "b", "c"]) rests.failed(operation, "upstream_unavailable");
  expect(["a", "d"].map((operation) => rests.admits(operation))).toEqual([false, false]);
  clock.now += 10_000;
  expect(["a", "d"].map((operation) => rests.admits(operation))).toEqual([true, false]);
  rests.answered("a");
  expect(rests.admits("d")).toBe(true);
});

test("after a rest one call at a time may ask, until one is answered", () => {
  const { clock, rests } = rig();
  for (let count = 0; count < 3; count += 1) rests.failed("a", shape);
  clock.now += 10_000;
  expect([rests.admits("a"), rests.admits("a")]).toEqual([true, false]);
  // A probe whose end nobody reported does not block the next one.
  clock.now += 10_000;
  expect(rests.admits("a")).toBe(true);
  rests.failed("a", shape);
  expect(rests.admits("a")).toBe(false);
  clock.now += 10_000;
  expect(rests.admits("a")).toBe(true);
  rests.answered("a");
  expect([rests.admits("a"), rests.admits("a")]).toEqual([true, true]);
});
