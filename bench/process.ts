import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
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

/** Processor time of a process so far in milliseconds (Linux), or undefined elsewhere. */
export function cpuMs(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // User and system time in ticks of 10 ms.
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return undefined;
  }
}
