import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./imports.ts";

const hookAtImport = /^(?:before|after)(?:All|Each)\(/m;
/** Vitest runs this file anew for each test file. */
const setupFile = "test/own-environment.ts";

test("no module registers hooks when it is imported: its second importer in a process would go without", () => {
  const modules = globSync("{test,bench}/**/!(*.test).ts", { cwd: root });
  expect(modules.length).toBeGreaterThan(100);
  const found = modules.filter((file) => hookAtImport.test(readFileSync(join(root, file), "utf8")));
  expect(found).toEqual([setupFile]);
});
