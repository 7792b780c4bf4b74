import { expect, test } from "vitest";
import { coalesce } from "../../runtime/coalesce.ts";

const soon = () => new Promise((resolve) => setImmediate(resolve));

test("each key has one round trip in flight, beside those of other keys", async () => {
  const sent: string[][] = [];
  const inFlight = new Map<string, number>();
  let together = 0;
  const same = coalesce({
    keyOf: (call: string) => call.slice(0, 1),
    run: async (calls) => {
      sent.push(calls);
      const key = (calls[0] as string).slice(0, 1);
      inFlight.set(key, (inFlight.get(key) ?? 0) + 1);
      expect(inFlight.get(key)).toBe(1);
      together = Math.max(together, inFlight.size);
      await soon();
      inFlight.delete(key);
      return calls;
    },
  });
  const calls = ["a1", "a2", "b1", "a3", "b2"];
  expect(await Promise.all(calls.map((call) => same(call)))).toEqual(calls);
  expect(sent).toEqual([["a1"], ["b1"], ["a2", "a3"], ["b2"]]);
  expect(together).toBe(2);
  expect(await same("a4")).toBe("a4");
  expect(sent.at(-1)).toEqual(["a4"]);
});

test("without retry or split a failed round trip rejects its own calls and no others", async () => {
  const sent: number[][] = [];
  const same = coalesce({
    run: async (calls: number[]) => {
      sent.push(calls);
      await soon();
      if (calls.includes(3)) throw new TypeError("three");
      return calls;
    },
  });
  const first = [1, 2, 3].map((call) => same(call));
  await first[0];
  await new Promise((resolve) => process.nextTick(resolve));
  expect(sent).toHaveLength(2);
  const results = await Promise.allSettled([...first, same(4)]);
  const reason = new TypeError("three");
  expect(results).toEqual([
    { status: "fulfilled", value: 1 },
    { status: "rejected", reason },
    { status: "rejected", reason },
    { status: "fulfilled", value: 4 },
  ]);
  expect(sent).toEqual([[1], [2, 3], [4]]);
});

test("an answer for too few calls is an error of all of them", async () => {
  const same = coalesce({ run: () => Promise.resolve([1]) });
  const results = await Promise.allSettled([same("first"), same("second"), same("third")]);
  expect(results).toMatchObject([
    { status: "fulfilled", value: 1 },
    { status: "rejected", reason: { message: "2 calls were answered by 1 rows." } },
    { status: "rejected", reason: { message: "2 calls were answered by 1 rows." } },
  ]);
});
