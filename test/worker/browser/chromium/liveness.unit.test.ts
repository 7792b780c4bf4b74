import { expect, test } from "vitest";
import { Silence } from "../../../../worker/browser/chromium/liveness.ts";
import type { RunState } from "../../../../worker/browser/chromium/procfs.ts";

/** Ticks without an answer until the browser counts as dead, where each adds `step` to what the process did. */
function ticksUntilDead(step: Partial<RunState> | undefined): number {
  const silence = new Silence();
  const after = (ticks: number): RunState | undefined =>
    step && {
      ranMs: (step.ranMs ?? 0) * ticks,
      waitedMs: (step.waitedMs ?? 0) * ticks,
      isRunnable: step.isRunnable ?? false,
    };
  silence.reset(after(0));
  for (let ticks = 1; ticks < 1000; ticks += 1) if (silence.tick(after(ticks))) return ticks;
  throw new Error("it never counts as dead");
}

test.each([
  ["is frozen", {}, 8],
  ["is busy all the time", { ranMs: 250, isRunnable: true }, 8],
  ["shares a processor with one other thread", { ranMs: 150, waitedMs: 100, isRunnable: true }, 8],
  ["waits for a processor most of the time", { ranMs: 5, waitedMs: 245, isRunnable: true }, 32],
  ["has waited for a processor all the time", { isRunnable: true }, 32],
  ["does something that the system does not tell", undefined, 16],
])("a browser whose main process %s", (_, step, ticks) => {
  expect(ticksUntilDead(step)).toBe(ticks);
});

test("an answer starts the count anew", () => {
  const silence = new Silence();
  const frozen: RunState = { ranMs: 0, waitedMs: 0, isRunnable: false };
  silence.reset(frozen);
  for (let ticks = 0; ticks < 7; ticks += 1) expect(silence.tick(frozen)).toBe(false);
  silence.reset(frozen);
  for (let ticks = 0; ticks < 7; ticks += 1) expect(silence.tick(frozen)).toBe(false);
  expect(silence.tick(frozen)).toBe(true);
});
