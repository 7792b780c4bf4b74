import { expect, test, vi } from "vitest";
import { Stall } from "../../../api/queue/stall.ts";

test("a stall is recent until the event loop has turned for a second", () => {
  vi.useFakeTimers({ toFake: ["performance", "Date"] });
  const stall = new Stall();
  const pass = (ms: number) => vi.advanceTimersByTime(ms);
  pass(250);
  stall.turned();
  expect(stall.isRecent).toBe(false);
  pass(1250);
  // The event loop may read sockets before it runs timers.
  expect(stall.isRecent).toBe(true);
  stall.turned();
  expect(stall.isRecent).toBe(true);
  for (const ms of [500, 500]) {
    pass(ms);
    stall.turned();
  }
  expect(stall.isRecent).toBe(false);
  vi.useRealTimers();
});
