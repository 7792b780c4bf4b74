import { spawn } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules", ".bin", "vitest");

/** Runs Vitest in the foreground; this process ends as it does. */
export function runVitest(args: readonly string[], env: NodeJS.ProcessEnv): void {
  const child = spawn(vitest, ["run", ...args], { cwd: root, stdio: "inherit", env });
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      // A terminal tells the whole group; vitest then takes its services down and ends.
      if (signal === "SIGTERM" || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.once("error", () => (process.exitCode = 1));
  child.once("close", (code) => (process.exitCode = code ?? 1));
}
