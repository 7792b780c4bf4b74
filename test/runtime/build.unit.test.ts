import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { buildIn, buildText, fleetOf } from "../../runtime/build.ts";

/** The version and commit that processes report. */

const commit = "0123456789abcdef0123456789abcdef01234567";

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "build-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const all = { "package.json": '{ "version": "1.2.3" }', ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

test.each<[string, Record<string, string>, string | undefined]>([
  ["an image", { commit }, commit],
  ["an image built without its commit", { commit: "" }, undefined],
  [
    "a branch",
    { ".git/HEAD": "ref: refs/heads/a/b\n", ".git/refs/heads/a/b": `${commit}\n` },
    commit,
  ],
  [
    "a packed branch",
    {
      ".git/HEAD": "ref: refs/heads/main\n",
      ".git/packed-refs": `# pack-refs\n${"f".repeat(40)} refs/heads/other\n${commit} refs/heads/main\n`,
    },
    commit,
  ],
  ["a detached head", { ".git/HEAD": `${commit}\n` }, commit],
  ["no repository", {}, undefined],
  ["a branch without commits", { ".git/HEAD": "ref: refs/heads/main\n" }, undefined],
])("the commit of %s", (_name, files, expected) => {
  expect(buildIn(folderWith(files))).toEqual({ version: "1.2.3", commit: expected });
});

test("a fleet by its builds, the most frequent first", () => {
  const about = { version: "0.3.0", commit };
  expect(buildText(about)).toBe("0.3.0 (0123456)");
  expect(
    fleetOf([
      { role: "worker" },
      { role: "api", about },
      { role: "worker", about },
      { role: "worker", about },
    ]),
  ).toEqual([
    { build: "0.3.0 (0123456)", roles: "1 api, 2 worker" },
    { build: "unknown", roles: "1 worker" },
  ]);
});
