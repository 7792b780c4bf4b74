import { PerformanceObserver } from "node:perf_hooks";

/** Names the work that the thread does. */
export interface Work {
  /** Id of the operation, or the template of the path. */
  operation: string;
  account?: number | undefined;
}

/** One piece of work that held the thread, without a pause for other callers. */
export interface Hold extends Work {
  /** Processor time in milliseconds, without garbage collection. */
  ms: number;
}

/** Processor time in milliseconds from which on a piece is reported. */
export const heldMs = 50;
const tickMs = 100;
/** Read the processor's clock no more often than this: a reading costs ten times one of the monotonic clock. */
const readingMs = 5;
const unknown: Work = { operation: "none" };

interface Suspect {
  work: Work;
  from: number;
  to: number;
  ms: number;
}

/** Clocks in milliseconds: the monotonic one, and the processor time of this thread. */
export interface Clocks {
  now(): number;
  spent(): number;
}

const ownClocks: Clocks = {
  now: () => performance.now(),
  spent: () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  },
};

/**
 * Finds work that holds the event loop: while one piece runs, no other caller gets an answer. Pieces begin where
 * `begin` is called, and at each tick of a timer. Counts processor time, because a busy machine stops a thread at
 * any place; subtracts garbage collection, because it pauses the work of all callers alike.
 */
export class LoopGuard {
  readonly #clocks: Clocks;
  #work: () => Work = () => unknown;
  #begunAt = 0;
  #readAt = 0;
  #spent = 0;
  #suspects: Suspect[] = [];
  #pauses: { from: number; to: number }[] = [];
  #report: ((hold: Hold) => void) | undefined;

  constructor(clocks = ownClocks) {
    this.#clocks = clocks;
  }

  /** Reports to this function from now on; without one nothing is measured. */
  reportTo(report: ((hold: Hold) => void) | undefined): void {
    this.#report = report;
    this.#readAt = this.#begunAt = this.#clocks.now();
    this.#spent = this.#clocks.spent();
    this.#suspects = [];
    this.#pauses = [];
  }

  /** The thread begins a piece of this work; `work` is called only when the piece held the thread. */
  begin(work: () => Work): void {
    if (!this.#report) return;
    const now = this.#clocks.now();
    if (now - this.#readAt >= readingMs) this.#read(now);
    this.#work = work;
    this.#begunAt = now;
  }

  tick(): void {
    // Garbage collections are reported a little after they ended, so suspects wait for the next tick.
    const due = this.#suspects;
    this.#suspects = [];
    const now = this.#clocks.now();
    this.#read(now);
    this.#work = () => unknown;
    this.#begunAt = now;
    for (const { work, from, to, ms } of due) {
      const paused = this.#pauses.map((one) => Math.min(one.to, to) - Math.max(one.from, from));
      const own = ms - paused.reduce((sum, each) => sum + Math.max(0, each), 0);
      if (own >= heldMs) this.#report?.({ ...work, ms: Math.round(own) });
    }
    if (this.#suspects.length === 0) this.#pauses = [];
  }

  /** Garbage was collected from then on for so long. */
  paused(from: number, ms: number): void {
    this.#pauses.push({ from, to: from + ms });
  }

  #read(now: number): void {
    const spent = this.#clocks.spent();
    const ms = spent - this.#spent;
    const from = this.#begunAt;
    if (ms >= heldMs && now - from >= heldMs) {
      this.#suspects.push({ work: this.#work(), from, to: now, ms: Math.min(ms, now - from) });
    }
    this.#spent = spent;
    this.#readAt = now;
  }
}

/** The guard of this process's main thread. */
export const loopGuard = new LoopGuard();

/** Begins to report; the start of a process is not measured, because nobody waits for an answer yet. */
export function guardLoop(report: (hold: Hold) => void): { stop(): void } {
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) loopGuard.paused(startTime, duration);
  });
  observer.observe({ entryTypes: ["gc"] });
  const timer = setInterval(() => loopGuard.tick(), tickMs).unref();
  loopGuard.reportTo(report);
  return {
    stop: () => {
      clearInterval(timer);
      observer.disconnect();
      loopGuard.reportTo(undefined);
    },
  };
}
