import { runCommand } from "../../cli/command.ts";
import type { Ran } from "./cli.ts";

/** Runs commands one after another in one process: most of a command's time is the start of its process. */

let written: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] };
for (const name of ["stdout", "stderr"] as const) {
  process[name].write = (chunk: string | Uint8Array) => {
    written[name].push(Buffer.from(chunk as string));
    return true;
  };
}

async function run(args: string[], env: Record<string, string>): Promise<Ran> {
  written = { stdout: [], stderr: [] };
  process.env = env;
  process.exitCode = undefined;
  await runCommand(args);
  const { stdout, stderr } = written;
  return {
    code: Number(process.exitCode ?? 0),
    stdout: Buffer.concat(stdout).toString(),
    stderr: Buffer.concat(stderr).toString(),
  };
}

process.on("message", ({ args, env }: { args: string[]; env: Record<string, string> }) => {
  void run(args, env).then((ran) => process.send?.(ran));
});
// The test's process has ended.
process.on("disconnect", () => process.exit(0));
