import { availableParallelism } from "node:os";
import { BrowserLoad } from "./browser-load.ts";
import { PageWaits } from "./page-waits.ts";
import { account, HeavyThreads, nextSlice } from "./cpu-slices.ts";
import type { Demand } from "./cpu-slices.ts";
import type { PageMemory } from "./large-pages.ts";
import {
  allowedProcessors,
  lowerPriority,
  mainThreadOf,
  runnableThreads,
  signal,
  threadsOf,
  usageOf,
  workerThreads,
} from "./procfs.ts";
import type { ThreadTime } from "./procfs.ts";
import { RendererFinder } from "./renderer-finder.ts";

export interface CpuSchedulerOptions {
  /** Main processes of the browsers. */
  browserPids: () => readonly number[];
  /** When each running job began, as `performance.now()` has it. */
  jobs: () => readonly number[];
  limits?: PageLimits | undefined;
  /** Called after each look, with the number of pages that want a processor and the memory of each page. */
  onLook?: ((wanting: number, memory: readonly PageMemory[]) => void) | undefined;
  log?:
    | ((level: "warn" | "error", message: string, fields: Record<string, unknown>) => void)
    | undefined;
}

const all = availableParallelism();

export const pageLimits = {
  /** Processor time of a page, in milliseconds ... */
  processorMs: 20_000,
  /** ... beyond so many processors all the time. */
  processors: 1,
  /** Sites ask how many processors there are and start as many. */
  workers: Math.max(32, 2 * all),
};

export type PageLimits = typeof pageLimits;

/** After so much processor time a page is heavy; after less where the browser's own main thread is crowded. */
const heavyAfterMs = 250;
const heavyInCrowdMs = 100;
/** An ordinary page has fewer threads; of a page with more the scheduler looks for workers. */
const manyThreads = 12 + all;
/** A page with more workers is heavy at once, a page with more threads that could run almost at once. */
export const fewThreads = 2 * all + 4;
const manyRunnableAfterMs = 30;
/** Steps of a heavy page behind the browser's own processes, which may need a processor in its slice. */
export const heavyNice = 15;
/** A job counts as waiting for a processor for so long after it began, and so long after its page was seen to. */
const openingMs = 1000;
const contendedMs = 500;
/** How long a slice is, and how often the scheduler looks at pages as long as none is stopped in turn. */
const sliceMs = 25;
const lookMs = 50;
/** Counting a page's threads that could run takes 0.2 ms. */
const countEveryMs = 100;
/** Threads that make another count due before. */
const manyNew = 4;
/** The scheduler rests for so long after a fault. */
const faultMs = 1000;
/** A page that waits for a processor of the browser's own loses more than that processor. */
const sharedWeight = 2;

/** A page's own process. */
interface Page extends Demand {
  start: string;
  seenAt: number;
  processorMs: number;
  busyMs: number;
  /** Times of its main thread when it was last seen to want a processor. */
  ranMs: number;
  waitedMs: number;
  isHeavy: boolean;
  /** Ended for its limit; the process may take a moment to go. */
  isEnded: boolean;
  isStopped: boolean;
  threads: number;
  /** Those of so many threads that could run at a time. */
  counted: { at: number; threads: number; runnable: number };
}

/**
 * Shares the processors among pages. Kernels share them by thread: two pages with 64 busy workers each leave a third
 * page a 129th, and every step of the browser's own between them waits as long.
 *
 * A page that has had its first moments is heavy and comes after the others. The kernel's priorities suffice for
 * ordinary pages and leave no processor idle. Where heavy pages have more threads than priorities hold off, or keep
 * the browser's own main thread busy, they run in time slices while others have something to do, and are stopped in
 * between. Without others they run as they like.
 */
