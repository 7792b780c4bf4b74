import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
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

/** Nothing of this environment but the path. */
const environment = (env: Record<string, string>) => ({
  PATH: process.env["PATH"] ?? "",
  NODE_COMPILE_CACHE: compileCache,
  DATA_DIR: join(tmpdir(), "gateway-of-nobody"),
  ...env,
});

/** Runs the command line in a process of its own: also a test that the process ends with the command. */
export function cliProcess(args: string[], env: Record<string, string> = {}): Promise<Ran> {
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      ["cli/main.ts", ...args],
      { cwd: root, env: environment(env) },
      (_error, stdout, stderr) => done({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

let host: ChildProcess | undefined;
let isBusy = false;

function startHost(): ChildProcess {
  const started = fork(join(root, "test/cli/host.ts"), {
    cwd: root,
    env: environment({}),
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  started.unref();
  started.channel?.unref();
  return started;
}

/** Runs the command line in a process that several commands share; beside another command, in its own. */
export async function cli(args: string[], env: Record<string, string> = {}): Promise<Ran> {
  if (isBusy) return cliProcess(args, env);
  isBusy = true;
  const over = new AbortController();
  try {
    host ??= startHost();
    const { signal } = over;
    const answer = once(host, "message", { signal });
    const end = once(host, "exit", { signal }).then(([code]) => {
      throw new Error(`the command line ended its process (${code}): ${args.join(" ")}`);
    });
    host.channel?.ref();
    host.send({ args, env: environment(env) });
    const [ran] = (await Promise.race([answer, end])) as [Ran];
    end.catch(() => undefined);
    return ran;
  } finally {
    host?.channel?.unref();
    over.abort();
    isBusy = false;
  }
}

/** With `--json`; throws unless standard output is one JSON document. */
export async function cliJson<T>(
  args: string[],
  env: Record<string, string> = {},
  run = cli,
): Promise<{ code: number; json: T }> {
  const { code, stdout, stderr } = await run([...args, "--json"], env);
  if (stderr !== "") throw new Error(`it wrote to standard error: ${stderr}`);
  return { code, json: JSON.parse(stdout) as T };
}

export interface Fault {
  error: { type: string; message: string };
}
