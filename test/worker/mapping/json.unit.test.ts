import fc from "fast-check";
import { parse } from "lossless-json";
import { describe, expect, test } from "vitest";
import { parseJson } from "../../../worker/mapping/json.ts";

describe("parseJson", () => {
  test.each([
    ['{"id":7100000000000000001}', { id: "7100000000000000001" }],
    ['{"id":-7100000000000000001}', { id: "-7100000000000000001" }],
    ["[9007199254740991,9007199254740992]", [9007199254740991, "9007199254740992"]],
    ["[9007199254740993 , 9007199254740993\n]", ["9007199254740993", "9007199254740993"]],
    ["12345678901234567890", "12345678901234567890"],
    ["[0.019999999552965164,1.25,1e20]", [0.019999999552965164, 1.25, 1e20]],
    [
      "[12345678901234567890.5,1.2345678901234567e1]",
      [Number("12345678901234567890.5"), 12.345678901234567],
    ],
    [
      '{"a":"x,7100000000000000001","b":7100000000000000001}',
      { a: "x,7100000000000000001", b: "7100000000000000001" },
    ],
    [
      '{"a\\"b: 7100000000000000001":1,"c\\\\":7100000000000000001}',
      { 'a"b: 7100000000000000001': 1, "c\\": "7100000000000000001" },
    ],
    [
      '{"7100000000000000001":7100000000000000001}',
      { "7100000000000000001": "7100000000000000001" },
    ],
  ])("reads %s", (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });

  test.each([
    "",
    "<html>",
    "{]",
    '{"a":',
    '["7100000000000000001,7100000000000000001',
    "[1e7100000000000000001x]",
  ])("is undefined for %j", (text) => {
    expect(parseJson(text)).toBeUndefined();
  });

  test("agrees with a lossless parser on any JSON", () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: "small" },
        number,
        fc.string(),
        fc.constant(null),
        fc.boolean(),
        tie("list"),
        tie("record"),
      ),
      list: fc.array(tie("tree")),
      record: fc.dictionary(fc.string(), tie("tree"), { noNullPrototype: true }),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const text = write(value);
        expect(parseJson(text)).toEqual(parse(text, null, readNumber));
      }),
      { numRuns: 500 },
    );
  });

  test("is linear on hostile input", () => {
    const text = `["${"\\\\".repeat(2_000_000)}",${"7100000000000000001,".repeat(100_000)}0]`;
    const started = performance.now();
    expect(parseJson(text)).toHaveLength(100_002);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

function write(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return `[${value.map(write).join(", ")}]`;
  if (value !== null && typeof value === "object") {
    const fields = Object.entries(value).map(
      ([key, item]) => `${JSON.stringify(key)}: ${write(item)}`,
    );
    return `{${fields.join(",")}}`;
  }
  return JSON.stringify(value);
}

function readNumber(digits: string): number | string {
  const whole = /^-?\d+$/.test(digits) && !Number.isSafeInteger(Number(digits));
  return whole ? digits : Number(digits);
}