export class CpuScheduler {
  readonly #options: CpuSchedulerOptions;
  readonly #limits: PageLimits;
  readonly #finder = new RendererFinder();
  readonly #load = new BrowserLoad();
  readonly #waits = new PageWaits();
  readonly #pages = new Map<number, Page>();
  /** Threads that heavy pages may have running together, on average. */
  readonly #threads = new HeavyThreads(all, allowedProcessors() > all);
  #timer: NodeJS.Timeout | undefined;
  #lastAt = performance.now();
  #contendedUntil = 0;
  #isCrowded = false;
  #memory: PageMemory[] = [];

  constructor(options: CpuSchedulerOptions) {
    this.#options = options;
    this.#limits = options.limits ?? pageLimits;
    // Elsewhere the kernel alone shares.
    if (process.platform === "linux") this.#schedule(lookMs);
  }

  /** Whether there is a heavy page. */
  anyHeavy(): boolean {
    return [...this.#pages.values()].some(({ isHeavy }) => isHeavy);
  }

  /** Share of the jobs' time since the last call in which they waited for a processor; see `PageWaits`. */
  takeWaitingShare(unknown: number): number {
    return this.#waits.take(unknown);
  }

  stop(): void {
    clearTimeout(this.#timer);
    for (const [pid, page] of this.#pages) this.#setStopped(pid, page, false);
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => {
      try {
        // Without jobs no page waits for another, and the scheduler only releases heavy pages that are left over.
        const hasWork = this.#options.jobs().length > 0 || this.anyHeavy();
        this.#schedule(hasWork ? this.#tick() : lookMs);
      } catch (error) {
        this.#options.log?.("error", "sharing processors among pages failed", {
          error: String(error),
        });
        this.#schedule(faultMs);
      }
    }, ms).unref();
  }

  /** Looks at all pages and lets the next slice begin; returns when to look again. */
  #tick(): number {
    const now = performance.now();
    const sinceMs = now - this.#lastAt;
    this.#lastAt = now;
    const browserPids = this.#options.browserPids();
    const load = this.#load.look(browserPids, now, sinceMs);
    this.#isCrowded = load.isCrowded;
    this.#look(browserPids, now, sinceMs);
    this.#options.onLook?.(this.#waits.wanting, this.#memory);
    const heavy = [...this.#pages].filter(([, page]) => page.isHeavy);
    const isContended =
      now < this.#contendedUntil || this.#options.jobs().some((began) => now - began < openingMs);
    this.#account(heavy, isContended, load.processors, sinceMs);
    const threads = this.#threads.next(load.isBusy, sinceMs);
    const slice = isContended ? nextSlice(heavy, threads) : undefined;
    for (const [pid, page] of heavy) {
      this.#setStopped(pid, page, slice !== undefined && !slice.has(pid));
    }
    const isSliced = heavy.some(([, page]) => page.isStopped || page.needs > threads);
    return isSliced ? sliceMs : lookMs;
  }

