import { expect, test } from "vitest";
import { Looks } from "../../../api/batches/looks.ts";
import type { BatchRow, BatchState } from "../../../db/batches.ts";

const owner = { accountId: 1, mode: "live" as const };

/** A batch in a database that answers when it is told to. */
function batch() {
  let now = 1000;
  const row = { id: 7, state: "running" as BatchState, succeeded: 0 };
  const asked: (() => void)[] = [];
  const looks = new Looks(
    () =>
      new Promise((resolve) => {
        const found = { ...row, available: 1 } as unknown as BatchRow & { available: number };
        asked.push(() => resolve(found));
      }),
    () => now,
  );
  const answer = async () => {
    asked.shift()?.();
    await new Promise(setImmediate);
  };
  return {
    row,
    looks,
    asked,
    answer,
    after: (ms: number) => (now += ms),
    look: async () => (await looks.get(owner, "batch_a"))?.succeeded,
  };
}

/** Has looked once. */
async function seen() {
  const made = batch();
  const first = made.look();
  await made.answer();
  expect(await first).toBe(0);
  return made;
}

test("who looks again soon is told what was found, which is renewed meanwhile", async () => {
  const { row, look, after, asked, answer } = await seen();
  row.succeeded = 5;
  after(30);
  expect(await look()).toBe(0);
  expect(asked).toHaveLength(0);
  after(30);
  expect([await look(), await look()]).toEqual([0, 0]);
  expect(asked).toHaveLength(1);
  await answer();
  expect(await look()).toBe(5);
});

test("nothing older than a tenth of a second is told", async () => {
  const { row, look, after, asked, answer } = await seen();
  row.succeeded = 5;
  after(101);
  const late = look();
  expect(asked).toHaveLength(1);
  await answer();
  expect(await late).toBe(5);
});

test("a change is told at once, also where a look was under way", async () => {
  const { row, looks, look, after, answer, asked } = await seen();
  after(60);
  expect(await look()).toBe(0);
  row.succeeded = 5;
  looks.changed(7);
  await answer();
  const changed = look();
  expect(asked).toHaveLength(1);
  await answer();
  expect(await changed).toBe(5);
});

test("a batch that does not run is read each time, another account's is its own", async () => {
  const { row, looks, look, after, answer, asked } = await seen();
  const other = looks.get({ ...owner, accountId: 2 }, "batch_a");
  expect(asked).toHaveLength(1);
  await answer();
  await other;
  row.state = "cancelling";
  after(200);
  for (const succeeded of [1, 2]) {
    row.succeeded = succeeded;
    const told = look();
    await answer();
    expect(await told).toBe(succeeded);
  }
});
