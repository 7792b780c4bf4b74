import { execFile, execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import * as fs from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A process that another program can find again; the start time distinguishes it from a later process with its pid. */
export interface ProcessId {
  pid: number;
  started: string;
}

function startTime(pid: number): string | undefined {
  try {
    if (process.platform === "linux") {
      // The command in brackets may hold spaces; fields are counted after it.
      const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return fields[0] === "Z" ? undefined : fields[19];
    }
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
}

/** The identity of a pid; undefined when no such process runs. */
export function identify(pid: number): ProcessId | undefined {
  const started = startTime(pid);
  return started === undefined ? undefined : { pid, started };
}

export const isRunning = (id: ProcessId): boolean => startTime(id.pid) === id.started;

/** Sends `signal`, then SIGKILL after `graceMs`; returns when the process is gone. */
export async function endProcess(
  id: ProcessId,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<void> {
  const send = (name: NodeJS.Signals) => {
    try {
      if (isRunning(id)) process.kill(id.pid, name);
    } catch {
      // The process ended in the meantime.
    }
  };
  send(signal);
  const killAt = performance.now() + graceMs;
  while (isRunning(id)) {
    if (performance.now() > killAt) send("SIGKILL");
    await sleep(20);
  }
}

export interface Command {
  /** Program and arguments. */
  readonly argv: readonly [string, ...string[]];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string | undefined;
  /** The user to run as; only root may set it. */
  readonly user?: { uid: number; gid: number };
}

/**
 * Starts a command in a session of its own, so that a terminal's Ctrl-C reaches only the parent, which stops
 * the others in order. The output is appended to `logFile`.
 */
export function spawnDetached(command: Command, logFile: string): ChildProcess {
  const [program, ...args] = command.argv;
  const log = fs.openSync(logFile, "a", 0o600);
  try {
    return spawn(program, args, {
      detached: true,
      stdio: ["ignore", log, log],
      env: command.env ?? process.env,
      cwd: command.cwd,
      ...command.user,
    });
  } finally {
    fs.closeSync(log);
  }
}

export interface Result {
  ok: boolean;
  stdout: string;
  /** Standard output and standard error together, for people. */
  output: string;
}

/** Runs a command to its end; never throws. */
export function run(command: Command, timeoutMs = 60_000): Promise<Result> {
  const [program, ...args] = command.argv;
  return new Promise((done) => {
    execFile(
      program,
      args,
      {
        timeout: timeoutMs,
        killSignal: "SIGKILL",
        maxBuffer: 64 * 1024 * 1024,
        env: command.env ?? process.env,
        cwd: command.cwd,
        ...command.user,
      },
      (error, stdout, stderr) => {
        const reason = error && stderr === "" ? error.message : "";
        done({ ok: error === null, stdout, output: `${stdout}${stderr}${reason}`.trim() });
      },
    );
  });
}

/** Full path of the first of `names` found in PATH. */
export function findInPath(...names: string[]): string | undefined {
  for (const name of names) {
    for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
      if (folder === "") continue;
      const file = join(folder, name);
      try {
        fs.accessSync(file, fs.constants.X_OK);
        if (fs.statSync(file).isFile()) return file;
      } catch {
        // Not here.
      }
    }
  }
  return undefined;
}

export const isRoot = (): boolean => process.getuid?.() === 0;

let namespacePrefix: Promise<string[] | undefined> | undefined;

/**
 * A command prefix under which a program that refuses root runs as an ordinary user, while root keeps owning
 * its files. Undefined where the system refuses user namespaces.
 */
export function ordinaryUserPrefix(): Promise<string[] | undefined> {
  namespacePrefix ??= (async () => {
    const program = findInPath("unshare");
    if (program === undefined) return undefined;
    const prefix = [program, "--user", "--map-user=1000", "--map-group=1000"] as const;
    const { ok } = await run({ argv: [...prefix, "true"] }, 5000);
    return ok ? [...prefix] : undefined;
  })();
  return namespacePrefix;
}

export const isPortFree = async (port: number, host?: string): Promise<boolean> =>
  (await portFault(port, host)) === undefined;

/** The code of the error with which nothing can listen on a port, such as EADDRINUSE. */
export function portFault(port: number, host = "127.0.0.1"): Promise<string | undefined> {
  return new Promise((done) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => done(undefined)));
  });
}

/** A free port below the range for outgoing connections, so that it stays free. */
export async function freePort(host = "127.0.0.1"): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await isPortFree(port, host)) return port;
  }
}

/**
 * Copies a log above the limit to `<file>.1` and empties it: its process keeps the file open and appends. Lines that
 * arrive in between are lost.
 */
export async function rotateLog(file: string, limitBytes: number): Promise<void> {
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= limitBytes) return;
  await fs.promises.copyFile(file, `${file}.1`);
  fs.truncateSync(file);
}

/** The last lines of a log, for an error message; all of it if it was rotated since it had `from` bytes. */
export function tail(file: string, lines: number, from = 0): string {
  try {
    const bytes = fs.readFileSync(file);
    const text = bytes.subarray(from > bytes.length ? 0 : from).toString("utf8");
    return text.trimEnd().split("\n").slice(-lines).join("\n");
  } catch {
    return "";
  }
}
