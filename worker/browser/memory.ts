import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { promisify } from "node:util";
import { steadyNow } from "../../contract/steady.ts";
import { read, signal, typeOf, usageOf } from "./proc.ts";

export interface ProcessMemory {
  pid: number;
  parent: number;
  /** Bytes that belong to this process: anonymous and shared memory, not mapped files. */
  bytes: number;
}

const run = promisify(execFile);

/**
 * The process `root` and all its descendants. Of processes that `parents` names from the look before, only those
 * of the tree are looked at: a machine may have many others.
 */
export async function processTree(
  root: number,
  parents: Map<number, number> = new Map(),
): Promise<ProcessMemory[]> {
  if (process.platform !== "linux") return treeOf(root, await fromPs());
  renewParents(parents);
  const all = [...parents].map(([pid, parent]) => ({ pid, parent }));
  return treeOf(root, all).flatMap(({ pid }) => statusOf(pid) ?? []);
}

function treeOf<Entry extends { pid: number; parent: number }>(
  root: number,
  all: readonly Entry[],
): Entry[] {
  const children = Map.groupBy(all, (entry) => entry.parent);
  const tree = all.filter((entry) => entry.pid === root);
  for (const entry of tree) tree.push(...(children.get(entry.pid) ?? []));
  return tree;
}

/** A process has another parent only when its own has ended. */
function renewParents(parents: Map<number, number>): void {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const alive = new Set(pids.map(Number));
  for (const pid of parents.keys()) if (!alive.has(pid)) parents.delete(pid);
  for (const pid of alive) {
    const parent = parents.get(pid);
    if (parent !== undefined && (parent === 0 || alive.has(parent))) continue;
    const status = statusOf(pid);
    if (status) parents.set(pid, status.parent);
  }
}

/** Read at once: these files are no disk's, and a turn of the loop for each takes four times the processor time. */
function statusOf(pid: number): ProcessMemory | undefined {
  const status = read(`/proc/${pid}/status`);
  if (status === undefined) return undefined;
  const field = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
  const bytes = (field("RssAnon") + field("RssShmem")) * 1024;
  return { pid, parent: field("PPid"), bytes };
}

async function fromPs(): Promise<ProcessMemory[]> {
  const { stdout } = await run("ps", ["-axo", "pid=,ppid=,rss="]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([pid = 0, parent = 0, rss = 0]) => ({ pid, parent, bytes: rss * 1024 }));
}

export const memoryLimits = {
  rendererBytes: 1_000_000_000,
  /** Of the browser's own processes together: what pages have them keep, such as Blobs, lies there. */
  sharedBytes: 1_000_000_000,
  treeBytes: 3_000_000_000,
};

/** A browser's process, with what tells whose memory the browser keeps. */
export interface BrowserProcess extends ProcessMemory {
  isRenderer: boolean;
  /** Pages of memory it was ever given: who has the browser keep bytes makes them first. */
  pageFaults: number;
}

/** Fewer are those of a usual page. */
const fewPageFaults = 50_000;

/**
 * What to end, one at a time, as the next look may find it enough: the largest renderer where renderers are
 * large, the one that made most where the browser's own processes are. "browser" when nobody's page did it.
 */
export function overMemory(
  tree: readonly BrowserProcess[],
  limits: typeof memoryLimits = memoryLimits,
): number | "browser" | undefined {
  const renderers = tree.filter(({ isRenderer }) => isRenderer);
  const sum = (of: readonly BrowserProcess[]) => of.reduce((total, { bytes }) => total + bytes, 0);
  const most = (of: "bytes" | "pageFaults") =>
    renderers.reduce<BrowserProcess | undefined>(
      (first, one) => (first && first[of] >= one[of] ? first : one),
      undefined,
    );
  const largest = most("bytes");
  if (largest && largest.bytes > limits.rendererBytes) return largest.pid;
  const shared = sum(tree) - sum(renderers);
  if (shared > limits.sharedBytes) {
    const maker = most("pageFaults");
    return maker && maker.pageFaults > fewPageFaults ? maker.pid : "browser";
  }
  return sum(tree) > limits.treeBytes ? largest?.pid : undefined;
}

const watchEveryMs = 1000;
const restMs = 1500;

export interface MemoryWatchOptions {
  /** Main processes of the browsers. */
  roots: () => readonly number[];
  /** A browser whose own processes are too large, and no page to blame. */
  worn: (main: number) => void;
  log?: (level: "warn" | "error", message: string, fields: Record<string, unknown>) => void;
}

/** Ends what is over its limit in the trees below `roots`, once a second. */
export function watchMemory({ roots, worn, log }: MemoryWatchOptions): {
  residentBytes(): number;
  stop(): void;
} {
  let residentBytes = 0;
  /** What a page made is gone only when its context is. */
  const restUntil = new Map<number, number>();
  const parents = new Map<number, number>();
  const look = async () => {
    let total = 0;
    const mains = roots();
    for (const main of restUntil.keys()) if (!mains.includes(main)) restUntil.delete(main);
    for (const main of mains) {
      const tree = await processTree(main, parents);
      total += tree.reduce((sum, entry) => sum + entry.bytes, 0);
      const victim = overMemory(tree.map((entry) => partIn(main, entry)));
      if (victim === undefined || (restUntil.get(main) ?? 0) > steadyNow()) continue;
      restUntil.set(main, steadyNow() + restMs);
      if (victim === "browser") worn(main);
      else {
        log?.("warn", "renderer over its memory limit ended", { pid: victim });
        signal(victim, "SIGKILL");
      }
    }
    residentBytes = total;
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => log?.("error", "memory watchdog", { error: String(error) }));
  }, watchEveryMs);
  timer.unref();
  return { residentBytes: () => residentBytes, stop: () => clearInterval(timer) };
}

function partIn(main: number, entry: ProcessMemory): BrowserProcess {
  const { pid } = entry;
  // Elsewhere a process does not tell what it is.
  const tells = process.platform === "linux";
  return {
    ...entry,
    isRenderer: pid !== main && (!tells || typeOf(pid) === "renderer"),
    // Asked for only where the browser keeps too much.
    get pageFaults() {
      return (tells && usageOf(pid)?.pageFaults) || 0;
    },
  };
}
