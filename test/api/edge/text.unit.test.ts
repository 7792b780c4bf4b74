import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import { byteFaults, parseQuery, textFaults } from "../../../api/edge/text.ts";
import { decodeInput } from "../../../api/input.ts";
import { type GatewayError, dotted, longestName, maxIssues } from "../../../contract/errors.ts";
import { operations } from "../../../contract/index.ts";
import type { Operation } from "../../../contract/operation.ts";

const broken = "\ud83d";
const crowd = Array.from({ length: 19_000 }, () => broken);

test("the look for texts that are none ends with the last issue that is reported", () => {
  let looked = 0;
  const isText = (text: string) => {
    looked += 1;
    return text.isWellFormed();
  };
  const names = Object.fromEntries(crowd.map((text, index) => [`${text}${index}`, 0]));
  for (const body of [{ a: crowd }, names, { a: { b: [names, crowd] } }]) {
    looked = 0;
    expect(textFaults(body, isText)).toHaveLength(maxIssues);
    // Each fault with its name, the way there, and the look whether there is any.
    expect(looked).toBeLessThan(2 * maxIssues + 20);
  }
  expect(textFaults({ a: crowd }, undefined, 3)).toEqual(["a[0]", "a[1]", "a[2]"]);
});

test("no more is looked at in bytes and in an input than is reported", () => {
  const looks = vi.spyOn(String.prototype, "isWellFormed");
  const op = operations.get("geo.mentions.search") as Operation;
  const raw = { path: {}, query: new URLSearchParams(), body: { ...op.example, groups: crowd } };
  try {
    decodeInput(op, raw);
    expect.unreachable();
  } catch (error) {
    expect((error as GatewayError).issues?.[49]).toMatchObject({ path: "groups[49]" });
  }
  const looked = looks.mock.calls.length;
  looks.mockRestore();
  expect(looked).toBeLessThan(4 * maxIssues);

  const text = JSON.stringify({ a: crowd }).replaceAll("\\ud83d", "\xe9");
  expect(byteFaults(Buffer.from(text, "latin1"))).toHaveLength(maxIssues);
});

test.each(["%zz", "%", "100%", "%2", "a%2gb", "%u0041"])(
  "a %% of a query that escapes nothing is named: %j",
  (value) => {
    const query = parseQuery(`q=${value}&limit=3&max_duration=%35`);
    expect(query.malformed).toEqual(["q"]);
    const op = operations.get("shortclip.search") as Operation;
    try {
      decodeInput(op, { path: {}, query, body: undefined });
      expect.unreachable();
    } catch (error) {
      expect((error as GatewayError).issues?.[0]).toEqual({
        in: "query",
        path: "q",
        code: "malformed",
        message: "has a % that escapes nothing",
      });
    }
  },
);

test("a path shows the beginning of each name, and has an end", () => {
  const long = "a".repeat(2_000_000);
  expect(dotted([long, "b", 3])).toBe(`${"a".repeat(longestName)}.b[3]`);
  expect(dotted(Array.from({ length: 32 }, () => long))).toHaveLength(500);
  expect(dotted([`${"a".repeat(longestName - 1)}😀`])).toBe(`${"a".repeat(longestName - 1)}\ufffd`);
});

test("a path keeps no name in memory", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed / 1024 / 1024;
  };
  // Both ways in which a name can be longer than its part of the path.
  const paths = (name: (index: number) => string) =>
    Array.from({ length: maxIssues }, (_, index) => dotted([name(index), "b"]));
  const before = used();
  const kept = [
    paths((index) => JSON.parse(`"${String(index).padEnd(1_000_000, "a")}"`) as string),
    paths((index) => `${"a".repeat(1_000_000)}${index}`),
  ];
  // Each holds 50 names of a megabyte otherwise.
  expect(used() - before).toBeLessThan(10);
  expect(kept.flat()).toHaveLength(2 * maxIssues);
});

test("as many parameters of a query are named as faults are reported", () => {
  const texts = Array.from({ length: 1600 }, (_, index) => `%ff${index}=%c3`);
  expect(parseQuery(texts.join("&")).notUtf8).toHaveLength(maxIssues);
  expect(parseQuery(texts.slice(0, 3).join("&")).notUtf8).toHaveLength(3);
});
