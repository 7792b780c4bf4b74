import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sqlFiles } from "../../db/migrations.ts";
import { allFaultPoints } from "./fault-points.ts";
import { type Guard, guards, without } from "./guards.ts";
import { allShortTimes } from "./short-times.ts";

const source = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
const { text: functions } = sqlFiles().functions;
function functionNamed(name: string): string {
  const start = functions.indexOf(`create or replace function ${name}(`);
  if (start < 0) throw new Error(`there is no function ${name}`);
  return functions.slice(start, functions.indexOf("end $$;", start));
}
const all: [string, Guard][] = Object.entries(guards);

test.each(all)("%s: every snippet to be left out is in its file", (_name, guard) => {
  const { edits = [], functions = [], statements = [] } = guard;
  expect(edits.length + functions.length + statements.length).toBeGreaterThan(0);
  for (const { file, find, put } of edits) {
    expect(without(source(file), find, put, file)).not.toBe(source(file));
  }
  for (const { name, find, put } of functions) {
    const text = functionNamed(name);
    expect(without(text, find, put, name)).not.toBe(text);
  }
});

test.each([...allFaultPoints, ...allShortTimes])(
  "%s: every snippet is in its file",
  (_name, edits) => {
    expect(edits.length).toBeGreaterThan(0);
    for (const { file, find, put } of edits) {
      expect(without(source(file), find, put, file)).not.toBe(source(file));
    }
  },
);

test("a snippet that is missing or occurs twice is an error", () => {
  expect(() => without("a b", "c", "", "file")).toThrow("file does not hold exactly once: c");
  expect(() => without("a b a", "a", "", "file")).toThrow("file does not hold exactly once: a");
  expect(without("a b", "b", "c", "file")).toBe("a c");
});
