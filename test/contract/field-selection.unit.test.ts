import { expect, test } from "vitest";
import { chooseOfEach, faultsOfFields } from "../../contract/field-selection.ts";
import { operations } from "../../contract/index.ts";
import { fieldPaths } from "../operations/schema.ts";

const all = [...operations.values()];

test.each(all)("$id: exactly the members that its schema shows may be chosen", (op) => {
  const data = fieldPaths(op);
  const inRecord = [...data].flatMap((path) => {
    const [, rest] = /^(?:results)?\[\]\.(.+)$/.exec(path) ?? [];
    const isBeside = rest === undefined && [...data].some((other) => other.startsWith("results[]"));
    return isBeside ? [] : [(rest ?? path).replaceAll("[]", "")];
  });
  // A record that is a plain value has no members.
  if (inRecord.length === 0) return expect(faultsOfFields(op, ["id"])).toHaveLength(1);
  for (let from = 0; from < inRecord.length; from += 50) {
    expect(faultsOfFields(op, inRecord.slice(from, from + 50))).toEqual([]);
  }
  const [first = ""] = inRecord;
  const [fault] = faultsOfFields(op, [`${first}zz`]);
  expect(fault).toContain(`${first}zz is no member of a record`);
});

test("a choice copies the chosen members; everything beside the records stays", () => {
  const rows = [{ id: 1, author: { name: "a", age: 2 }, tags: [{ t: 1, u: 2 }] }];
  const some = [{ id: 1, author: { name: "a" }, tags: [{ t: 1 }] }];
  const fields = ["id", "author.name", "tags.t"];
  expect(chooseOfEach(rows, fields)).toEqual(some);
  expect(chooseOfEach({ count: 1, results: rows }, fields)).toEqual({ count: 1, results: some });
  expect(chooseOfEach(rows[0], fields)).toEqual(some[0]);
  expect(chooseOfEach(rows, ["author"])).toEqual([{ author: { name: "a", age: 2 } }]);
});

test("more names than a record can have, empty ones and long ones are refused", () => {
  const [op] = all as [(typeof all)[number]];
  expect(
    faultsOfFields(
      op,
      Array.from({ length: 51 }, () => "id"),
    ),
  ).toHaveLength(1);
  expect(faultsOfFields(op, [""])[0]).toMatch(/1 to 200 characters/);
  expect(faultsOfFields(op, ["a".repeat(201)])[0]).toMatch(/1 to 200 characters/);
});

test("a member chosen as a whole and in part comes as a whole", () => {
  const row = { author: { name: "a", age: 2 }, id: 1 };
  for (const fields of [
    ["author", "author.name"],
    ["author.name", "author"],
  ])
    expect(chooseOfEach(row, fields)).toEqual({ author: row.author });
});

// Fifty names of 190 characters, each compared with all known names, took three seconds.
test("only the first unknown name gets a suggestion, and none that is too long for a typing error", () => {
  const search = operations.get("threads.search.recent") as (typeof all)[number];
  const near = (fields: string[]) =>
    faultsOfFields(search, fields).map((fault) => fault.includes("the nearest is"));
  const [first, ...others] = near(Array.from({ length: 50 }, () => "txet"));
  expect(first).toBe(true);
  expect(new Set(others)).toEqual(new Set([false]));
  const long = Array.from({ length: 50 }, (_, index) => "x".repeat(190) + index);
  expect(new Set(near(long))).toEqual(new Set([false]));
});
