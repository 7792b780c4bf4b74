import { expect, test } from "vitest";
import { Poller } from "../../api/poller.ts";

/** A read that ends when the test says so. */
function reads() {
  const ends: PromiseWithResolvers<void>[] = [];
  const read = () => {
    const end = Promise.withResolvers<void>();
    ends.push(end);
    return end.promise;
  };
  return { ends, read };
}

test("a read that runs is joined: whoever waits for it knows what it read", async () => {
  const { ends, read } = reads();
  const poller = new Poller(read, 1_000_000);
  const both = Promise.all([poller.poll(), poller.poll()]);
  expect(ends).toHaveLength(1);
  ends[0]?.resolve();
  await both;
  const next = poller.poll();
  expect(ends).toHaveLength(2);
  ends[1]?.reject(new Error("away"));
  await expect(next).rejects.toThrow("away");
  const again = poller.poll();
  ends[2]?.resolve();
  await again;
  poller.close();
});

test("it reads by itself, also after a read that failed, until it is closed", async () => {
  const third = Promise.withResolvers<void>();
  let count = 0;
  const poller = new Poller(async () => {
    count += 1;
    if (count === 3) third.resolve();
    throw new Error("away");
  }, 1);
  // The timer does not hold a process; this one does.
  const holder = setInterval(() => undefined, 1000);
  await third.promise;
  clearInterval(holder);
  poller.close();
});
