import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A benchmark process that has printed its first line. */
export interface Part {
  /** The first line of output: an address, or a sign that the process is ready. */
  line: string;
  child: ChildProcess;
  /**
   * Bytes in use on the heap and outside it after a full collection; only for scripts that answer
   * SIGHUP.
   */
  bytesInUse(): Promise<number>;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
// An interrupted benchmark leaves no other owner to end these processes.
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * Starts a script beside this file on the project's own Node as `npm start` and the image do: with
 * the same options, and in its own session, because the kernel shares processors between sessions.
 */
export async function start(script: string, env: Record<string, string>): Promise<Part> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, ["--expose-gc", path], {
    env: { PATH: process.env["PATH"], NODE_OPTIONS: "--v8-pool-size=1", ...env },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([
    once(lines, "line"),
    once(child, "exit").then(() => Promise.reject(new Error(`${script} ended`))),
  ])) as [string];
  return {
    line,
    child,
    async bytesInUse() {
      const answer = once(lines, "line");
      child.kill("SIGHUP");
      return Number((await answer)[0]);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}

interface Times {
  parent: number;
  /** Start time; together with the id it identifies a process for good. */
  start: number;
  own: number;
  /** Time of its children that have ended and been waited for. */
  ended: number;
}

/** User and system time of a process and of its children that have ended, in milliseconds (Linux). */
function times(pid: number): Times | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    // The kernel counts in ticks of 10 ms.
    const ticks = (at: number) => ((fields[at] as number) + (fields[at + 1] as number)) * 10;
    return {
      parent: fields[1] as number,
      start: fields[19] as number,
      own: ticks(11),
      ended: ticks(13),
    };
  } catch {
    return undefined;
  }
}

/** Processor time of a process so far in milliseconds (Linux), or undefined elsewhere. */
export const cpuMs = (pid: number): number | undefined => times(pid)?.own;

const lookEveryMs = 500;

/**
 * Processor time of all descendants of a process (Linux). When a browser exits, its renderers'
 * parents are orphaned and no process inherits their times, so their last known times stay counted.
 */
export function cpuBelow(root: number): { ms(): number; stop(): void } {
  let known = new Map<number, Times>();
  let orphaned = 0;

  function readTree(): number {
    const all = new Map<number, Times>();
    for (const name of readdirSync("/proc")) {
      const found = /^\d+$/.test(name) ? times(Number(name)) : undefined;
      if (found) all.set(Number(name), found);
    }
    const tree = new Set([root]);
    for (const [pid, { start }] of known) if (all.get(pid)?.start === start) tree.add(pid);
    for (let before = 0; before < tree.size;) {
      before = tree.size;
      for (const [pid, { parent }] of all) if (tree.has(parent)) tree.add(pid);
    }
    for (const [pid, { start, parent, own, ended }] of known) {
      const isGone = all.get(pid)?.start !== start;
      if (isGone && !tree.has(parent)) orphaned += own + ended;
    }
    known = new Map([...all].filter(([pid]) => tree.has(pid)));
    const below = [...known].map(([pid, { own, ended }]) => ended + (pid === root ? 0 : own));
    return orphaned + below.reduce((sum, ms) => sum + ms, 0);
  }

  const timer = setInterval(readTree, lookEveryMs).unref();
  return { ms: readTree, stop: () => clearInterval(timer) };
}
