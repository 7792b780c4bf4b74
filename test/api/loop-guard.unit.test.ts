import { expect, test } from "vitest";
import { type Hold, LoopGuard, heldMs } from "../../api/loop-guard.ts";

function rig() {
  let now = 0;
  let spent = 0;
  const holds: Hold[] = [];
  const guard = new LoopGuard({ now: () => now, spent: () => spent });
  guard.reportTo((hold) => holds.push(hold));
  const by = (account: number) => () => ({ operation: "seo.serp", account });
  return {
    guard,
    holds,
    by,
    /** The thread works so long. */
    work: (ms: number) => [(now += ms), (spent += ms)],
    /** The thread waits, or another one has its processor. */
    wait: (ms: number) => (now += ms),
    /** Suspects are reported at the second tick. */
    ticks: () => [guard.tick(), guard.tick()],
  };
}

test("a long piece of work is reported with its operation and account", () => {
  const { guard, holds, by, work, ticks } = rig();
  work(3);
  guard.begin(by(1));
  work(2);
  guard.begin(by(2));
  work(heldMs + 10);
  guard.begin(by(3));
  work(2);
  ticks();
  expect(holds).toMatchObject([{ operation: "seo.serp", account: 2 }]);
  expect(holds[0]?.ms).toBeGreaterThanOrEqual(heldMs);
});

test("many short pieces in one turn, and time without the processor, are none", () => {
  const { guard, holds, by, work, wait, ticks } = rig();
  for (let account = 1; account < 100; account += 1) {
    guard.begin(by(account));
    work(4);
  }
  guard.begin(by(1));
  wait(1000);
  work(heldMs / 2);
  ticks();
  expect(holds).toEqual([]);
});

test("garbage collection within a piece does not count", () => {
  const { guard, holds, by, work, ticks } = rig();
  guard.begin(by(1));
  work(heldMs + 10);
  guard.begin(by(2));
  guard.paused(10, 20);
  ticks();
  expect(holds).toEqual([]);
});

test("work that no request began has no account", () => {
  const { guard, holds, by, work, ticks } = rig();
  guard.begin(by(1));
  guard.tick();
  work(heldMs + 10);
  ticks();
  expect(holds).toEqual([{ operation: "none", ms: heldMs + 10 }]);
});
