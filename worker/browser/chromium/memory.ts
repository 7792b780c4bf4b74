import { monotonicNow } from "../../../runtime/monotonic.ts";
import { usableMemory } from "../../../runtime/usable-memory.ts";
import { processTree } from "./process-tree.ts";
import type { ProcessMemory } from "./process-tree.ts";
import { signal, typeOf, usageOf } from "./procfs.ts";

/** Share of the machine's or container's memory that all browsers together may take. */
const mostShare = 0.8;

export const memoryLimits = {
  rendererBytes: 1_000_000_000,
  /** Of the browser's own processes together: Blobs and other things that pages have it keep lie there. */
  sharedBytes: 1_000_000_000,
  /** Of one browser: three full pages, or as many as memory allows. */
  treeBytes: Math.max(3_000_000_000, mostShare * usableMemory()),
};

/** A browser's process, with what shows which page had the browser keep memory. */
export interface BrowserProcess extends ProcessMemory {
  isRenderer: boolean;
  /** Pages of memory the process was ever given: a page makes the bytes before the browser keeps them. */
  pageFaults: number;
}

/** An ordinary page has fewer. */
const fewPageFaults = 50_000;

/**
 * Chooses one process to end; the next check decides whether that was enough: the largest renderer if renderers
 * are large, the one with the most page faults if the browser's own processes are. "browser" when no page is to
 * blame.
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

/** The largest renderer of all trees while they take more than `mostBytes` together. */
export function overTogether(
  trees: readonly (readonly BrowserProcess[])[],
  mostBytes: number,
): BrowserProcess | undefined {
  const all = trees.flat();
  if (all.reduce((sum, { bytes }) => sum + bytes, 0) <= mostBytes) return undefined;
  return all.filter(({ isRenderer }) => isRenderer).toSorted((a, b) => b.bytes - a.bytes)[0];
}

const watchEveryMs = 1000;
/** Between two looks pages fill at most this share of what was left to them. */
const earlyShare = 0.1;
/** A page's memory is freed only with its context, so the same browser is left alone this long. */
const restMs = 1500;

export interface MemoryWatchOptions {
  /** Main processes of the browsers. */
  browserPids: () => readonly number[];
  /** Called for a browser whose own processes are too large with no page to blame. */
  onBrowserOver: (pid: number) => void;
  /** Called after each look with the processes that show pages. */
  onLook?: ((pages: readonly BrowserProcess[]) => void) | undefined;
  log?:
    | ((level: "warn" | "error", message: string, fields: Record<string, unknown>) => void)
    | undefined;
}

/** Ends what is over its memory limit in the process trees of browsers, once a second. */
export class MemoryWatch {
  readonly #options: MemoryWatchOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #restUntil = new Map<number, number>();
  readonly #parents = new Map<number, number>();
  #residentBytes = 0;
  #pageBytes = 0;
  /** Least of the bytes told since the last look. */
  #residentAt: number | undefined;
  #isLooking = false;

  constructor(options: MemoryWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.lookNow(), watchEveryMs).unref();
  }

  /** Looks early where the pages have grown, by this cheaper figure of all of them, by much of what was left to them. */
  noteResident(bytes: number, leftBytes: number): void {
    this.#residentAt = Math.min(bytes, this.#residentAt ?? bytes);
    if (bytes - this.#residentAt > earlyShare * Math.max(0, leftBytes)) this.lookNow();
  }

  /** Memory of all trees when last looked at. */
  residentBytes(): number {
    return this.#residentBytes;
  }

  /** Of it, memory of the processes that show pages. */
  pageBytes(): number {
    return this.#pageBytes;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  lookNow(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#look()
      .catch((error: unknown) => {
        this.#options.log?.("error", "memory watch failed", { error: String(error) });
      })
      .finally(() => {
        this.#isLooking = false;
      });
  }

  async #look(): Promise<void> {
    let total = 0;
    const pids = this.#options.browserPids();
    for (const pid of this.#restUntil.keys()) if (!pids.includes(pid)) this.#restUntil.delete(pid);
    const trees = new Map<number, BrowserProcess[]>();
    for (const pid of pids) {
      const tree = (await processTree(pid, this.#parents)).map((one) => browserProcess(pid, one));
      total += tree.reduce((sum, { bytes }) => sum + bytes, 0);
      trees.set(pid, tree);
      this.#end(pid, overMemory(tree));
    }
    this.#residentBytes = total;
    const renderers = [...trees.values()].flat().filter(({ isRenderer }) => isRenderer);
    this.#pageBytes = renderers.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#residentAt = undefined;
    this.#options.onLook?.(renderers);
    // A browser that rests has just freed memory, or is about to.
    if (this.#restUntil.values().some((until) => until > monotonicNow())) return;
    const largest = overTogether([...trees.values()], mostShare * usableMemory());
    for (const [pid, tree] of trees)
      if (largest && tree.includes(largest)) this.#end(pid, largest.pid);
  }

  #end(browserPid: number, victim: number | "browser" | undefined): void {
    if (victim === undefined || (this.#restUntil.get(browserPid) ?? 0) > monotonicNow()) return;
    this.#restUntil.set(browserPid, monotonicNow() + restMs);
    if (victim === "browser") {
      this.#options.onBrowserOver(browserPid);
      return;
    }
    this.#options.log?.("warn", "ended a renderer over its memory limit", { pid: victim });
    signal(victim, "SIGKILL");
  }
}

function browserProcess(browserPid: number, entry: ProcessMemory): BrowserProcess {
  const { pid } = entry;
  // Elsewhere the system does not say what a process is.
  const isKnown = process.platform === "linux";
  return {
    ...entry,
    isRenderer: pid !== browserPid && (!isKnown || typeOf(pid) === "renderer"),
    // Read only where the browser keeps too much.
    get pageFaults() {
      return (isKnown && usageOf(pid)?.pageFaults) || 0;
    },
  };
}
