import { expect, test } from "vitest";
import { StatusCache } from "../../../api/batches/status-cache.ts";
import type { OpenBatch } from "../../../db/batches.ts";
import type { BatchState } from "../../../db/batch-rows.ts";

const owner = { accountId: 1, mode: "live" as const };

/** A batch in a database that answers on command. */
function batch() {
  let now = 1000;
  const row = {
    id: 7,
    publicId: "batch_a",
    ...owner,
    state: "running" as BatchState,
    succeeded: 0,
  };
  const found = () => ({ ...row }) as OpenBatch;
  const published: string[] = [];
  let listener: (message: string) => void = () => undefined;
  const queries: (() => void)[] = [];
  const cache = new StatusCache(
    () =>
      new Promise((resolve) => {
        const then = found();
        queries.push(() => resolve(then));
      }),
    {
      redis: { publish: (_channel, message) => Promise.resolve(published.push(String(message))) },
      listen: (_channel, handler) => (listener = handler),
    },
    () => now,
  );
  const answer = async () => {
    queries.shift()?.();
    await new Promise(setImmediate);
  };
  return {
    row,
    found,
    cache,
    published,
    receive: (message: string) => listener(message),
    queries,
    answer,
    after: (ms: number) => (now += ms),
    look: async () => (await cache.get(owner, "batch_a"))?.succeeded,
  };
}

/** A cache that has loaded the batch once. */
async function loadedOnce() {
  const made = batch();
  const first = made.look();
  await made.answer();
  expect(await first).toBe(0);
  return made;
}

test("a repeated request gets the cached status, which is refreshed in the background", async () => {
  const { row, look, after, queries, answer } = await loadedOnce();
  row.succeeded = 5;
  after(30);
  expect(await look()).toBe(0);
  expect(queries).toHaveLength(0);
  after(30);
  expect([await look(), await look()]).toEqual([0, 0]);
  expect(queries).toHaveLength(1);
  await answer();
  expect(await look()).toBe(5);
});

test("no status is served that is older than a second", async () => {
  const { row, look, after, queries, answer } = await loadedOnce();
  row.succeeded = 5;
  after(1001);
  const late = look();
  expect(queries).toHaveLength(1);
  await answer();
  expect(await late).toBe(5);
});

test("a read by the batch scheduler refreshes the cache of already cached batches", async () => {
  const { row, found, cache, look, after, queries } = await loadedOnce();
  after(900);
  const peeked = cache.glance();
  row.succeeded = 5;
  peeked([found(), { ...found(), id: 8, publicId: "batch_b" }]);
  after(30);
  expect(await look()).toBe(5);
  expect(queries).toHaveLength(0);
  void cache.get(owner, "batch_b");
  expect(queries).toHaveLength(1);
});

test("a read that began before a newer one, or before a change, does not overwrite the cache", async () => {
  const { row, found, cache, look, after, answer, queries } = await loadedOnce();
  const early = cache.glance();
  const old = found();
  after(60);
  row.succeeded = 5;
  await look();
  await answer();
  early([old]);
  expect(await look()).toBe(5);
  const before = cache.glance();
  cache.changed(7);
  before([old]);
  const changed = look();
  expect(queries).toHaveLength(1);
  await answer();
  expect(await changed).toBe(5);
});

test("a change is published to the other processes, and their changes are received", async () => {
  const { row, cache, look, published, receive, answer, queries } = await loadedOnce();
  cache.changed(7);
  expect(published).toEqual(["7"]);
  const again = look();
  await answer();
  await again;
  row.state = "cancelling";
  receive("7");
  const refreshed = cache.get(owner, "batch_a");
  expect(queries).toHaveLength(1);
  await answer();
  expect((await refreshed)?.state).toBe("cancelling");
  expect(published).toEqual(["7"]);
});

test("a change shows at once, even while a read is under way", async () => {
  const { row, cache, look, after, answer, queries } = await loadedOnce();
  after(60);
  expect(await look()).toBe(0);
  row.succeeded = 5;
  cache.changed(7);
  await answer();
  const changed = look();
  expect(queries).toHaveLength(1);
  await answer();
  expect(await changed).toBe(5);
});

test("a batch that does not run is read each time, and never served to another account", async () => {
  const { row, cache, look, after, answer, queries } = await loadedOnce();
  const other = cache.get({ ...owner, accountId: 2 }, "batch_a");
  expect(queries).toHaveLength(1);
  await answer();
  await other;
  row.state = "cancelling";
  after(1100);
  for (const succeeded of [1, 2]) {
    row.succeeded = succeeded;
    const status = look();
    await answer();
    expect(await status).toBe(succeeded);
  }
});
