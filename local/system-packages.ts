import * as fs from "node:fs";
import { join } from "node:path";
import { findInPath, isRoot, run } from "./process.ts";
import type { Result } from "./process.ts";

/** Installs programs with the system's package manager, where this user may. */

const quiet = { ...process.env, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" };
const downloadMs = 300_000;

/** Runs apt-get; on failure retries once with updated package lists. */
async function apt(args: string[], options: string[], cwd: string): Promise<Result> {
  const attempt = () =>
    run({ argv: ["apt-get", ...options, ...args], env: quiet, cwd }, downloadMs);
  const first = await attempt();
  if (first.ok) return first;
  const update = await run(
    { argv: ["apt-get", ...options, "update"], env: quiet, cwd },
    downloadMs,
  );
  return update.ok ? attempt() : { ...first, output: `${first.output}\n${update.output}` };
}

/** Installs packages as root on Debian and its derivatives. Runlevel 1 keeps their services from starting. */
export async function installByApt(...packageNames: string[]): Promise<boolean> {
  if (!isRoot() || findInPath("apt-get") === undefined) return false;
  const env = { ...quiet, RUNLEVEL: "1" };
  const install = () =>
    run(
      { argv: ["apt-get", "install", "-y", "--no-install-recommends", ...packageNames], env },
      downloadMs,
    );
  if ((await install()).ok) return true;
  const update = await run({ argv: ["apt-get", "update"], env }, downloadMs);
  return update.ok && (await install()).ok;
}

/** Installs a formula with Homebrew, where it is installed. */
export async function installByBrew(formula: string): Promise<boolean> {
  const brew = findInPath("brew");
  if (brew === undefined || isRoot()) return false;
  return (await run({ argv: [brew, "install", formula] }, downloadMs)).ok;
}

async function isInstalled(packageName: string): Promise<boolean> {
  const { ok, stdout } = await run({
    argv: ["dpkg-query", "-W", "-f", "${db:Status-Status}", packageName],
  });
  return ok && stdout.trim() === "installed";
}

/** The libraries that a package needs and that are not installed. */
async function missingLibraries(packageName: string, options: string[]): Promise<string[]> {
  const { stdout } = await run({
    argv: [
      "apt-cache",
      ...options,
      "depends",
      "--recurse",
      ...["recommends", "suggests", "conflicts", "breaks", "replaces", "enhances"].map(
        (relation) => `--no-${relation}`,
      ),
      packageName,
    ],
    env: quiet,
  });
  const libraries = stdout.split("\n").filter((line) => /^lib[\w.+-]+$/.test(line));
  const missing: string[] = [];
  for (const library of libraries) {
    if (!(await isInstalled(library))) missing.push(library);
  }
  return missing;
}

/**
 * Installs without root: downloads a Debian package and its libraries, unpacks them into `folder` and
 * returns that folder; undefined where this is impossible.
 */
export async function unpackByApt(
  packageName: string,
  folder: string,
): Promise<string | undefined> {
  const needed = ["apt-get", "apt-cache", "dpkg", "dpkg-query"];
  if (needed.some((program) => findInPath(program) === undefined)) return undefined;
  const downloads = join(folder, "downloads");
  const lists = join(folder, "lists");
  const unpacked = join(folder, "unpacked");
  for (const dir of [
    downloads,
    join(lists, "partial"),
    join(folder, "cache", "archives", "partial"),
  ]) {
    fs.mkdirSync(dir, { recursive: true });
  }
  // Separate package lists, because the system's may be missing or old, and only root may update them.
  const options = [
    "-o",
    `Dir::State::Lists=${lists}`,
    "-o",
    `Dir::Cache=${join(folder, "cache")}`,
    "-o",
    "Debug::NoLocking=1",
    "-o",
    "APT::Sandbox::User=",
  ];
  const first = await apt(["download", packageName], options, downloads);
  if (!first.ok) return undefined;
  const libraries = await missingLibraries(packageName, options);
  if (libraries.length > 0) await apt(["download", ...libraries], options, downloads);
  const draft = `${unpacked}.draft`;
  fs.rmSync(draft, { recursive: true, force: true });
  for (const file of fs.readdirSync(downloads).filter((name) => name.endsWith(".deb"))) {
    const { ok } = await run({ argv: ["dpkg", "-x", join(downloads, file), draft] });
    if (!ok) return undefined;
  }
  fs.rmSync(unpacked, { recursive: true, force: true });
  fs.renameSync(draft, unpacked);
  for (const dir of [downloads, lists, join(folder, "cache")]) {
    fs.rmSync(dir, { recursive: true, force: true });
  }
  return unpacked;
}

/** The folders with shared libraries in an unpacked package, for LD_LIBRARY_PATH. */
export function libraryFolders(unpacked: string): string[] {
  const found: string[] = [];
  const look = (dir: string, depth: number) => {
    const entries = fs.readdirSync(dir, { withFileTypes: true });
    if (entries.some((entry) => /\.so(\.|$)/.test(entry.name))) found.push(dir);
    if (depth === 0) return;
    for (const entry of entries) if (entry.isDirectory()) look(join(dir, entry.name), depth - 1);
  };
  look(unpacked, 4);
  return found;
}
