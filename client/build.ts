import { execFile } from "node:child_process";
import { globSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** `npm run build -w client`: writes `src/generated` from the contract, then `dist` as JavaScript with types. */

const run = promisify(execFile);
const folder = import.meta.dirname;
const root = join(folder, "..");
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
const dist = join(folder, "dist");
/** The compiler writes this file last. */
const stamp = join(dist, "index.d.ts");

/** The sources of the client. */
const sources = [
  "contract/**/*.ts",
  "api/openapi/**/*.ts",
  "client/{*.ts,*.json}",
  "client/src/*.ts",
];

/** Builds the client; throws the compiler's output on failure. */
export async function build(): Promise<void> {
  const { generate } = await import("./generate.ts");
  await generate(join(folder, "src", "generated"));
  rmSync(dist, { recursive: true, force: true });
  await run(process.execPath, [tsc, "--project", folder]).catch((error: { stdout: string }) => {
    rmSync(dist, { recursive: true, force: true });
    throw new Error(error.stdout);
  });
}

/** Builds the client if a source is newer than the last build. */
export async function buildIfOld(): Promise<void> {
  const builtAt = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const changed = globSync(sources, { cwd: root }).some(
    (file) => statSync(join(root, file)).mtimeMs > builtAt,
  );
  if (changed) await build();
}

if (import.meta.main) await build();
