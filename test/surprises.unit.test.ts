import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

const notes = globSync("worker/{areas/*/README,upstreams/*/*}.md", { cwd: root })
  .filter((file) => numbersOf(read(file)).length > 0)
  .sort();
/** A page is called after its file, or after its folder. */
const areaOf = (file: string) => basename(file, ".md").replace("README", basename(dirname(file)));
/** "<area> surprise <n>" in titles of tests. */
const covered = new Set(
  globSync("test/**/*.test.ts", { cwd: root }).flatMap((file) =>
    [...read(file).matchAll(/["'`]([a-z-]+ surprise \d+)\b/g)].map((title) => title[1] as string),
  ),
);

/** Numbers of the list under the heading "Surprises". */
function numbersOf(note: string): string[] {
  const section = /^#+ Surprises\s*$([\s\S]*?)(?=^#+ |(?![\s\S]))/m.exec(note)?.[1] ?? "";
  return [...section.matchAll(/^(\d+)\. /gm)].map((item) => item[1] as string);
}

test.each(notes)("every surprise of %s has a test that names it", (file) => {
  const area = areaOf(file);
  const numbers = numbersOf(read(file));
  expect(numbers, "numbered from 1").toEqual(numbers.map((_, index) => String(index + 1)));
  expect(numbers.length, "a list under the heading Surprises").toBeGreaterThan(0);
  const named = [...covered].filter((title) => title.startsWith(`${area} surprise `));
  expect(named.sort(), "surprises named by tests").toEqual(
    numbers.map((number) => `${area} surprise ${number}`).sort(),
  );
});

test("a test names surprises of existing notes only", () => {
  const areas = new Set(notes.map(areaOf));
  expect([...covered].filter((title) => !areas.has(title.replace(/ surprise \d+$/, "")))).toEqual(
    [],
  );
});
