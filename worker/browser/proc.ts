import { readFileSync, readdirSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";

// What Linux tells of processes. Read at once, not in turn with other work: these are files without a disk, and
// whoever asks does so because processors are short.

export function read(path: string): string | undefined {
  try {
    // Of this encoding Node reads a file of unknown length without a buffer for it: half the time.
    return readFileSync(path, "utf8");
  } catch {
    // It has ended.
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

function childrenOf(pid: number, by: readonly string[] = threadsOf(pid)): number[] {
  return by.flatMap((thread) =>
    (read(`/proc/${pid}/task/${thread}/children`) ?? "").split(" ").filter(Boolean).map(Number),
  );
}

/** A browser's process by its part in it: "renderer", "zygote", "gpu-process"; undefined for the main one. */
export function typeOf(pid: number): string | undefined {
  return /--type=([a-z-]+)/.exec(read(`/proc/${pid}/cmdline`) ?? "")?.[1];
}

/** Steps behind the browser's own processes, which serve every page. */
const rendererNice = 5;

/**
 * Finds the renderers of browsers by their main processes; what starts them is looked for only once, and what
 * it starts from then on comes after the browser's own processes. A renderer that is just starting is a copy of
 * what started it and has its name.
 */
export function rendererFinder(): (mains: readonly number[]) => number[] {
  const zygotes = new Map<number, number[]>();
  const renderers = new Set<number>();
  const below = (parent: number): number[] =>
    childrenOf(parent)
      .filter((pid) => typeOf(pid) === "zygote")
      .flatMap((pid) => [pid, ...below(pid)]);
  return (mains) => {
    for (const main of zygotes.keys()) if (!mains.includes(main)) zygotes.delete(main);
    const found = mains.flatMap((main) => {
      const isFirst = !zygotes.has(main);
      const known = (zygotes.get(main) ?? below(main)).filter((pid) => typeOf(pid) === "zygote");
      if (known.length > 0) zygotes.set(main, known);
      if (isFirst) for (const pid of known) lowerPriority(threadsOf(pid), rendererNice);
      // It has one thread, as a process must to be copied.
      const started = known.flatMap((zygote) => childrenOf(zygote, [String(zygote)]));
      return started.filter((pid) => !known.includes(pid));
    });
    for (const pid of renderers) if (!found.includes(pid)) renderers.delete(pid);
    for (const pid of found) {
      if (!renderers.has(pid) && typeOf(pid) === "renderer") renderers.add(pid);
    }
    return [...renderers];
  };
}

export interface Usage {
  /** Time of its start as the kernel counts it: with the id it names a process for good. */
  start: string;
  processorMs: number;
  threads: number;
  /** Times that it was given a page of memory, so far. */
  pageFaults: number;
}

/** Hundredths of a second, whatever the kernel's own clock is. */
const msPerTick = 10;

export function usageOf(pid: number): Usage | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The second field is a name that may hold anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    pageFaults: Number(fields[7]),
    processorMs: (Number(fields[11]) + Number(fields[12])) * msPerTick,
    threads: Number(fields[17]),
    start: fields[19] ?? "",
  };
}

/** How long the first thread has run, and how long it could have run; undefined where kernels do not count. */
export function mainThreadOf(pid: number): { ranMs: number; waitedMs: number } | undefined {
  const [ran = 0, waited = 0] = (read(`/proc/${pid}/schedstat`) ?? "").split(" ").map(Number);
  return ran > 0 ? { ranMs: ran / 1e6, waitedMs: waited / 1e6 } : undefined;
}

export interface RunState {
  ranMs: number;
  /** How long the first thread could have run while others did. */
  waitedMs: number;
  /** Whether the first thread runs or waits for a processor. */
  isRunnable: boolean;
}

/** What the first thread does; undefined where kernels do not tell. */
export function runStateOf(pid: number): RunState | undefined {
  const times = mainThreadOf(pid);
  const stat = read(`/proc/${pid}/stat`);
  return times && stat ? { ...times, isRunnable: stateIn(stat) === "R" } : undefined;
}

/** The state, as one letter, in the text of a `stat` file; the name before it may hold anything. */
const stateIn = (stat: string): string | undefined => stat[stat.lastIndexOf(")") + 2];

/** Processors that this process may run on, which may be more than it may use all the time. */
export function allowedProcessors(): number {
  const list = /^Cpus_allowed_list:\s*(.+)$/m.exec(read("/proc/self/status") ?? "")?.[1] ?? "";
  return list.split(",").reduce((sum, range) => {
    const [first = Number.NaN, last = first] = range.split("-").map(Number);
    return sum + (last - first + 1 || 0);
  }, 0);
}

/** Threads that run or could run. */
export function runnableThreads(pid: number): number {
  return threadsOf(pid).filter((thread) => {
    const stat = read(`/proc/${pid}/task/${thread}/stat`) ?? "";
    return stateIn(stat) === "R";
  }).length;
}

/** Threads that run scripts of their own: dedicated, shared and service workers. */
export function workerThreads(pid: number): string[] {
  return threadsOf(pid).filter((thread) =>
    /^(Dedicated|Shared|Service)Worker/.test(read(`/proc/${pid}/task/${thread}/comm`) ?? ""),
  );
}

/**
 * Of these threads, and of those they start: so many steps behind the browser's own processes, which have the
 * worker's niceness. It cannot be raised again.
 */
export function lowerPriority(threads: readonly string[], steps: number): void {
  const nice = Math.min(constants.priority.PRIORITY_LOW, getPriority() + steps);
  for (const thread of threads) {
    try {
      setPriority(Number(thread), nice);
    } catch {
      // It has ended, or is another user's.
    }
  }
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
