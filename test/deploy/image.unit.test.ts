import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { importsOf, root } from "../imports.ts";

/** deploy/Dockerfile against .dockerignore and against what its processes import; no engine builds it here. */

const lines = (file: string): string[] => readFileSync(join(root, file), "utf8").split("\n");

interface Copy {
  /** The stage whose files are copied; undefined for the build context. */
  from: string | undefined;
  stage: string;
  sources: string[];
  target: string;
}

/** The COPY instructions of a Dockerfile, each with the stage that it stands in. */
function copies(dockerfile: readonly string[]): Copy[] {
  const found: Copy[] = [];
  let stage = "";
  const instructions = dockerfile
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join("\n")
    .replaceAll(/\\\n/g, " ")
    .split("\n");
  for (const instruction of instructions) {
    const [word = "", ...parts] = instruction.trim().split(/\s+/);
    if (/^from$/i.test(word)) stage = /\sas\s+(\S+)/i.exec(instruction)?.[1] ?? "";
    if (!/^(copy|add)$/i.test(word)) continue;
    const flags = parts.filter((part) => part.startsWith("--"));
    const paths = parts.slice(flags.length);
    const from = flags.find((flag) => flag.startsWith("--from="))?.slice("--from=".length);
    found.push({ from, stage, sources: paths.slice(0, -1), target: paths.at(-1) ?? "" });
  }
  return found;
}

/** Whether the build context has a file: the last pattern that matches it, or a folder above it, decides. */
function isLetIn(file: string, patterns: readonly string[]): boolean {
  const above = file.split("/").map((_, index, names) => names.slice(0, index + 1).join("/"));
  return patterns
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .reduce((isIn, line) => {
      const pattern = line.replace(/^!/, "").replaceAll(/^\/|\/$/g, "");
      return above.some((path) => matchesGlob(path, pattern)) ? line.startsWith("!") : isIn;
    }, true);
}

const ignore = lines(".dockerignore");
const all = copies(lines("deploy/Dockerfile"));
const fromContext = all.filter(({ from }) => from === undefined);
const isMade = (file: string) => /(^|\/)(node_modules|generated)\//.test(file);

/** The files that a source of the build context stands for, generated ones left out. */
function filesOf(source: string): string[] {
  if (!statSync(join(root, source)).isDirectory()) return [source];
  return globSync("**/*", { cwd: join(root, source), withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((file) => !isMade(file));
}

/** The files that entries reach by imports, and those of them that a stage does not copy. */
function importsIn(stage: string, entries: readonly string[]) {
  const copied = new Set(
    fromContext
      .filter((copy) => copy.stage === stage)
      .flatMap(({ sources }) => sources.flatMap(filesOf)),
  );
  const reached = new Set(entries);
  for (const file of reached) {
    if (!existsSync(join(root, file))) continue;
    for (const name of importsOf(file)) {
      const isOfPackage = existsSync(join(root, "node_modules", name));
      if (/\.(ts|mjs|json)$/.test(name) && !isMade(name) && !isOfPackage) reached.add(name);
    }
  }
  return { reached: reached.size, lacking: [...reached].filter((file) => !copied.has(file)) };
}

test("everything that the image copies is there, and .dockerignore lets it in", () => {
  const sources = fromContext.flatMap((copy) => copy.sources);
  expect(sources.length).toBeGreaterThan(10);
  expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([]);
  const kept = sources.filter((source) => filesOf(source).some((file) => !isLetIn(file, ignore)));
  expect(kept).toEqual([]);
});

test("the image has every file that its processes import", () => {
  const compose = parse(readFileSync(join(root, "docker-compose.yml"), "utf8"), {
    merge: true,
  }) as { services: Record<string, { command?: string[]; healthcheck?: { test: string[] } }> };
  const words = Object.values(compose.services).flatMap(({ command = [], healthcheck }) => [
    ...command,
    ...(healthcheck?.test ?? []),
  ]);
  const entries = words.filter((word) => /^[\w/-]+\.ts$/.test(word));
  expect(entries).toEqual(expect.arrayContaining(["api/main.ts", "deploy/healthcheck.ts"]));

  const { reached, lacking } = importsIn("", [...entries, "cli/main.ts"]);
  expect(reached).toBeGreaterThan(200);
  expect(lacking).toEqual([]);
});

test("the stage that packs the client has every file that its build imports or compiles", () => {
  const compiled = filesOf("client/src");
  const { reached, lacking } = importsIn("client", ["client/build.ts", ...compiled]);
  expect(reached).toBeGreaterThan(100);
  expect(lacking).toEqual([]);
});

test("COPY is read with stages, several sources and lines that go on", () => {
  expect(
    copies(["FROM a AS one", "COPY x y \\", "# why", "  z ./", "from b", "COPY --from=one /m n"]),
  ).toEqual([
    { from: undefined, stage: "one", sources: ["x", "y", "z"], target: "./" },
    { from: "one", stage: "", sources: ["/m"], target: "n" },
  ]);
});

test("of .dockerignore the last pattern that matches wins", () => {
  const patterns = ["*", "# why", "!/a", "!b/c/", "a/secret", "**/*.log", "!a/kept.log"];
  const asked = ["a/x", "b/x", "b/c/d/e", "a/secret/x", "a/deep/x.log", "a/kept.log", "z"];
  expect(asked.filter((file) => isLetIn(file, patterns))).toEqual(["a/x", "b/c/d/e", "a/kept.log"]);
});
