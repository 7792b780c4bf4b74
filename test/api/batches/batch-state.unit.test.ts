import { expect, test } from "vitest";
import {
  type BatchState,
  hasNext,
  isIdle,
  newBatchState,
  nextOf,
  noteRun,
  renew,
} from "../../../api/batches/batch-state.ts";
import type { OpenBatch } from "../../../db/batches.ts";

const batch = (id: number, more: Partial<OpenBatch> = {}) =>
  ({
    id,
    accountId: id,
    mode: "live",
    state: "running",
    pools: ["serp"],
    queued: 1,
    ...more,
  }) as OpenBatch;

function fed(id: number, inFlight: number, more: Partial<OpenBatch> = {}): BatchState {
  const made = newBatchState(batch(id, more), Promise.resolve(undefined));
  made.inFlight.set("serp", inFlight);
  return made;
}

test("the account with the fewest items in flight comes next, counting all of its batches", () => {
  const [first, second] = [fed(1, 2, { accountId: 1 }), fed(2, 1, { accountId: 1 })];
  const other = fed(3, 2, { accountId: 2 });
  expect(nextOf([first, second, other], "serp")).toEqual({ next: other, accounts: 2 });
  other.inFlight.set("serp", 4);
  expect(nextOf([first, second, other], "serp").next).toBe(second);
  // In-flight items of a batch without items left still count.
  second.dry.add("serp");
  other.inFlight.set("serp", 2);
  expect(nextOf([first, second, other], "serp").next).toBe(other);
});

test("between equals the longest wait comes next; test mode counts as a separate owner", () => {
  const [live, sandbox] = [fed(1, 1, { accountId: 1 }), fed(2, 1, { accountId: 1, mode: "test" })];
  live.lastServed = 7;
  sandbox.lastServed = 6;
  expect(nextOf([live, sandbox], "serp")).toEqual({ next: sandbox, accounts: 2 });
});

test("without startable items there is no next batch", () => {
  const waiting = fed(1, 0);
  waiting.waits.add("serp");
  const all = [waiting, fed(2, 0, { pools: ["social"] }), fed(3, 0, { state: "cancelling" })];
  expect(nextOf(all, "serp")).toEqual({ next: undefined, accounts: 1 });
});

test("a refilled batch may go on; a cancelled batch stops, and goes on when it is restarted", () => {
  const one = fed(1, 0);
  one.waits.add("serp");
  one.dry.add("serp");
  one.started.set("serp", 7);
  renew(one, batch(1, { queued: 0 }));
  expect([hasNext(one, "serp"), one.waits.size, one.dry.size]).toEqual([false, 0, 1]);
  // Returned items have lower numbers than the last item that was started.
  expect(one.started.get("serp")).toBeUndefined();
  renew(one, batch(1));
  expect(hasNext(one, "serp")).toBe(true);
  renew(one, batch(1, { state: "cancelling" }));
  expect([hasNext(one, "serp"), one.stopped.signal.aborted]).toEqual([false, true]);
  renew(one, batch(1));
  expect([hasNext(one, "serp"), one.stopped.signal.aborted]).toEqual([true, false]);
});

test("recent items weigh most in the mean duration; a batch without items in flight is idle", () => {
  const one = fed(1, 0);
  noteRun(one, "serp", 80);
  noteRun(one, "serp", 0);
  expect(one.ran.get("serp")).toBe(70);
  expect(isIdle(one)).toBe(true);
  one.inFlight.set("social", 1);
  expect(isIdle(one)).toBe(false);
});
