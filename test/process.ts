import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { full } from "./faults/full.ts";

/** A running process of the gateway with its output. */
export interface Process {
  child: ChildProcess;
  /** All output to standard output and error so far. */
  log(): string;
  /** Resolves with the exit code, or the signal's name. */
  ended: Promise<number | string>;
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Pieces of work that held the event loop too long, as its guard has reported them. */
  held(): { operation: string; ms: number }[];
  /** True once it has exited, or was killed. */
  isOver(): boolean;
  /** Violations of any process's duties: an unasked or bad exit, or a logged bug. */
  complaints(): string[];
}

const root = fileURLToPath(new URL("..", import.meta.url));
/** The cache of `npm start`, because a test run starts hundreds of processes. */
export const compileCache = join(root, "node_modules", ".cache", "compile");
/**
 * Milliseconds of processor time that a piece of work may hold the event loop. A virtual machine counts time in
 * which its host runs others, too: beside other test files a gateway without a request has reported 100.
 */
const mostHeldMs = full ? 50 : 400;
const signs = [
  "MaxListenersExceededWarning",
  "unhandledRejection",
  "UnhandledPromise",
  "uncaughtException",
];

/**
 * Room for what a process makes while it starts, in megabytes, so that it collects no garbage meanwhile: a fifth of
 * the processor time of loading the contract, handlers and API.
 */
const youngGeneration = ["--min-semi-space-size=64", "--max-semi-space-size=64"];

/**
 * Runs a script of the project; `args` go to Node, `words` to the script, and `env` is its whole environment. It
 * reads `input` from standard input, or nothing.
 */
export function startProcess(
  script: string,
  env: Record<string, string | undefined>,
  args: readonly string[] = [],
  { words = [], input }: { words?: readonly string[]; input?: string | undefined } = {},
): Process {
  const child = spawn(process.execPath, [...youngGeneration, ...args, script, ...words], {
    cwd: root,
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCache, ...env },
  }) as ChildProcessByStdio<Writable | null, Readable, Readable>;
  // A process that ends before it has read everything closes the pipe.
  child.stdin?.on("error", () => undefined).end(input);
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
    isOver: () => end() !== null,
    ended,
    async kill(signal = "SIGKILL") {
      if (end() !== null) return;
      // A stopped process receives only these two signals.
      if (signal !== "SIGKILL") child.kill("SIGCONT");
      child.kill(signal);
      await ended;
    },
    held: () =>
      [...log.matchAll(/^\{.*held the event loop"\}$/gm)]
        .map(([line]) => JSON.parse(line) as { operation: string; ms: number })
        .filter(({ ms }) => ms >= mostHeldMs),
    complaints() {
      const found = signs
        .filter((sign) => log.includes(sign))
        .map((sign) => `${sign} in the log of ${script}`);
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
