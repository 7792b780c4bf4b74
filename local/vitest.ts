import { spawn } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules", ".bin", "vitest");

/** Runs Vitest in the foreground and takes over its exit code. */
export function runVitest(args: readonly string[], env: NodeJS.ProcessEnv): void {
  const child = spawn(vitest, ["run", ...args], { cwd: root, stdio: "inherit", env });
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      // A terminal's SIGINT reaches the whole process group, so Vitest gets it already and stops its services.
      if (signal === "SIGTERM" || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.once("error", () => (process.exitCode = 1));
  child.once("close", (code) => (process.exitCode = code ?? 1));
}
