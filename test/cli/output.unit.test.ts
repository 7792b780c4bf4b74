import { expect, test } from "vitest";
import { fields, moment, table } from "../../cli/output.ts";

test("columns are as wide as needed, numbers are aligned right", () => {
  const rows = [
    ["a", 7, true],
    ["longer", 1234, false],
  ];
  expect(table(["name", "n", "on"], rows)).toBe(
    ["name       n  on", "a          7  yes", "longer  1234  no"].join("\n"),
  );
});

test("a table without rows is its headings", () => {
  expect(table(["name", "n"], [])).toBe("name  n");
});

test("a name and its value per line", () => {
  expect(fields({ id: "x", balance: 10 })).toBe("id       x\nbalance  10");
});

test("moments end at the second", () => {
  expect(moment(new Date("2026-01-02T03:04:05.678Z"))).toBe("2026-01-02 03:04:05Z");
  expect(moment(null)).toBe("-");
});
