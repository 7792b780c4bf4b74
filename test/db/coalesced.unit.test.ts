import { describe, expect, test } from "vitest";
import { coalesced } from "../../db/coalesced.ts";
import { DatabaseError } from "../../db/errors.ts";

const soon = () => new Promise((resolve) => setImmediate(resolve));

describe("coalesced", () => {
  test("a lone call is sent at once, later calls go together, answers keep their order", async () => {
    const batches: number[][] = [];
    const double = coalesced({
      run: async (calls: number[]) => {
        batches.push(calls);
        await soon();
        return calls.map((call) => call * 2);
      },
    });
    const answers = [1, 2, 3, 4].map((call) => double(call));
    expect(await Promise.all(answers)).toEqual([2, 4, 6, 8]);
    expect(batches).toEqual([[1], [2, 3, 4]]);
  });

  test("calls without a waiting caller are answered in turns with other work", async () => {
    const same = coalesced({ run: (calls: number[]) => Promise.resolve(calls), yields: true });
    await same(0);
    let between = 0;
    const answers = Array.from({ length: 100 }, (_, call) => same(call));
    const others = () => {
      between += 1;
      if (between < 1000) setImmediate(others);
    };
    setImmediate(others);
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 100 }, (_, call) => call));
    expect(between).toBeGreaterThan(8);
    expect(between).toBeLessThan(100);
  });

  test("a bad call fails alone", async () => {
    const run = async (calls: number[]) => {
      await soon();
      if (calls.includes(3)) throw new TypeError("three");
      return calls;
    };
    const same = coalesced({ run });
    const results = await Promise.allSettled([1, 2, 3, 4, 5].map((call) => same(call)));
    expect(results.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
    ]);
    expect(results[2]).toMatchObject({ reason: new TypeError("three") });
  });

  test("a brief outage is retried, a lasting one reported to all", async () => {
    const outage = new DatabaseError("unavailable", "gone");
    let failures = 2;
    const same = coalesced({
      run: async (calls: number[]) => {
        await soon();
        if (failures-- > 0) throw outage;
        return calls;
      },
    });
    expect(await Promise.all([same(1), same(2)])).toEqual([1, 2]);
    failures = Number.POSITIVE_INFINITY;
    const results = await Promise.allSettled([same(1), same(2)]);
    expect(results).toEqual([
      { status: "rejected", reason: outage },
      { status: "rejected", reason: outage },
    ]);
  });

  test("a statement holds up to its limit of calls and bytes, and at least one call", async () => {
    const batches: number[][] = [];
    const same = coalesced({
      most: 3,
      mostBytes: 10,
      weigh: (call: number) => call,
      run: async (calls) => {
        batches.push(calls);
        await soon();
        return calls;
      },
    });
    await Promise.all([1, 1, 1, 1, 1, 9, 9, 50, 1].map((call) => same(call)));
    expect(batches).toEqual([[1], [1, 1, 1], [1, 9], [9], [50], [1]]);
  });

  test("no call waits longer than the limit for a hanging statement, and a waiting call is not sent later", async () => {
    const sent: number[] = [];
    let hang = true;
    const same = coalesced({
      limitMs: 1000,
      run: async (calls: number[]) => {
        sent.push(...calls);
        if (hang) await new Promise((resolve) => setTimeout(resolve, 1500));
        return calls;
      },
    });
    const results = await Promise.allSettled([same(1), same(2)]);
    expect(results).toMatchObject([
      { reason: { code: "unavailable" } },
      { reason: { code: "unavailable" } },
    ]);
    hang = false;
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await same(3)).toBe(3);
    expect(sent).toEqual([1, 3]);
  });
});
