import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A process of the benchmark that has printed its first line. */
export interface Part {
  /** The first line it printed: an address, or that it works. */
  line: string;
  child: ChildProcess;
  /** Bytes in use on the heap and beside it after a full collection; for scripts that answer SIGHUP. */
  bytesInUse(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a script beside this file on the project's own Node. */
export async function start(script: string, env: Record<string, string>): Promise<Part> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, ["--expose-gc", path], {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
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

/** User and system time of a process and of its children that have ended, in milliseconds (Linux). */
function times(pid: number): { parent: number; own: number; ended: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    // In ticks of 10 ms.
    const ticks = (at: number) => ((fields[at] as number) + (fields[at + 1] as number)) * 10;
    return { parent: fields[1] as number, own: ticks(11), ended: ticks(13) };
  } catch {
    return undefined;
  }
}

/** Processor time of a process so far in milliseconds (Linux), or undefined elsewhere. */
export const cpuMs = (pid: number): number | undefined => times(pid)?.own;

/** That of everything below a process, those that have ended included. */
export function cpuMsBelow(root: number): number {
  const names = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const all = names.map((name) => ({ pid: Number(name), ...times(Number(name)) }));
  const tree = new Set([root]);
  for (let before = 0; before < tree.size;) {
    before = tree.size;
    for (const { pid, parent } of all) if (parent !== undefined && tree.has(parent)) tree.add(pid);
  }
  let sum = 0;
  for (const { pid, own = 0, ended = 0 } of all) {
    if (tree.has(pid)) sum += ended + (pid === root ? 0 : own);
  }
  return sum;
}
