import { expect, test } from "vitest";
import { accountName, day, hours, keyId, signedCredits, wholeNumber } from "../../cli/arguments.ts";

const secret = "0000000000000000000000000000000000000000000000000";

test("whole numbers within their limits", () => {
  const read = wholeNumber(1, 50);
  expect([read("1"), read("50")]).toEqual([1, 50]);
  for (const text of ["0", "51", "1e1", "0x1", "1.5", "", " 7", "-3", "9".repeat(20)])
    expect(() => read(text), text).toThrow("from 1 to 50");
  expect([signedCredits("-7"), signedCredits("7")]).toEqual([-7, 7]);
  for (const text of ["0", "-0", "+7", "1000000000001"])
    expect(() => signedCredits(text), text).toThrow("It must");
});

test("hours may have a fraction", () => {
  expect([hours("0"), hours("0.5"), hours("8760")]).toEqual([0, 0.5, 8760]);
  for (const text of ["-1", "8760.1", "1h", ".5", ""]) expect(() => hours(text), text).toThrow();
});

test("days must exist", () => {
  expect(day("2024-02-29").toISOString()).toBe("2024-02-29T00:00:00.000Z");
  for (const text of ["2026-02-29", "2026-2-1", "2026-02-01T00:00", "today"])
    expect(() => day(text), text).toThrow("such as");
});

test("names of accounts must be printable", () => {
  for (const name of ["a", "press office", "Ünï-코드", "x".repeat(100)])
    expect(accountName(name)).toBe(name);
  for (const name of ["", " a", "a ", "a\nb", "a\u001b[31m", "x".repeat(101)])
    expect(() => accountName(name), JSON.stringify(name)).toThrow("printable");
});

test("an id of a key is accepted; a whole key is refused without repeating it", () => {
  expect(keyId("aB3dE6gH")).toBe("aB3dE6gH");
  for (const text of ["aB3dE6g", "aB3dE6gHi", "aB3dE6g-"])
    expect(() => keyId(text), text).toThrow("8 characters");
  expect(() => keyId(`svc_live_aB3dE6gH_${secret}`)).toThrow(/^(?!.*0000).*<id>/);
});
