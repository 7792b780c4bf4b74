import { describe, expect, test } from "vitest";
import { DatabaseError, translated } from "../../db/errors.ts";

const refusal = (code: string) => Object.assign(new Error("made up"), { code });
const isPassing = (code: string) => {
  const error = translated(refusal(code));
  return error instanceof DatabaseError && error.code === "unavailable";
};

/**
 * Every class of the Postgres manual's appendix A: true for a temporary fault, false for a bug of
 * the gateway.
 */
const classes: Record<string, boolean> = {
  "00": false,
  "01": false,
  "02": false,
  "03": false,
  "08": true,
  "09": false,
  "0A": false,
  "0B": false,
  "0F": false,
  "0L": false,
  "0P": false,
  "0Z": false,
  "10": false,
  "20": false,
  "21": false,
  "22": false,
  "23": false,
  "24": false,
  "25": false,
  "26": true,
  "27": false,
  "28": true,
  "2B": false,
  "2D": false,
  "2F": false,
  "34": false,
  "38": false,
  "39": false,
  "3B": false,
  "3D": true,
  "3F": false,
  "40": true,
  "42": false,
  "44": false,
  "53": true,
  "54": false,
  "55": true,
  "57": true,
  "58": true,
  "72": true,
  F0: true,
  HV: false,
  P0: false,
  XX: true,
};

describe("SQLSTATE", () => {
  test.each(Object.entries(classes))("class %s", (name, passes) => {
    expect(isPassing(`${name}000`)).toBe(passes);
  });

  test.each([
    ["25006", "read-only"],
    ["25P03", "idle in transaction"],
    ["25P04", "transaction timeout"],
    ["28P01", "wrong password"],
    ["3D000", "no such database"],
    ["40001", "serialization"],
    ["40P01", "deadlock"],
    ["53100", "disk full"],
    ["53200", "out of memory"],
    ["53300", "too many connections"],
    ["53400", "a configured limit, temp_file_limit say"],
    ["55P03", "lock not available"],
    ["57014", "cancelled"],
    ["57P01", "shut down"],
    ["57P02", "crashed"],
    ["57P03", "starting up"],
    ["57P05", "idle session"],
    ["58030", "I/O error"],
    ["XX001", "damaged data"],
  ])("%s is temporary: %s", (code) => expect(isPassing(code)).toBe(true));

  test.each([
    ["25P02", "a failed transaction goes on"],
    ["40002", "a constraint at the commit"],
    ["42P01", "no such table"],
    ["42501", "no right to it"],
    ["22P02", "text that is no number"],
    ["23514", "a check"],
    ["P0001", "raised by our own functions"],
    ["55006", "in use"],
    ["55P02", "cannot be set now"],
  ])("%s is our own fault: %s", (code) => {
    const error = refusal(code);
    expect(translated(error)).toBe(error);
  });
});
