import { describe, expect, test } from "vitest";
import { nextTurn } from "../../../worker/browser/turns.ts";

const page = (needs: number, had: number, debt = 0) => ({ needs, had, debt });

describe("nextTurn", () => {
  test("as many as fit, who has had least first", () => {
    const heavy = [
      ["a", page(1, 300)],
      ["b", page(1, 100)],
      ["c", page(1, 200)],
    ] as const;
    expect([...nextTurn(heavy, 1)]).toEqual(["b"]);
    expect([...nextTurn(heavy, 2)]).toEqual(["b", "c"]);
    expect(nextTurn(heavy, 3).size).toBe(3);
  });

  test("those that only wait take little from the others", () => {
    const heavy = [
      ["waits", page(0, 0)],
      ["runs", page(1, 900)],
    ] as const;
    expect(nextTurn(heavy, 1).size).toBe(2);
  });

  test("who needs more than there is has a turn alone, and none before it is paid for", () => {
    const small = ["small", page(1, 100)] as const;
    expect([...nextTurn([small, ["large", page(64, 50, 0)]], 3)]).toEqual(["large"]);
    expect([...nextTurn([small, ["large", page(64, 50, 1)]], 3)]).toEqual(["small"]);
    expect([...nextTurn([["large", page(64, 50, 1)]], 3)]).toEqual([]);
  });

  test("on one processor a single busy page has turns too", () => {
    expect([...nextTurn([["a", page(1, 9, 0)]], 0.5)]).toEqual(["a"]);
    expect([...nextTurn([["a", page(1, 9, 5)]], 0.5)]).toEqual([]);
  });
});
