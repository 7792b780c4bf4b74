import { expect, test } from "vitest";
import { PartialReadLimit } from "../../../api/admission/partial-read-limit.ts";
import { RateLimiter, createEntryLimiter } from "../../../api/admission/rate-limiter.ts";

function clocked() {
  const clock = { ms: 0 };
  return { clock, rates: new RateLimiter(() => clock.ms) };
}

const caller = {
  keyId: "a",
  accountId: 1,
  accountName: "one",
  mode: "live" as const,
  ratePerSecond: 2,
  maxInFlight: 1,
};

test("a burst passes at once, then calls pass at an even rate", () => {
  const { clock, rates } = clocked();
  expect([1, 2, 3, 4].map(() => rates.take("a", 10, 3))).toEqual([0, 0, 0, 100]);
  clock.ms = 99;
  expect(rates.take("a", 10, 3)).toBeCloseTo(1);
  clock.ms = 100;
  expect([1, 2].map(() => rates.take("a", 10, 3))).toEqual([0, 100]);
  expect(rates.take("b", 10, 3)).toBe(0);
});

test("more names than the bound evict the quiet ones first, then the oldest", () => {
  const { clock, rates } = clocked();
  for (let index = 0; index < 9_999; index += 1) rates.take(`quiet${index}`, 1000, 1);
  clock.ms = 10;
  rates.take("busy", 0.1, 1);
  rates.take("one more", 1, 1);
  expect(rates.waitMs("busy", 0.1, 1)).toBeGreaterThan(0);
  for (let index = 0; index < 20_000; index += 1) rates.take(`${index}`, 0.001, 1);
  expect(rates.waitMs("busy", 0.1, 1)).toBe(0);
  expect(rates.waitMs("19999", 0.001, 1)).toBeGreaterThan(0);
});

test("all keys of an account and mode share one rate", () => {
  const { rates } = clocked();
  const admission = createEntryLimiter(rates);
  expect(admission.enter(caller)).toBeUndefined();
  expect(admission.enter({ ...caller, keyId: "b" })).toBeUndefined();
  const { error, limits } = admission.enter({ ...caller, keyId: "c" }) ?? {};
  expect(error).toMatchObject({ type: "rate_limited", status: 429, retryAfter: 1 });
  expect(limits).toMatchObject({ remaining: 0 });
  expect(admission.enter({ ...caller, mode: "test" })).toBeUndefined();
  expect(admission.enter({ ...caller, accountId: 2 })).toBeUndefined();
});

test.each([
  ["192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2"],
  ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1"],
  ["::1", "::2", "2001:db8::1"],
])("refused keys count against %s and %s, not against %s", async (one, same, other) => {
  const admission = createEntryLimiter(clocked().rates);
  for (let index = 0; index < 200; index += 1) admission.refused(one);
  await expect(admission.checkAddress(same)).rejects.toThrow("without a valid key");
  await admission.checkAddress(other);
});

test("a key that exists is looked up beside refused ones of its address, its guesses at ten a second", async () => {
  const admission = createEntryLimiter(clocked().rates);
  const key = { id: "known", exists: () => Promise.resolve(true) };
  const guess = { id: "guessed", exists: () => Promise.resolve(false) };
  for (let count = 0; count < 200; count += 1) admission.refused("192.0.2.1", guess);
  await expect(admission.checkAddress("192.0.2.1", guess)).rejects.toThrow("without a valid key");
  await admission.checkAddress("192.0.2.1", key);
  for (let count = 0; count < 100; count += 1) admission.refused("192.0.2.1", key);
  await expect(admission.checkAddress("192.0.2.1", key)).rejects.toThrow("without a valid key");
  await admission.checkAddress("192.0.2.1", { ...key, id: "another" });
});

test("partial reads of large answers pass up to 96 MB at once, then 8 MB a second", () => {
  const { clock, rates } = clocked();
  const limit = new PartialReadLimit(rates);
  const megabyte = 1024 * 1024;
  for (let count = 0; count < 1000; count += 1) limit.take(caller, megabyte - 1);
  for (let count = 0; count < 4; count += 1) limit.take(caller, 30 * megabyte);
  // 24 MB beyond the 96, and one more.
  expect(limit.waitMs(caller)).toBe(3125);
  expect(() => limit.take(caller, megabyte)).toThrow("Parts of large answers");
  limit.take(caller, megabyte - 1);
  limit.take({ ...caller, accountId: 2 }, 30 * megabyte);
  clock.ms = 3124;
  expect(() => limit.take(caller, megabyte)).toThrow();
  clock.ms = 3125;
  limit.take(caller, megabyte);
});

test("a charge beyond the burst is paid off before the next call", () => {
  const { clock, rates } = clocked();
  rates.charge("one", 10, 25);
  // 25 calls at 10 a second, of which 5 may come at once and one more is asked for.
  expect(rates.waitMs("one", 10, 5)).toBeCloseTo(2100);
  expect(rates.waitMs("another", 10, 5)).toBe(0);
  clock.ms = 2099;
  expect(rates.take("one", 10, 5)).toBeGreaterThan(0);
  clock.ms = 2100;
  expect(rates.take("one", 10, 5)).toBe(0);
});
