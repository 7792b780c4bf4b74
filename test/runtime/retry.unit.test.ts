import { expect, test } from "vitest";
import { limitTime, retryUntil, retryUntilStopped } from "../../runtime/retry.ts";

/** Fails so many times, with the number of the attempt, and then succeeds. */
function failing(times: number) {
  let attempts = 0;
  return {
    attempts: () => attempts,
    step: async () => {
      attempts += 1;
      if (attempts <= times) throw new Error(String(attempts));
      return "done";
    },
  };
}

test("retryUntil tries again until the step succeeds", async () => {
  const seen: [string, number][] = [];
  const { step } = failing(2);
  const isOver = (error: unknown, attempt: number) => {
    seen.push([(error as Error).message, attempt]);
    return false;
  };
  expect(await retryUntil(step, { pauseMs: 1, isOver })).toBe("done");
  expect(seen).toEqual([
    ["1", 1],
    ["2", 2],
  ]);
});

test("retryUntil throws the final failure, or what takes its place", async () => {
  const { step, attempts } = failing(5);
  const isOver = (_error: unknown, attempt: number) => attempt === 3;
  await expect(retryUntil(step, { pauseMs: 0, isOver })).rejects.toThrow("3");
  expect(attempts()).toBe(3);
  const refuse = () => {
    throw new Error("instead");
  };
  await expect(retryUntil(failing(1).step, { pauseMs: 0, isOver: refuse })).rejects.toThrow(
    "instead",
  );
});

test("retryUntilStopped stops before an attempt, and answers undefined then", async () => {
  const { step, attempts } = failing(5);
  const isStopped = () => attempts() === 2;
  expect(await retryUntilStopped(step, { isStopped, pauseMs: 1 })).toBeUndefined();
  expect(attempts()).toBe(2);
  const never = failing(0);
  expect(
    await retryUntilStopped(never.step, { isStopped: () => true, pauseMs: 1 }),
  ).toBeUndefined();
  expect(never.attempts()).toBe(0);
});

test("retryUntilStopped doubles its pauses up to a limit", async () => {
  const at: number[] = [];
  const { step } = failing(4);
  await retryUntilStopped(step, {
    isStopped: () => false,
    pauseMs: 20,
    mostPauseMs: 40,
    onFailure: () => at.push(performance.now()),
  });
  at.push(performance.now());
  const [first = 0, second = 0, third = 0, fourth = 0] = at
    .slice(1)
    .map((ms, index) => ms - (at[index] as number));
  // Timers may be a millisecond early.
  expect(first).toBeGreaterThan(18);
  for (const pause of [second, third, fourth]) expect(pause).toBeGreaterThan(38);
});

test("limitTime passes a result or a failure on, and fails a step that takes longer", async () => {
  const late = () => new Error("late");
  expect(await limitTime(failing(0).step(), 1000, late)).toBe("done");
  await expect(limitTime(failing(1).step(), 1000, late)).rejects.toThrow("1");
  const { promise, reject } = Promise.withResolvers<never>();
  await expect(limitTime(promise, 20, late)).rejects.toThrow("late");
  // Nobody waits for this failure, which must not end the process as an unhandled one.
  reject(new Error("too late"));
  await new Promise((done) => setTimeout(done, 5));
});
