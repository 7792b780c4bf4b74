import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readDurations, renewed } from "./durations.ts";

const root = join(import.meta.dirname, "..");

test("a run replaces the rows of its files and keeps the others, longest first", () => {
  const before = { system: { "a.test.ts": 3, "b.test.ts": 2 } };
  const after = renewed(before, [
    { project: "system", file: "b.test.ts", seconds: 4 },
    { project: "mappings", file: "c.test.ts", seconds: 1 },
  ]);
  expect(JSON.stringify(after)).toBe(
    JSON.stringify({ mappings: { "c.test.ts": 1 }, system: { "b.test.ts": 4, "a.test.ts": 3 } }),
  );
  expect(before.system["b.test.ts"]).toBe(2);
});

test("the committed table is longest first and names files that exist", () => {
  const durations = readDurations();
  const sorted = renewed(durations, []);
  expect(Object.keys(durations)).toEqual(Object.keys(sorted));
  for (const [project, seconds] of Object.entries(durations)) {
    const [files, inOrder] = [Object.keys(seconds), Object.keys(sorted[project] ?? {})];
    const misplaced = files.findIndex((file, at) => file !== inOrder[at]);
    expect(files[misplaced], `in place of ${inOrder[misplaced]}`).toBeUndefined();
  }
  const files = Object.values(durations).flatMap((seconds) => Object.keys(seconds));
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
