import { beforeEach, describe, expect, test } from "vitest";
import { Breaker, type BreakerState } from "../../../worker/transport/breaker.ts";

let at = 0;
let breaker: Breaker;
let states: BreakerState[];

beforeEach(() => {
  at = 1_000_000;
  states = [];
  breaker = new Breaker({
    now: () => at,
    random: () => 0.5,
    onChange: (state) => states.push(state),
  });
});

function tries(count: number, unavailable: boolean): number {
  let admitted = 0;
  for (let each = 0; each < count; each += 1) {
    const admission = breaker.admit();
    if (!admission) continue;
    admitted += 1;
    admission.ended(unavailable);
  }
  return admitted;
}

describe("Breaker", () => {
  test("opens at half of twenty tries and not before", () => {
    expect(tries(19, true)).toBe(19);
    expect(breaker.state).toBe("closed");
    expect(tries(5, true)).toBe(1);
    expect(breaker.state).toBe("open");
  });

  test("stays closed below half", () => {
    tries(51, false);
    tries(49, true);
    expect(breaker.state).toBe("closed");
    tries(2, true);
    expect(breaker.state).toBe("open");
  });

  test("forgets what is older than ten seconds", () => {
    tries(19, true);
    at += 11_000;
    tries(19, true);
    expect(breaker.state).toBe("closed");
  });

  test("stays open ten seconds, then lets one probe through at a time", () => {
    tries(20, true);
    expect(breaker.refusal()).toBe(10_000);
    at += 9_999;
    expect(breaker.admit()).toBeUndefined();
    at += 1;
    const probe = breaker.admit();
    expect(probe).toBeDefined();
    expect(breaker.admit()).toBeUndefined();
    probe?.ended(true);
    expect(breaker.refusal()).toBe(10_000);
    at += 10_000;
    breaker.admit()?.ended(false);
    expect(tries(10, false)).toBe(10);
    expect(states).toEqual(["open", "probing", "open", "probing", "closed"]);
  });

  test("stays open 8 to 12 seconds, at random", () => {
    const rests = [0, 1].map((chance) => {
      breaker = new Breaker({ now: () => at, random: () => chance });
      tries(20, true);
      return breaker.refusal();
    });
    expect(rests).toEqual([8_000, 12_000]);
  });

  test("an abandoned probe leaves its slot to another", () => {
    tries(20, true);
    at += 10_000;
    breaker.admit()?.dropped();
    expect(breaker.admit()).toBeDefined();
  });

  test("tries from before it opened do not count for the probe", () => {
    const slow = breaker.admit();
    tries(20, true);
    at += 10_000;
    const probe = breaker.admit();
    slow?.ended(true);
    probe?.ended(false);
    expect(breaker.state).toBe("closed");
  });
});
