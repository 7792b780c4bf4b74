import { execFileSync } from "node:child_process";
import { existsSync, globSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { documents, readDocument } from "./documents.ts";
import { root } from "./imports.ts";

const folders =
  "{api,client,bench,cli,contract,dashboards,db,deploy,docs,local,runtime,test,worker}";

/** Code is no prose: nothing in it is a link or a heading. */
const proseOf = (file: string) => readDocument(file).replace(/^ *```[\s\S]*?^ *```/gm, "");

/** Links of a page to files of the project, as the page writes them. */
function linksOf(file: string): string[] {
  const prose = proseOf(file).replace(/`[^`\n]*`/g, "`");
  const targets = [
    ...prose.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g),
    ...prose.matchAll(/^\s*\[[^\]]+\]:\s+<?(\S+?)>?$/gm),
    ...prose.matchAll(/\b(?:href|src|srcset)="([^"\s]+)"/g),
  ];
  return (
    targets
      .map((link) => link[1] as string)
      // Links to /docs are served by the API; test/api/pages.test.ts follows those.
      .filter((link) => !/^([a-z]+:|\/)/.test(link))
  );
}

/** Anchors of a page, by GitHub's rules: headings, numbered where they repeat, and explicit ids. */
function anchorsOf(file: string): Set<string> {
  const prose = proseOf(file);
  const found = new Set(
    [...prose.matchAll(/\b(?:id|name)="([^"]+)"/g)].map((id) => id[1] as string),
  );
  for (const [, heading = ""] of prose.matchAll(/^ {0,3}#{1,6}\s+(.+?)\s*#*$/gm)) {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const slug = text.replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "").replaceAll(" ", "-");
    let anchor = slug;
    for (let copy = 1; found.has(anchor); copy += 1) anchor = `${slug}-${copy}`;
    found.add(anchor);
  }
  return found;
}

/** The reason why a link leads nowhere. */
function faultOf(file: string, link: string): string | undefined {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? file : join(dirname(file), decodeURIComponent(path));
  if (!existsSync(join(root, target))) return `${link}: there is no ${target}`;
  if (anchor === undefined) return undefined;
  if (target.endsWith(".md"))
    return anchorsOf(target).has(anchor) ? undefined : `${link}: ${target} has no such heading`;
  return /^L\d+(-L\d+)?$/.test(anchor) ? undefined : `${link}: only pages have anchors`;
}

test.each(documents)("every link of %s resolves", (file) => {
  expect(linksOf(file).flatMap((link) => faultOf(file, link) ?? [])).toEqual([]);
});

test("every committed page is read", ({ skip }) => {
  let listed: string;
  try {
    const options = { cwd: root, encoding: "utf8", stdio: "pipe" } as const;
    listed = execFileSync("git", ["ls-files", "*.md"], options);
  } catch {
    // A release archive has no list of files.
    return skip();
  }
  const committed = listed
    .split("\n")
    .filter((file) => existsSync(join(root, file)) && file !== "");
  const left = committed.filter((file) => !file.startsWith("test/pages/"));
  expect(left.filter((file) => !documents.includes(file))).toEqual([]);
});

test("the check does read links", () => {
  expect(documents).toContain("README.md");
  expect(documents.flatMap(linksOf).length).toBeGreaterThan(100);
  expect(linksOf("worker/areas/README.md")).toContain("../handlers.ts");
});

test("a wrong file, heading or anchor is found", () => {
  expect(faultOf("docs/jobs.md", "none.md")).toMatch("there is no docs/none.md");
  expect(faultOf("docs/jobs.md", "observability.md#none")).toMatch("no such heading");
  expect(faultOf("docs/jobs.md", "observability.md#traces")).toBeUndefined();
  expect(faultOf("docs/observability.md", "#gatewayredisdown")).toBeUndefined();
  expect(faultOf("docs/jobs.md", "../package.json#scripts")).toMatch("only pages");
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
