import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./imports.ts";

/** A file that makes one of these lets accounts wait for each other. */
const pools =
  /\bpLimit\(|\bpostgres\(address|\bnew (?:AccountTurns|KeptSlots|Slots|Worker|Pool|Agent|Semaphore)\b/g;
const turnsName = /\bnew AccountTurns\(\{\s*name: ("[^"]+")?/g;

interface Shared {
  /** Files that make a pool. */
  files: string[];
  /** Names of turns; undefined for one that is no literal. */
  names: (string | undefined)[];
}

function sharedIn(text: string, file: string): Shared {
  const names = [...text.matchAll(turnsName)].map(([, name]) => name?.slice(1, -1));
  const turns = text.match(/\bnew AccountTurns\b/g)?.length ?? 0;
  while (names.length < turns) names.push(undefined);
  return { files: text.match(pools) ? [file] : [], names };
}

function table(): { names: string[]; files: string[] } {
  const document = readFileSync(join(root, "docs/evidence/reliability.md"), "utf8");
  const section = document.split("\n## Shared resources\n")[1]?.split("\n## ")[0] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("|"));
  const cells = rows.slice(2).map((row) => row.split("|").map((cell) => cell.trim()));
  const quoted = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text as string);
  return {
    names: cells.flatMap(([, resource]) => quoted(resource)),
    files: cells.flatMap((cell) => quoted(cell[4])),
  };
}

const found = globSync("{api,worker,db,runtime}/**/*.ts", { cwd: root })
  .filter((file) => file !== "runtime/account-turns.ts")
  .map((file) => sharedIn(readFileSync(join(root, file), "utf8"), file));

test("every pool that accounts share is in the table of shared resources, turns by their name", () => {
  const { names, files } = table();
  expect(found.flatMap((one) => one.files).filter((file) => !files.includes(file))).toEqual([]);
  const made = found.flatMap((one) => one.names);
  expect(new Set(made)).toEqual(new Set(names));
  expect(made).toHaveLength(names.length);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test("each kind of pool is found, and turns whose name is no literal", () => {
  const files = (text: string) => sharedIn(text, "a.ts").files;
  expect(files("const limit = pLimit(2);")).toEqual(["a.ts"]);
  expect(files("new Worker(new URL('x'))")).toEqual(["a.ts"]);
  expect(files("new Worker<Job>(queue)")).toEqual(["a.ts"]);
  expect(files("const sql = postgres(address.url)")).toEqual(["a.ts"]);
  expect(files("no pool at all")).toEqual([]);
  const twice = 'new AccountTurns({\n name: "one", slots }); new AccountTurns({ name, slots })';
  expect(sharedIn(twice, "a.ts")).toEqual({ files: ["a.ts"], names: ["one", undefined] });
});
