import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A running process of the gateway with its output. */
export interface Process {
  child: ChildProcess;
  /** All output to standard output and error so far. */
  log(): string;
  /** Resolves with the exit code, or the signal's name. */
  ended: Promise<number | string>;
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Reports of the guard of the event loop. */
  held(): string[];
  /** Violations of any process's duties: an unasked or bad exit, or a logged bug. */
  complaints(): string[];
}

const root = fileURLToPath(new URL("..", import.meta.url));
/** The cache of `npm start`, because a test run starts hundreds of processes. */
export const compileCache = join(root, "node_modules", ".cache", "compile");
/** The guard of the event loop reports a piece of work of 50 ms of processor time. */
const heldSign = "held the event loop";
const signs = [
  "MaxListenersExceededWarning",
  "unhandledRejection",
  "UnhandledPromise",
  "uncaughtException",
  heldSign,
];

const lineWith = (log: string, sign: string) => log.split("\n").find((line) => line.includes(sign));

/** Runs a script of the project; `args` go to Node, and `env` is its whole environment. */
export function startProcess(
  script: string,
  env: Record<string, string | undefined>,
  args: readonly string[] = [],
): Process {
  const child = spawn(process.execPath, [...args, script], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCache, ...env },
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (log += text));
  }
  const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string);

  const sentSignals = new Set<NodeJS.Signals | number>();
  const send = child.kill.bind(child);
  child.kill = (signal = "SIGTERM") => {
    if (signal !== "SIGSTOP" && signal !== "SIGCONT") sentSignals.add(signal);
    return send(signal);
  };
  // A process with a fault point kills itself.
  if (env["FAULT_POINT"] !== undefined) sentSignals.add("SIGKILL");

  const end = () => child.exitCode ?? child.signalCode;
  return {
    child,
    log: () => log,
    ended,
    async kill(signal = "SIGKILL") {
      if (end() !== null) return;
      // A stopped process receives only these two signals.
      if (signal !== "SIGKILL") child.kill("SIGCONT");
      child.kill(signal);
      await ended;
    },
    held: () => log.split("\n").filter((line) => line.includes(heldSign)),
    complaints() {
      const found = signs
        .filter((sign) => log.includes(sign))
        .map((sign) => `${sign} in the log of ${script}: ${lineWith(log, sign)}`);
      if (end() !== null && sentSignals.size === 0) {
        found.push(`${script} exited unasked (${end()}): ${log.slice(-2000)}`);
      }
      if (child.exitCode !== null && child.exitCode !== 0 && !sentSignals.has("SIGKILL")) {
        found.push(`${script} ended with ${child.exitCode}: ${log.slice(-2000)}`);
      }
      return found;
    },
  };
}
