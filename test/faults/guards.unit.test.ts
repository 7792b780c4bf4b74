import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Guard, guards, without } from "./guards.ts";

const source = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
/** The function's text after the last migration that touches it. */
function functionNamed(name: string): string {
  const heads = [`create or replace function ${name}(`, `create function ${name}(`];
  const files = readdirSync(new URL("../../db/migrations", import.meta.url)).toSorted();
  for (const migration of files.toReversed().map((file) => source(`db/migrations/${file}`))) {
    const start = Math.max(...heads.map((head) => migration.indexOf(head)));
    if (start >= 0) return migration.slice(start, migration.indexOf("end $$;", start));
  }
  throw new Error(`no migration makes ${name}`);
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

test("a snippet that is missing or occurs twice is an error", () => {
  expect(() => without("a b", "c", "", "file")).toThrow("file does not hold exactly once: c");
  expect(() => without("a b a", "a", "", "file")).toThrow("file does not hold exactly once: a");
  expect(without("a b", "b", "c", "file")).toBe("a c");
});
