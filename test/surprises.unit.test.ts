import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** Areas without an upstream. */
const exempt = ["browser", "web"];
const pages = globSync("worker/areas/*/README.md", { cwd: root })
  .filter((file) => !exempt.includes(basename(dirname(file))))
  .sort();
/**
 * Location of each area's surprises: its own page, or the linked page in the folder of its
 * upstream.
 */
const listOf = new Map(
  pages.map((file) => {
    const link = /\]\(([^)]*\/upstreams\/[^)]*\.md)\)/.exec(read(file))?.[1];
    const shared = link && join(dirname(file), link);
    return [file, numbersOf(file).length === 0 && shared ? shared : file] as const;
  }),
);
const notes = [...new Set(listOf.values())].sort();
/** A page is named after its file, or after its folder. */
const areaOf = (file: string) => basename(file, ".md").replace("README", basename(dirname(file)));
/** "<area> surprise <n>" in titles of tests. */
const covered = new Set(
  globSync("test/**/*.test.ts", { cwd: root }).flatMap((file) =>
    [...read(file).matchAll(/["'`]([a-z-]+ surprise \d+)\b/g)].map((title) => title[1] as string),
  ),
);

/** Numbers of the list under the heading "Surprises". */
function numbersOf(file: string): string[] {
  const section = /^#+ Surprises\s*$([\s\S]*?)(?=^#+ |(?![\s\S]))/m.exec(read(file))?.[1] ?? "";
  return [...section.matchAll(/^(\d+)\. /gm)].map((item) => item[1] as string);
}

test("every area with an upstream lists its surprises, or links to a page that does", () => {
  const areas = globSync("worker/areas/*/handlers.ts", { cwd: root }).map((file) =>
    join(dirname(file), "README.md"),
  );
  const areasWithUpstream = areas.filter((file) => !exempt.includes(basename(dirname(file))));
  expect(pages).toEqual(areasWithUpstream.sort());
  expect([...listOf].filter(([, list]) => numbersOf(list).length === 0)).toEqual([]);
});

test.each(notes)("every surprise of %s has a test that names it", (file) => {
  const area = areaOf(file);
  const numbers = numbersOf(file);
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
