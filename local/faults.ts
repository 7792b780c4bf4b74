import { spawn } from "node:child_process";
import { join } from "node:path";

/**
 * `npm run test:faults`: every test of a fault, at full length. `npm test` runs the same files, some
 * of them shorter. Arguments choose among the files; a setting that is given already is kept.
 */

const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules", ".bin", "vitest");

const files = [
  "test/faults",
  "test/db/bank.test.ts",
  "test/db/patch-driver.test.ts",
  "test/worker/transport.test.ts",
  "test/worker/transport-faults.test.ts",
  "test/worker/browser",
];

const fullLength = {
  FULL_FAULTS: "true",
  BANK_SECONDS: "60",
  MONEY_SECONDS: "90",
  MEMORY_CALLS: "10000",
  MEMORY_SCREENSHOTS: "500",
  MEMORY_WAITS: "true",
};

const chosen = process.argv.slice(2);
// One file at a time: bounds on time are those of a machine that does nothing else.
const args = ["run", "--no-file-parallelism", ...(chosen.length > 0 ? chosen : files)];
const child = spawn(vitest, args, {
  cwd: root,
  stdio: "inherit",
  env: { ...fullLength, ...process.env },
});
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    // A terminal tells the whole group; vitest then takes its services down and ends.
    if (signal === "SIGTERM" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.once("error", () => (process.exitCode = 1));
child.once("close", (code) => (process.exitCode = code ?? 1));
