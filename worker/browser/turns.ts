import { availableParallelism } from "node:os";
import { watchMains } from "./main-processes.ts";
import {
  allowedProcessors,
  lowerPriority,
  mainThreadOf,
  rendererFinder,
  runnableThreads,
  threadsOf,
  signal,
  usageOf,
  workerThreads,
} from "./proc.ts";

/**
 * Kernels share processors by thread: two pages with 64 busy workers each leave a 129th to a third, and every
 * step of the browser's own between them waits as long. Here pages share them. One that has had its first
 * moments is heavy and comes after the others. The kernel's priorities do for usual pages, and leave no processor
 * idle. Where heavy pages have more threads than priorities hold off, or keep the browser's own main thread busy,
 * they run in turns while others have something to do, stopped in between. Without others they run as they like.
 */
export interface TurnsOptions {
  /** Main processes of the browsers. */
  mains: () => readonly number[];
  /** When each running job began, as `performance.now()` has it. */
  jobs: () => readonly number[];
  limits?: PageLimits;
  log?: (level: "warn" | "error", message: string, fields: Record<string, unknown>) => void;
}

const all = availableParallelism();

export const pageLimits = {
  /** What a page may use of processor time ... */
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
/** A usual page has fewer threads; beyond, it is looked at which they are. */
const manyThreads = 12 + all;
/** With more workers than that a page is heavy at once, with more threads that could run almost at once. */
const fewThreads = 2 * all + 4;
const manyRunnableAfterMs = 30;
/** Steps behind the browser's own processes of a heavy page, for the moments when others need a processor in its turn. */
export const heavyNice = 15;
/** Others want something for so long after a job has begun, or after a page was last seen to. */
const openingMs = 1000;
const wantsMs = 500;
/** How long a turn is, and how often pages are looked at as long as none has turns. */
const turnMs = 25;
const lookMs = 50;
/**
 * So many threads of heavy pages on a processor leave nine tenths of it to a process of the browser's own, by the
 * kernel's weights for their priorities, and two thirds to a page that is not heavy.
 */
const heldOff = 4;
/** A processor of the browser's own is worth more than one to whoever waits for it. */
const sharedWeight = 2;
/** However many its threads, a page among others has one turn in so many, and is never stopped for long. */
const rarestTurn = 50;
const mostDebt = 200 * rarestTurn;

/** A page's own process. */
interface Page {
  start: string;
  seenAt: number;
  processorMs: number;
  wantedMs: number;
  heavy: boolean;
  /** For its limit; it may take a moment to go. */
  ended: boolean;
  stopped: boolean;
  /** Processors it needs as last seen running: threads that could run, and what the browser does for it. */
  needs: number;
  /** What it has had since it is heavy, in milliseconds times threads, and what of it is not paid for. */
  had: number;
  debt: number;
}

export type Heavy = Pick<Page, "needs" | "had" | "debt">;

/**
 * How many threads of heavy pages may run while others have something to do. Priorities are between threads on
 * one processor: they say nothing where a group of processes may use less than the processors it runs on, nor
 * to who waits for the browser's own main thread.
 */
export function roomForHeavy(processors: number, isCrowded: boolean, isQuota: boolean): number {
  return isCrowded || isQuota ? Math.max(processors - 1, 0.5) : heldOff * processors;
}

/**
 * Those whose turn it is. A page that needs more than there is has a turn of its own, once the last one is paid
 * for; of the others as many as fit, who has had least first.
 */
export function nextTurn<Id>(heavy: readonly (readonly [Id, Heavy])[], room: number): Set<Id> {
  const most = room + 0.3;
  const byHad = heavy.toSorted(([, a], [, b]) => a.had - b.had);
  const large = byHad.find(([, page]) => page.needs > most && page.debt <= 0);
  if (large) return new Set([large[0]]);
  const turn = new Set<Id>();
  let taken = 0;
  for (const [id, { needs }] of byHad) {
    // One that waits for something itself takes little.
    const takes = Math.max(needs, 0.2);
    if (taken + takes > most) continue;
    turn.add(id);
    taken += takes;
  }
  return turn;
}

export interface Turns {
  /** Whether a heavy page is there. */
  anyHeavy(): boolean;
  stop(): void;
}

export function takeTurns({ mains, jobs, limits = pageLimits, log }: TurnsOptions): Turns {
  const find = rendererFinder();
  const pages = new Map<number, Page>();
  /** What those that are stopped in turns have together on average. */
  const processors = roomForHeavy(all, true, false);
  const isQuota = allowedProcessors() > all;
  const lookAtMains = watchMains();
  let wantedUntil = 0;
  let anyHeavy = false;
  let isCrowded = false;
  let lastAt = performance.now();

  function look(now: number): void {
    const found = find(mains());
    for (const pid of pages.keys()) if (!found.includes(pid)) pages.delete(pid);
    for (const pid of found) {
      const usage = usageOf(pid);
      if (!usage) continue;
      let page = pages.get(pid);
      if (page?.start !== usage.start) pages.set(pid, (page = newPage(usage.start, now)));
      page.processorMs = usage.processorMs;
      if (page.ended) continue;
      const isMany = usage.threads > manyThreads;
      const workers = isMany ? workerThreads(pid) : [];
      // Of every page: as many as it likes come after what other pages are waited for.
      lowerPriority(workers, heavyNice);
      const limit = limitOf(limits, page, workers.length, now);
      if (limit !== undefined) {
        log?.("warn", "page over its limit ended", { pid, limit });
        signal(pid, "SIGKILL");
        page.ended = true;
      } else if (!page.heavy) {
        judge(pid, page, isMany, workers.length, now);
      }
    }
  }

  function judge(pid: number, page: Page, isMany: boolean, workers: number, now: number): void {
    if (isMany) page.needs = runnableThreads(pid);
    const isParallel = page.needs > fewThreads && page.processorMs > manyRunnableAfterMs;
    const most = isCrowded ? heavyInCrowdMs : heavyAfterMs;
    if (isParallel || workers > fewThreads || page.processorMs > most) {
      page.heavy = true;
      // Not ahead of those that are heavy already.
      page.had = Math.max(0, ...[...pages.values()].map(({ had }) => had));
      lowerPriority(threadsOf(pid), heavyNice);
    }
    if (!anyHeavy) return;
    const { ranMs, waitedMs } = mainThreadOf(pid) ?? { ranMs: 0, waitedMs: 0 };
    const wanted = ranMs + waitedMs + page.processorMs;
    if (wanted - page.wantedMs > 1) wantedUntil = now + wantsMs;
    page.wantedMs = wanted;
  }

  function set(pid: number, page: Page, stopped: boolean): void {
    if (page.stopped === stopped) return;
    page.stopped = stopped;
    signal(pid, stopped ? "SIGSTOP" : "SIGCONT");
  }

  function tick(): void {
    const now = performance.now();
    const sinceMs = now - lastAt;
    lastAt = now;
    const shared = lookAtMains(mains(), now, sinceMs);
    isCrowded = shared.areCrowded;
    look(now);
    const heavy = [...pages].filter(([, page]) => page.heavy);
    anyHeavy = heavy.length > 0;
    const isWanted = now < wantedUntil || jobs().some((began) => now - began < openingMs);
    const room = roomForHeavy(all, isCrowded, isQuota);
    const running = heavy.filter(([, page]) => !page.stopped).length;
    for (const [pid, page] of heavy) {
      page.debt -= (processors * sinceMs) / heavy.length;
      if (!page.stopped && isWanted) {
        const needs = runnableThreads(pid) + (sharedWeight * shared.processors) / running;
        page.needs = Math.max(needs, page.needs * 0.75);
        const cost = Math.min(page.needs, rarestTurn) * sinceMs;
        page.had += cost;
        page.debt += cost;
      }
      page.debt = Math.min(Math.max(page.debt, 0), mostDebt);
    }
    const turn = isWanted ? nextTurn(heavy, room) : undefined;
    for (const [pid, page] of heavy) set(pid, page, turn !== undefined && !turn.has(pid));
    next(heavy.some(([, page]) => page.stopped || page.needs > room) ? turnMs : lookMs);
  }

  let timer: NodeJS.Timeout | undefined;
  function next(ms: number): void {
    timer = setTimeout(() => {
      try {
        // Without jobs nobody waits; what is left of the last ones is let go.
        if (jobs().length > 0 || [...pages.values()].some(({ heavy }) => heavy)) tick();
        else next(lookMs);
      } catch (error) {
        log?.("error", "turns of pages", { error: String(error) });
        next(1000);
      }
    }, ms).unref();
  }
  // Elsewhere the kernel alone shares.
  if (process.platform === "linux") next(lookMs);
  return {
    anyHeavy: () => [...pages.values()].some(({ heavy }) => heavy),
    stop() {
      clearTimeout(timer);
      for (const [pid, page] of pages) set(pid, page, false);
    },
  };
}

function newPage(start: string, now: number): Page {
  return {
    start,
    seenAt: now,
    processorMs: 0,
    wantedMs: 0,
    heavy: false,
    ended: false,
    stopped: false,
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
