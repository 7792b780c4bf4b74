import { monotonicNow } from "../../../runtime/monotonic.ts";
import { memoryLimits } from "./memory.ts";

/** Weight of a look at the processes of each page: the limiter's smoothing. */
const smoothing = 0.2;
/** Standard deviations by which a sum may exceed its mean: it stays below in 98 of 100 cases. */
const deviations = 2;
/** Ended pages whose sizes count: from so many on, a sample is taken to have the deviation of what it comes from. */
const mostEnded = 30;
/** A page that has grown by no more for so long has its size: a page without an answer of its server holds up others. */
const settledGrowth = 1.1;
const settledMs = 3000;

/** The process of a page. */
export interface PageSize {
  pid: number;
  bytes: number;
  /** The most that it ever had. */
  peakBytes: number;
}

interface Known {
  peakBytes: number;
  /** Its size when it last grew, and when that was. */
  bytes: number;
  grewAt: number;
}

interface Sizes {
  mean: number;
  deviation: number;
}

/**
 * Pages that memory allows, by the most that those seen have taken: n pages of mean size m and deviation s take
 * n m ± s √n together. A page that has just begun is small and counts as those that have ended, so many that begin
 * at once find room to grow. Open pages that are larger than ended ones count as they are, and so do those to come.
 */
export class MemoryBound {
  readonly #now: () => number;
  readonly #known = new Map<number, Known>();
  /** Processes of pages that no job uses. */
  #unused: ReadonlySet<number> = new Set();
  #open: readonly PageSize[] = [];
  /** Sizes of the pages that ended last. */
  readonly #ended: number[] = [];
  /** Processes for each running page. */
  #processes = 1;

  constructor(now: () => number = monotonicNow) {
    this.#now = now;
  }

  /** Notes the pages of one look, of which `running` have a job. */
  note(seen: readonly PageSize[], running: number): void {
    if (running === 0) this.#unused = new Set(seen.map(({ pid }) => pid));
    const pages = seen.filter(({ pid }) => !this.#unused.has(pid));
    const pids = new Set(seen.map(({ pid }) => pid));
    for (const [pid, { peakBytes }] of this.#known) {
      if (pids.has(pid)) continue;
      this.#known.delete(pid);
      this.#ended.push(peakBytes);
    }
    this.#ended.splice(0, this.#ended.length - mostEnded);
    for (const { pid, bytes, peakBytes } of pages) {
      const known = this.#known.get(pid);
      const hasGrown = !known || bytes > settledGrowth * known.bytes;
      const last = hasGrown ? { bytes, grewAt: this.#now() } : known;
      this.#known.set(pid, { ...last, peakBytes });
    }
    this.#open = pages;
    if (pages.length === 0 || running === 0) return;
    this.#processes += (Math.max(1, pages.length / running) - this.#processes) * smoothing;
  }

  /** Whether the size of any page is known. */
  get isKnown(): boolean {
    return this.#ended.length > 0 || this.#settled().length > 0;
  }

  /** Pages that fit into so many bytes, of which the open ones have a part. */
  most(bytes: number): number {
    const usual = this.#usual();
    const excess = this.#open.reduce((sum, one) => sum + Math.max(0, one.bytes - usual.mean), 0);
    const open = sizesOf(this.#open.map((one) => one.bytes));
    const byUsual = fitting(bytes - excess, usual);
    // The pages to come are like the open ones where these are larger than usual.
    const byOpen = open.mean > usual.mean ? fitting(bytes, open) : Infinity;
    return Math.min(byUsual, byOpen) / this.#processes;
  }

  #settled(): number[] {
    return [...this.#known.values()]
      .filter(({ grewAt }) => this.#now() - grewAt >= settledMs)
      .map(({ peakBytes }) => peakBytes);
  }

  /** Sizes of ended pages, or of those that have stopped growing. While there is none a page may be as large as any. */
  #usual(): Sizes {
    const seen = this.#ended.length > 0 ? this.#ended : this.#settled();
    if (seen.length === 0) return { mean: memoryLimits.rendererBytes, deviation: 0 };
    const { mean, deviation } = sizesOf(seen);
    // Few sizes say little about those that come: one alone may be off by as much as it is.
    return { mean, deviation: Math.max(deviation, mean / Math.sqrt(seen.length)) };
  }
}

function sizesOf(pages: readonly number[]): Sizes {
  const of = Math.max(1, pages.length);
  const mean = pages.reduce((sum, bytes) => sum + bytes, 0) / of;
  const variance = pages.reduce((sum, bytes) => sum + (bytes - mean) ** 2, 0) / of;
  return { mean, deviation: Math.sqrt(variance) };
}

/** The number n of pages whose mean sum and deviations are so many bytes. */
function fitting(bytes: number, { mean, deviation }: Sizes): number {
  if (bytes <= 0) return 0;
  const spread = (deviations / 2) * deviation;
  return ((Math.sqrt(spread ** 2 + mean * bytes) - spread) / mean) ** 2;
}
