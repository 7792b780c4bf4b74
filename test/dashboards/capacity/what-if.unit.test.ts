import { expect, test } from "vitest";
import { question, whatIf } from "../../../dashboards/capacity/what-if.ts";

const usual = {
  pool: "serp",
  per_second: 10,
  service_ms: 1000,
  target_ms: 100,
  slots_per_worker: 1,
};

// For a million calls a second of an hour each the formula ran for minutes and blocked the
// dashboards.
test("an unrealistic number of slots is refused without computing it", () => {
  const parsed = question.safeParse({ ...usual, per_second: 1e6, service_ms: 3_600_000 });
  expect(parsed.error?.issues).toMatchObject([{ path: ["per_second"] }]);
  const most = question.parse({ ...usual, per_second: 50_000, target_ms: 1, service_scv: 100 });
  expect(whatIf(most).slots).toBeGreaterThan(50_000);
});

test("a pool that does not exist is refused with those that do", () => {
  const parsed = question.safeParse({ ...usual, pool: "serps" });
  expect(parsed.error?.issues).toMatchObject([
    { path: ["pool"], message: expect.stringContaining('"serp"') },
  ]);
});
