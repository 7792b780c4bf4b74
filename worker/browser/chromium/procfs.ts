import { readFileSync, readdirSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";
import { OpenFiles } from "./open-files.ts";

// What Linux says about processes in /proc. All reads are synchronous: these files lie on no disk, and the callers
// ask because processors are short, when a turn of the event loop for each file would cost four times as much.

/** Two files of each page that looks follow, and of each browser. */
const openFiles = new OpenFiles(256);

export function read(path: string): string | undefined {
  try {
    // With this encoding Node reads a file of unknown length without a buffer for it, in half the time.
    return readFileSync(path, "utf8");
  } catch {
    // The process has ended.
    return undefined;
  }
}

export function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Children that these threads of a process have started. */
export function childrenOf(pid: number, threads: readonly string[] = threadsOf(pid)): number[] {
  return threads.flatMap((thread) =>
    (read(`/proc/${pid}/task/${thread}/children`) ?? "").split(" ").filter(Boolean).map(Number),
  );
}

/** The type of a browser's process: "renderer", "zygote", "gpu-process"; undefined for the main one. */
export function typeOf(pid: number): string | undefined {
  return /--type=([a-z-]+)/.exec(read(`/proc/${pid}/cmdline`) ?? "")?.[1];
}

export interface Usage {
  /** Start time as the kernel counts it; with the pid it names one process for good. */
  start: string;
  processorMs: number;
  threads: number;
  /** Whether the first thread runs or waits for a processor. */
  isRunnable: boolean;
  /** Times that the process was given a page of memory, so far. */
  pageFaults: number;
  /** Bytes in memory, mapped files included. */
  residentBytes: number;
}

/** The kernel reports hundredths of a second, whatever its own clock is. */
const msPerTick = 10;
/** A page of memory as most machines have it. */
const memoryPageBytes = 4096;

/** Where the third field of a `stat` file begins, the state; the name before it may hold anything. */
const stateAt = (stat: string): number => stat.lastIndexOf(")") + 2;

export function usageOf(pid: number): Usage | undefined {
  const stat = openFiles.read(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stateAt(stat)).split(" ");
  return {
    pageFaults: Number(fields[7]),
    processorMs: (Number(fields[11]) + Number(fields[12])) * msPerTick,
    threads: Number(fields[17]),
    isRunnable: fields[0] === "R",
    start: fields[19] ?? "",
    residentBytes: Number(fields[21]) * memoryPageBytes,
  };
}

export interface ThreadTime {
  ranMs: number;
  /** How long the thread could have run while others did. */
  waitedMs: number;
}

/** Times of the first thread of a process; undefined where the kernel does not count. */
export function mainThreadOf(pid: number): ThreadTime | undefined {
  const [ran = 0, waited = 0] = (openFiles.read(`/proc/${pid}/schedstat`) ?? "")
    .split(" ")
    .map(Number);
  return ran > 0 ? { ranMs: ran / 1e6, waitedMs: waited / 1e6 } : undefined;
}

export interface RunState extends ThreadTime {
  /** Whether the thread runs or waits for a processor. */
  isRunnable: boolean;
}

/** State of the first thread of a process; undefined where the kernel does not report it. */
export function runStateOf(pid: number): RunState | undefined {
  const times = mainThreadOf(pid);
  const stat = openFiles.read(`/proc/${pid}/stat`);
  return times && stat ? { ...times, isRunnable: stat[stateAt(stat)] === "R" } : undefined;
}

/** Threads that run or wait for a processor. */
export function runnableThreads(pid: number): number {
  return threadsOf(pid).filter((thread) => {
    const stat = read(`/proc/${pid}/task/${thread}/stat`) ?? "";
    return stat[stateAt(stat)] === "R";
  }).length;
}

/** Threads of dedicated, shared and service workers. */
export function workerThreads(pid: number): string[] {
  return threadsOf(pid).filter((thread) =>
    /^(Dedicated|Shared|Service)Worker/.test(read(`/proc/${pid}/task/${thread}/comm`) ?? ""),
  );
}

/** Processors that this process may run on; it may be entitled to less than all their time. */
export function allowedProcessors(): number {
  const list = /^Cpus_allowed_list:\s*(.+)$/m.exec(read("/proc/self/status") ?? "")?.[1] ?? "";
  return list.split(",").reduce((sum, range) => {
    const [first = Number.NaN, last = first] = range.split("-").map(Number);
    return sum + (last - first + 1 || 0);
  }, 0);
}

/**
 * Puts these threads, and those that they start, so many steps behind the browser's own processes, which have the
 * worker's niceness. A lowered priority cannot be raised again.
 */
export function lowerPriority(threads: readonly string[], steps: number): void {
  const nice = Math.min(constants.priority.PRIORITY_LOW, getPriority() + steps);
  for (const thread of threads) {
    try {
      setPriority(Number(thread), nice);
    } catch {
      // The thread has ended, or belongs to another user.
    }
  }
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended.
  }
}
