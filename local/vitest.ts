import { spawn } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules", ".bin", "vitest");

/** The reporter cancels the run on it: Vitest stops its services then, which it does not on other signals. */
export const cancelSignal = "SIGUSR2";

/** Runs Vitest in the foreground and takes over its exit code; the function ends it early. */
export function runVitest(args: readonly string[], env: NodeJS.ProcessEnv): () => void {
  const child = spawn(vitest, ["run", ...args], { cwd: root, stdio: "inherit", env });
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      // A terminal's SIGINT reaches the whole process group, so Vitest gets it already and stops its services.
      if (signal === "SIGTERM" || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.once("error", () => (process.exitCode = 1));
  // A failure that has been told stays one.
  child.once("close", (code) => (process.exitCode ||= code ?? 1));
  return () => void child.kill(cancelSignal);
}
