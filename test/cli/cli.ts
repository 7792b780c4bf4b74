import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileCache } from "../process.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export const pepper = "pepper-of-the-command-line-tests-0000";

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the command line in its own process, with nothing of this environment but the path. */
export function cli(args: string[], env: Record<string, string> = {}): Promise<Ran> {
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      ["cli/main.ts", ...args],
      {
        cwd: root,
        env: {
          PATH: process.env["PATH"],
          NODE_COMPILE_CACHE: compileCache,
          DATA_DIR: join(tmpdir(), "gateway-of-nobody"),
          ...env,
        },
      },
      (_error, stdout, stderr) => done({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

/** With `--json`; throws unless standard output is one JSON document. */
export async function cliJson<T>(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; json: T }> {
  const { code, stdout, stderr } = await cli([...args, "--json"], env);
  if (stderr !== "") throw new Error(`it wrote to standard error: ${stderr}`);
  return { code, json: JSON.parse(stdout) as T };
}

export interface Fault {
  error: { type: string; message: string };
}
