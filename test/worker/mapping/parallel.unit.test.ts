import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { inParallel } from "../../../worker/mapping/parallel.ts";

test("concurrency stays within its limit, outcomes keep the order, a failure affects no other", async () => {
  let running = 0;
  let most = 0;
  const outcomes = await inParallel(3, [5, 1, 4, 2, 3, 0, 6], async (turns) => {
    running += 1;
    most = Math.max(most, running);
    for (let count = 0; count < turns; count += 1) await turn();
    running -= 1;
    if (turns === 4) throw new Error("four");
    return turns * 10;
  });
  expect(most).toBe(3);
  expect(
    outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : "failed")),
  ).toEqual([50, 10, "failed", 20, 30, 0, 60]);
  expect(await inParallel(3, [], () => Promise.reject(new Error("never")))).toEqual([]);
});
