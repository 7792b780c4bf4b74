import { expect, test } from "vitest";
import { LimitWaits } from "../../worker/limit-waits.ts";

test("the mean counts waits by their time, those that last as well, and pools apart", () => {
  const clock = { now: 0 };
  const waits = new LimitWaits(() => clock.now);
  expect(waits.take("serp")).toBe(0);
  const end = waits.begin("serp");
  clock.now = 250;
  waits.begin("serp");
  waits.begin("seo");
  clock.now = 500;
  end();
  clock.now = 1000;
  expect(waits.take("serp")).toBeCloseTo(0.25 + 0.5 + 0.5, 5);
  expect(waits.take("seo")).toBe(1);
  expect(waits.take("serp")).toBe(1);
});
