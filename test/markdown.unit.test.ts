import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const folders =
  "{api,client,bench,cli,contract,dashboards,db,deploy,docs,local,runtime,test,worker}";
/** Markdown written by people; sample pages hold the expected Markdown of a page. */
const pages = globSync(["*.md", `${folders}/**/*.md`], { cwd: root })
  .filter((file) => !/^test\/pages\/|node_modules/.test(file))
  .sort();

/** Files inside the project that a page links to, without their anchors. */
function linksOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8").replace(/^ *```[\s\S]*?^ *```/gm, "");
  return (
    [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map((link) => (link[1] as string).replace(/#.*$/, ""))
      // Links to /docs are served by the API; test/api/pages.test.ts follows those.
      .filter((link) => link !== "" && !/^([a-z]+:|\/)/.test(link))
  );
}

test.each(pages)("every link of %s resolves", (file) => {
  const at = (link: string) => join(root, dirname(file), link);
  expect(linksOf(file).filter((link) => !existsSync(at(link)))).toEqual([]);
});

test("the check does read links", () => {
  expect(linksOf("README.md")).toContain("docs/upstreams.md");
  expect(linksOf("worker/areas/README.md")).toContain("../handlers.ts");
});

test("the README of a folder with more than ten files describes them and where to start", () => {
  const large = globSync(folders, { cwd: root })
    .flatMap((folder) => [folder, ...globSync(`${folder}/**/*`, { cwd: root })])
    .filter((place) => !/node_modules|generated|dist/.test(place))
    .filter((place) => statSync(join(root, place)).isDirectory())
    .filter((folder) => globSync(`${folder}/*.{ts,mjs}`, { cwd: root }).length > 10);
  expect(large.length).toBeGreaterThan(5);
  expect(large.filter((folder) => !existsSync(join(root, folder, "README.md")))).toEqual([]);
});
