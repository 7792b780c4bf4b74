import { execFile } from "node:child_process";
import { globSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { documentSources, storeDocument, storedFile } from "../api/openapi/stored.ts";

/**
 * `npm run build -w client`: writes `src/generated` from the contract, then `dist` as JavaScript with types, and
 * packs it as `client.tgz`, which the API serves, as it does the document that the client is generated from. With
 * `--if-old` only where a source is newer.
 */

const run = promisify(execFile);
const folder = import.meta.dirname;
const root = join(folder, "..");
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
const dist = join(folder, "dist");
/** Written last. */
const tarball = join(folder, "client.tgz");

/** The sources of the client. */
const sources = [...documentSources, "client/{*.ts,*.json,README.md}", "client/src/*.ts"];

/** Builds the client; throws the compiler's output on failure. */
export async function build(): Promise<void> {
  const { generate } = await import("./generate.ts");
  await storeDocument(await generate(join(folder, "src", "generated")));
  rmSync(dist, { recursive: true, force: true });
  await run(process.execPath, [tsc, "--project", folder]).catch((error: { stdout: string }) => {
    rmSync(dist, { recursive: true, force: true });
    throw new Error(error.stdout);
  });
  await pack();
}

async function pack(): Promise<void> {
  // Beside its place, so that it can be renamed: a reader never finds half of it.
  const made = mkdtempSync(join(folder, "dist", "packed-"));
  try {
    const options = ["--workspace", "client", "--ignore-scripts", "--silent"];
    await run("npm", ["pack", ...options, "--pack-destination", made], { cwd: root });
    const [name = ""] = globSync("*.tgz", { cwd: made });
    renameSync(join(made, name), tarball);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** Builds the client if a source is newer than the last build. */
export async function buildIfOld(): Promise<void> {
  const times = [tarball, storedFile].map(
    (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  const builtAt = Math.min(...times);
  const changed = globSync(sources, { cwd: root }).some(
    (file) => statSync(join(root, file)).mtimeMs > builtAt,
  );
  if (changed) await build();
}

if (import.meta.main) await (process.argv.includes("--if-old") ? buildIfOld() : build());