  #account(
    heavy: readonly (readonly [number, Page])[],
    isContended: boolean,
    browserProcessors: number,
    sinceMs: number,
  ): void {
    const running = heavy.filter(([, page]) => !page.isStopped).length;
    const paid = (this.#threads.least * sinceMs) / heavy.length;
    for (const [pid, page] of heavy) {
      const hasRun = !page.isStopped && isContended;
      const shared = (sharedWeight * browserProcessors) / running;
      const slice = hasRun
        ? { needs: this.#runnableThreads(pid, page) + shared, ms: sinceMs }
        : undefined;
      account(page, paid, slice);
    }
  }

  /** Counted anew where the page has started threads, and after a while. */
  #runnableThreads(pid: number, page: Page): number {
    const { counted, threads } = page;
    const isOld = this.#lastAt - counted.at >= countEveryMs;
    // Every page starts and ends single threads of its own all the time.
    if (threads < counted.threads + manyNew && !isOld) return counted.runnable;
    page.counted = { at: this.#lastAt, threads, runnable: runnableThreads(pid) };
    return page.counted.runnable;
  }

  #look(browserPids: readonly number[], now: number, sinceMs: number): void {
    const anyHeavy = this.anyHeavy();
    const seen = { wanting: 0, stopped: 0 };
    this.#memory = [];
    const found = this.#finder.find(browserPids);
    for (const pid of this.#pages.keys()) if (!found.includes(pid)) this.#pages.delete(pid);
    for (const pid of found) {
      const usage = usageOf(pid);
      if (!usage) continue;
      let page = this.#pages.get(pid);
      if (page?.start !== usage.start) this.#pages.set(pid, (page = newPage(usage.start, now)));
      page.processorMs = usage.processorMs;
      page.threads = usage.threads;
      this.#memory.push({ pid, bytes: usage.residentBytes });
      if (page.isEnded) continue;
      if (page.isStopped) seen.stopped += 1;
      const isWanting = usage.isRunnable && !page.isStopped;
      if (isWanting) seen.wanting += 1;
      const times = isWanting || (anyHeavy && !page.isHeavy) ? mainThreadOf(pid) : undefined;
      if (isWanting && times) this.#noteWait(page, times);
      const isMany = usage.threads > manyThreads;
      const workers = isMany ? workerThreads(pid) : [];
      // Workers come last on every page, heavy or not: the page starts as many as it likes.
      lowerPriority(workers, heavyNice);
      const limit = limitOf(this.#limits, page, workers.length, now);
      if (limit !== undefined) {
        this.#options.log?.("warn", "ended a page over its limit", { pid, limit });
        signal(pid, "SIGKILL");
        page.isEnded = true;
      } else if (!page.isHeavy) {
        this.#judge(pid, page, isMany, workers.length);
        if (anyHeavy) this.#noteContention(page, times, now);
      }
    }
    this.#waits.note({ ...seen, jobs: this.#options.jobs().length, sinceMs });
  }

  #noteWait(page: Page, times: ThreadTime): void {
    this.#waits.addThread(times.ranMs - page.ranMs, times.waitedMs - page.waitedMs);
    page.ranMs = times.ranMs;
    page.waitedMs = times.waitedMs;
  }

  /** Makes a page heavy that has had its first moments. */
  #judge(pid: number, page: Page, isMany: boolean, workers: number): void {
    if (isMany) page.needs = runnableThreads(pid);
    const isParallel = page.needs > fewThreads && page.processorMs > manyRunnableAfterMs;
    const most = this.#isCrowded ? heavyInCrowdMs : heavyAfterMs;
    if (!isParallel && workers <= fewThreads && page.processorMs <= most) return;
    page.isHeavy = true;
    // It does not go ahead of pages that are heavy already.
    page.had = Math.max(0, ...[...this.#pages.values()].map(({ had }) => had));
    lowerPriority(threadsOf(pid), heavyNice);
  }

  /** Notes whether a page that is not heavy has something to do. */
  #noteContention(page: Page, times: ThreadTime | undefined, now: number): void {
    const { ranMs, waitedMs } = times ?? { ranMs: 0, waitedMs: 0 };
    const busyMs = ranMs + waitedMs + page.processorMs;
    if (busyMs - page.busyMs > 1) this.#contendedUntil = now + contendedMs;
    page.busyMs = busyMs;
  }

  #setStopped(pid: number, page: Page, isStopped: boolean): void {
    if (page.isStopped === isStopped) return;
    page.isStopped = isStopped;
    signal(pid, isStopped ? "SIGSTOP" : "SIGCONT");
  }
}

function newPage(start: string, now: number): Page {
  return {
    start,
    seenAt: now,
    processorMs: 0,
    busyMs: 0,
    ranMs: 0,
    waitedMs: 0,
    isHeavy: false,
    isEnded: false,
    isStopped: false,
    threads: 0,
    counted: { at: -Infinity, threads: 0, runnable: 0 },
    needs: 1,
    had: 0,
    debt: 0,
  };
}

/** The limit that a page is over. */
function limitOf(limits: PageLimits, page: Page, workers: number, now: number): string | undefined {
  const most = limits.processorMs + limits.processors * (now - page.seenAt);
  if (page.processorMs > most) return "processor time";
  return workers > limits.workers ? "workers" : undefined;
}
