import { describe, expect, test } from "vitest";
import { BrowserLoad } from "../../../../worker/browser/chromium/browser-load.ts";
import { HeavyThreads, nextSlice } from "../../../../worker/browser/chromium/cpu-slices.ts";

const page = (needs: number, had: number, debt = 0) => ({ needs, had, debt });

describe("nextSlice", () => {
  test("as many as fit, the least served first", () => {
    const heavy = [
      ["a", page(1, 300)],
      ["b", page(1, 100)],
      ["c", page(1, 200)],
    ] as const;
    expect([...nextSlice(heavy, 1)]).toEqual(["b"]);
    expect([...nextSlice(heavy, 2)]).toEqual(["b", "c"]);
    expect(nextSlice(heavy, 3).size).toBe(3);
  });

  test("pages that only wait take little from the others", () => {
    const heavy = [
      ["waits", page(0, 0)],
      ["runs", page(1, 900)],
    ] as const;
    expect(nextSlice(heavy, 1).size).toBe(2);
  });

  test("a page that needs more than the budget runs alone, and only after its debt is paid", () => {
    const small = ["small", page(1, 100)] as const;
    expect([...nextSlice([small, ["large", page(64, 50, 0)]], 3)]).toEqual(["large"]);
    expect([...nextSlice([small, ["large", page(64, 50, 1)]], 3)]).toEqual(["small"]);
    expect([...nextSlice([["large", page(64, 50, 1)]], 3)]).toEqual([]);
  });

  test("on one processor a single busy page runs in slices too", () => {
    expect([...nextSlice([["a", page(1, 9, 0)]], 0.5)]).toEqual(["a"]);
    expect([...nextSlice([["a", page(1, 9, 5)]], 0.5)]).toEqual([]);
  });
});

describe("HeavyThreads", () => {
  const sliceOf = (
    heavy: readonly (readonly [string, ReturnType<typeof page>])[],
    busyMs = 0,
    thenIdleMs = 0,
  ) => [...nextSlice(heavy, limitAfter(2, busyMs, thenIdleMs))].toSorted();
  /** The limit once the main thread has been busy, and then idle, for so long, by looks every 25 ms. */
  function limitAfter(processors: number, busyMs: number, idleMs = 0, isQuota = false): number {
    const threads = new HeavyThreads(processors, isQuota);
    let limit = threads.next(busyMs > 0, 25);
    for (let ms = 25; ms < busyMs; ms += 25) limit = threads.next(true, 25);
    for (let ms = 0; ms < idleMs; ms += 25) limit = threads.next(false, 25);
    return limit;
  }
  /** Past its first quarter of a second, in one running and one runnable thread. */
  const ordinary = ["a", "b", "c", "d"].map((name, n) => [name, page(1 + (n % 2), 600)] as const);

  test("four usual pages of 600 ms each are not stopped on two processors", () => {
    expect(sliceOf(ordinary)).toEqual(["a", "b", "c", "d"]);
  });

  test("a page of 64 workers is stopped outside of its slice, beside them and alone", () => {
    const workers = (debt: number) => ["workers", page(65, 600, debt)] as const;
    expect(sliceOf([...ordinary, workers(1)])).toEqual(["a", "b", "c", "d"]);
    expect(sliceOf([...ordinary, workers(0)])).toEqual(["workers"]);
    expect(sliceOf([workers(1)])).toEqual([]);
  });

  test("many pages of a few threads each run in slices", () => {
    const few = [1, 2, 3, 4].map((n) => [`few ${n}`, page(4, n)] as const);
    expect(sliceOf(few)).toEqual(["few 1", "few 2"]);
  });

  test("they leave a processor where the browser's main thread stays busy, or a quota is shared", () => {
    expect(sliceOf(ordinary, 1000)).toHaveLength(1);
    expect(limitAfter(2, 0, 1000, true)).toBe(1);
    expect(limitAfter(1, 1000)).toBe(0.5);
  });

  test("the limit is halved once in a quarter of a second while that thread is busy", () => {
    expect([25, 250, 275, 525, 5000].map((ms) => limitAfter(2, ms))).toEqual([4, 4, 2, 1, 1]);
  });

  test("it rises by a thread in a quarter of a second while that thread has time to spare", () => {
    const after = (ms: number) => Math.round(limitAfter(2, 1000, ms) * 1000) / 1000;
    expect([250, 500, 5000].map(after)).toEqual([2, 3, 8]);
    expect(sliceOf(ordinary, 1000, 1250)).toEqual(["a", "b", "c", "d"]);
  });
});

describe("BrowserLoad", () => {
  /** Samples a main thread every 25 ms for a second, with these shares of running and waiting. */
  function look(ran: number, waited: number) {
    let now = 0;
    const load = new BrowserLoad(
      () => ({
        start: "1",
        threads: 30,
        pageFaults: 0,
        residentBytes: 0,
        isRunnable: false,
        processorMs: now * ran,
      }),
      () => ({ ranMs: now * ran, waitedMs: now * waited }),
    );
    const seen = Array.from({ length: 40 }, () => load.look([7], (now += 25), 25));
    return { seen: seen.at(-1), later: (ms: number) => load.look([], (now += ms), ms) };
  }

  test("a main thread with time to spare is not crowded, however long others make it wait", () => {
    expect(look(0.4, 0).seen).toMatchObject({ isBusy: false, isCrowded: false });
    expect(look(0.1, 0.8).seen?.isCrowded).toBe(false);
  });

  test("a main thread that runs whenever it may is crowded, and for five seconds more", () => {
    expect(look(0.95, 0).seen).toMatchObject({ isBusy: true, isCrowded: true });
    const loaded = look(0.2, 0.79);
    expect(loaded.seen?.isCrowded).toBe(true);
    expect(loaded.later(4900)).toMatchObject({ isBusy: false, isCrowded: true });
    expect(loaded.later(200).isCrowded).toBe(false);
  });
});
