import { expect, test } from "vitest";
import {
  type Fed,
  hasNext,
  isIdle,
  newFed,
  nextOf,
  noteRun,
  renew,
} from "../../../api/batches/fed.ts";
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

function fed(id: number, inFlight: number, more: Partial<OpenBatch> = {}): Fed {
  const made = newFed(batch(id, more), Promise.resolve(undefined));
  made.inFlight.set("serp", inFlight);
  return made;
}

test("the account with the fewest in flight comes next, counting all of its batches", () => {
  const [first, second] = [fed(1, 2, { accountId: 1 }), fed(2, 1, { accountId: 1 })];
  const other = fed(3, 2, { accountId: 2 });
  expect(nextOf([first, second, other], "serp")).toEqual({ next: other, accounts: 2 });
  other.inFlight.set("serp", 4);
  expect(nextOf([first, second, other], "serp").next).toBe(second);
  // What is in flight of a batch without items left still counts.
  second.dry.add("serp");
  other.inFlight.set("serp", 2);
  expect(nextOf([first, second, other], "serp").next).toBe(other);
});

test("of equals the one that has waited longest comes next; test mode is an owner of its own", () => {
  const [live, sandbox] = [fed(1, 1, { accountId: 1 }), fed(2, 1, { accountId: 1, mode: "test" })];
  live.lastServed = 7;
  sandbox.lastServed = 6;
  expect(nextOf([live, sandbox], "serp")).toEqual({ next: sandbox, accounts: 2 });
});

test("with nothing to start there is no next", () => {
  const waiting = fed(1, 0);
  waiting.waits.add("serp");
  const all = [waiting, fed(2, 0, { pools: ["social"] }), fed(3, 0, { state: "cancelling" })];
  expect(nextOf(all, "serp")).toEqual({ next: undefined, accounts: 1 });
});

test("what is read again may go on; what is cancelled stops, and goes on when it was begun again", () => {
  const one = fed(1, 0);
  one.waits.add("serp");
  one.dry.add("serp");
  one.started.set("serp", 7);
  renew(one, batch(1, { queued: 0 }));
  expect([hasNext(one, "serp"), one.waits.size, one.dry.size]).toEqual([false, 0, 1]);
  // What was put back has a lower number than the last one that was started.
  expect(one.started.get("serp")).toBeUndefined();
  renew(one, batch(1));
  expect(hasNext(one, "serp")).toBe(true);
  renew(one, batch(1, { state: "cancelling" }));
  expect([hasNext(one, "serp"), one.stopped.signal.aborted]).toEqual([false, true]);
  renew(one, batch(1));
  expect([hasNext(one, "serp"), one.stopped.signal.aborted]).toEqual([true, false]);
});

test("the latest items count most in the time they take; idle is who has none in flight", () => {
  const one = fed(1, 0);
  noteRun(one, "serp", 80);
  noteRun(one, "serp", 0);
  expect(one.ran.get("serp")).toBe(70);
  expect(isIdle(one)).toBe(true);
  one.inFlight.set("social", 1);
  expect(isIdle(one)).toBe(false);
});
