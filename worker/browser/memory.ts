import { execFile } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { promisify } from "node:util";

export interface ProcessMemory {
  pid: number;
  parent: number;
  /** Bytes that belong to this process: anonymous and shared memory, not mapped files. */
  bytes: number;
}

const run = promisify(execFile);

/** The process `root` and all its descendants. */
export async function processTree(root: number): Promise<ProcessMemory[]> {
  const all = process.platform === "linux" ? fromProc() : await fromPs();
  const children = Map.groupBy(all, (entry) => entry.parent);
  const tree = all.filter((entry) => entry.pid === root);
  for (const entry of tree) tree.push(...(children.get(entry.pid) ?? []));
  return tree;
}

/** Read at once: these files are no disk's, and a turn of the loop for each takes four times the processor time. */
function fromProc(): ProcessMemory[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    let status: string;
    try {
      status = readFileSync(`/proc/${pid}/status`, "latin1");
    } catch {
      // It has just ended.
      return [];
    }
    const field = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
    const bytes = (field("RssAnon") + field("RssShmem")) * 1024;
    return [{ pid: Number(pid), parent: field("PPid"), bytes }];
  });
}

async function fromPs(): Promise<ProcessMemory[]> {
  const { stdout } = await run("ps", ["-axo", "pid=,ppid=,rss="]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([pid = 0, parent = 0, rss = 0]) => ({ pid, parent, bytes: rss * 1024 }));
}

export const memoryLimits = { rendererBytes: 1_000_000_000, treeBytes: 3_000_000_000 };

/**
 * Processes to end: every one above the renderer limit, and the largest ones until the tree fits.
 * The main process (first of `tree`) is never among them.
 */
export function overMemory(
  tree: readonly ProcessMemory[],
  limits: typeof memoryLimits = memoryLimits,
): number[] {
  const [main, ...others] = tree;
  const byDescendingSize = others.toSorted((a, b) => b.bytes - a.bytes);
  let total = (main?.bytes ?? 0) + others.reduce((sum, entry) => sum + entry.bytes, 0);
  const ended: number[] = [];
  for (const entry of byDescendingSize) {
    if (entry.bytes <= limits.rendererBytes && total <= limits.treeBytes) break;
    ended.push(entry.pid);
    total -= entry.bytes;
  }
  return ended;
}

const watchEveryMs = 1000;

/** Ends what is over its limit in the trees below `roots`, once a second. */
export function watchMemory(
  roots: () => readonly number[],
  log?: (level: "warn" | "error", message: string, fields: Record<string, unknown>) => void,
): { residentBytes(): number; stop(): void } {
  let residentBytes = 0;
  const look = async () => {
    let total = 0;
    for (const root of roots()) {
      const tree = await processTree(root);
      total += tree.reduce((sum, entry) => sum + entry.bytes, 0);
      for (const victim of overMemory(tree)) {
        log?.("warn", "renderer over its memory limit ended", { pid: victim });
        try {
          process.kill(victim, "SIGKILL");
        } catch {
          // It ended by itself.
        }
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
