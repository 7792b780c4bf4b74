import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./imports.ts";
import { compileCache } from "./process.ts";

/** Processes that refuse this environment once they have loaded their modules, and what they load later. */
const scripts = [
  ["api/main.ts"],
  ["worker/main.ts"],
  ["dashboards/main.ts"],
  ["--eval", 'import("./worker/areas/browser/handlers.ts"); import("./worker/webhooks/pool.ts");'],
];
const refused = { WORKER_SLOTS: "none" };

/**
 * Fills the compile cache of a new clone: a process writes what it has compiled at its end, and tests kill most
 * processes. Each start without the cache takes another second of processor time.
 */
export async function fillCompileCache(): Promise<void> {
  const filled = join(compileCache, "filled");
  if (existsSync(filled)) return;
  const env = { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCache, ...refused };
  await Promise.all(
    scripts.map(
      (words) =>
        new Promise<void>((done) => {
          execFile(process.execPath, words, { cwd: root, env }, () => done());
        }),
    ),
  );
  if (existsSync(compileCache)) writeFileSync(filled, "");
}
