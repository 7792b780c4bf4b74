import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Guard, guards, without } from "./guards.ts";

const source = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
const all: [string, Guard][] = Object.entries(guards);

test.each(all)("%s: every snippet to be left out stands where it is looked for", (_name, guard) => {
  const { edits = [], functions = [], statements = [] } = guard;
  expect(edits.length + functions.length + statements.length).toBeGreaterThan(0);
  for (const { file, find, put } of edits) {
    expect(without(source(file), find, put, file)).not.toBe(source(file));
  }
  const migration = source("db/migrations/0002_calls.sql");
  for (const { name, find, put } of functions) {
    const start = migration.indexOf(`create function ${name}(`);
    const text = migration.slice(start, migration.indexOf("end $$;", start));
    expect(without(text, find, put, name)).not.toBe(text);
  }
});

test("a snippet that is missing or stands twice is an error", () => {
  expect(() => without("a b", "c", "", "file")).toThrow("file does not hold exactly once: c");
  expect(() => without("a b a", "a", "", "file")).toThrow("file does not hold exactly once: a");
  expect(without("a b", "b", "c", "file")).toBe("a c");
});
