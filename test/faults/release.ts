import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** The source of an earlier release, ready to run, with `/` at its end. */
export interface Release {
  folder: string;
  remove(): void;
}

/** Whether this clone has the commit; CI must have it. */
export function hasRelease(commit: string): boolean {
  const isThere =
    spawnSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: root }).status === 0;
  if (!isThere) {
    const why = `commit ${commit} is not in this clone (git fetch --unshallow), so its release cannot run beside this one`;
    if (process.env["CI"]) throw new Error(why);
    process.stderr.write(`\n!!! NOT TESTED: ${why}\n\n`);
  }
  return isThere;
}

/** Its files beside the packages of this one. */
export function unpackRelease(commit: string): Release {
  const folder = mkdtempSync(join(tmpdir(), "gateway-release-"));
  const archive = execFileSync("git", ["archive", commit], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return {
    folder: `${folder}/`,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
