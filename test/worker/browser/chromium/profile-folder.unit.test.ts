import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeProfileFolder } from "../../../../worker/browser/chromium/profile-folder.ts";

const { pid: endedPid } = spawnSync(process.execPath, ["-e", ""]);
const leftover = `gateway-chromium-${endedPid}-abcdef`;
const ownName = `gateway-profiles-${process.getuid?.()}`;

/** Like /tmp: every user may create files in it. */
let shared: string;
beforeEach(() => {
  shared = fs.mkdtempSync(join(tmpdir(), "shared-"));
  fs.chmodSync(shared, 0o1777);
});
afterEach(() => fs.rmSync(shared, { recursive: true }));

/** A folder that looks like an abandoned profile; returns a file that would be lost with it. */
function plant(parent: string): string {
  fs.mkdirSync(join(parent, leftover), { recursive: true });
  const file = join(parent, leftover, "precious");
  fs.writeFileSync(file, "of somebody else");
  return file;
}

test("nothing is removed from a folder that others may write to, whatever its name", async () => {
  const precious = plant(shared);
  const { path, remove } = await makeProfileFolder(shared);
  expect(fs.existsSync(precious)).toBe(true);
  expect(dirname(path)).toBe(join(shared, ownName));
  expect(fs.statSync(dirname(path)).mode & 0o777).toBe(0o700);
  await remove();
  expect(fs.readdirSync(join(shared, ownName))).toEqual([]);
});

const others: [string, (victim: string) => void][] = [
  ["a link", (victim) => fs.symlinkSync(victim, join(shared, ownName))],
  [
    "open to others",
    (victim) => {
      fs.renameSync(victim, join(shared, ownName));
      fs.chmodSync(join(shared, ownName), 0o777);
      fs.symlinkSync(ownName, victim);
    },
  ],
];
if (process.getuid?.() === 0) {
  others.push([
    "another user's",
    (victim) => {
      fs.renameSync(victim, join(shared, ownName));
      fs.chownSync(join(shared, ownName), 12_345, 12_345);
      fs.symlinkSync(ownName, victim);
    },
  ]);
}

test.each(others)("a folder of ours that is really %s is left alone", async (_, put) => {
  const victim = join(shared, "victim");
  fs.mkdirSync(victim, { mode: 0o700 });
  const precious = plant(victim);
  put(victim);
  const { path, remove } = await makeProfileFolder(shared);
  expect(fs.existsSync(precious)).toBe(true);
  expect(dirname(path)).toBe(shared);
  expect(fs.statSync(path).mode & 0o777).toBe(0o700);
  await remove();
  expect(fs.existsSync(path)).toBe(false);
});

test("below a folder that is ours alone, folders of ended processes are removed", async () => {
  fs.chmodSync(shared, 0o700);
  plant(shared);
  const { path: living } = await makeProfileFolder(shared);
  const { path } = await makeProfileFolder(shared);
  expect(fs.readdirSync(shared).toSorted()).toEqual(
    [living, path].map((one) => basename(one)).toSorted(),
  );
});
