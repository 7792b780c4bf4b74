import { expect, test } from "vitest";
import { readPrefer } from "../../../api/jobs/prefer.ts";

test.each([
  ["respond-async", 0, "respond-async"],
  ["Respond-Async", 0, "respond-async"],
  ["wait=20", 20, "wait=20"],
  ["wait = 20", 20, "wait=20"],
  ['wait="20"', 20, "wait=20"],
  ["respond-async, wait=10", 10, "respond-async, wait=10"],
  ['priority=5, foo="a, b"; x="y", respond-async; q=1', 0, "respond-async"],
  ["wait=5, wait=9", 5, "wait=5"],
  ["wait=100000", 120, "wait=120"],
  ["wait=0", 0, "wait=0"],
  ["respond-async, wait=soon", 0, "respond-async"],
])("%s is honoured", (header, waitSeconds, applied) => {
  expect(readPrefer(header)).toEqual({ waitSeconds, applied });
});

test.each([
  undefined,
  "",
  "return=minimal",
  "wait",
  "wait=-1",
  "wait=1.5",
  "respond-async=no",
  "respond async",
  'foo="respond-async"',
  `${'"\\'.repeat(8000)}`,
])("%s requests nothing that the gateway offers", (header) => {
  expect(readPrefer(header)).toBeUndefined();
});

test("several headers count as one", () => {
  expect(readPrefer(["respond-async", "wait=3"])?.applied).toBe("respond-async, wait=3");
});
