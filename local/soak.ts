import { spawn } from "node:child_process";
import { join, resolve } from "node:path";

/**
 * `npm run soak [-- <seconds>] [--json <file>]`: mixed traffic with a fault every 30 s, 20 minutes
 * when nothing else is said (SOAK_SECONDS does the same as the argument). `npm test` runs a short form.
 */

const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules", ".bin", "vitest");
const usualSeconds = 1200;

const words = process.argv.slice(2);
const flag = words.indexOf("--json");
const file = flag >= 0 ? words.splice(flag, 2)[1] : process.env["SOAK_JSON"];
const seconds = Number(words[0] ?? process.env["SOAK_SECONDS"] ?? usualSeconds);

if (
  words.length > 1 ||
  (flag >= 0 && file === undefined) ||
  !(seconds >= 20 && seconds <= 86_400)
) {
  process.stderr.write("usage: npm run soak [-- <seconds, 20 to 86400>] [--json <file>]\n");
  process.exit(2);
}

const child = spawn(vitest, ["run", "--project", "system", "test/soak/soak.test.ts"], {
  cwd: root,
  stdio: "inherit",
  env: {
    ...process.env,
    SOAK_SECONDS: String(seconds),
    ...(file === undefined ? {} : { SOAK_JSON: resolve(file) }),
  },
});
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    // A terminal tells the whole group; vitest then takes its services down and ends.
    if (signal === "SIGTERM" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.once("error", () => (process.exitCode = 1));
child.once("close", (code) => (process.exitCode = code ?? 1));
