import { mainThreadOf, usageOf } from "./procfs.ts";

/** Load of the browsers' main processes, through which every page's work goes. */
export interface Load {
  /** Processors that they use: a page of many frames keeps them busier than its own process. */
  processors: number;
  /** Whether a main thread is too busy. */
  isBusy: boolean;
  /** Whether one is, or was a moment ago: the page that keeps it busy may have been stopped. */
  isCrowded: boolean;
}

/** A main thread that is busy for more of its time is crowded ... */
const crowdedFrom = 0.75;
/** ... as the mean over so long, ... */
const meanMs = 250;
/** ... and for so long from then on. */
const crowdMs = 5000;

interface Known {
  processorMs: number;
  ranMs: number;
  waitedMs: number;
  /** Means, per millisecond. */
  ran: number;
  waited: number;
}

/** Measures the load of browsers' main processes from one look to the next. */
export class BrowserLoad {
  readonly #usage: typeof usageOf;
  readonly #mainThread: typeof mainThreadOf;
  readonly #known = new Map<number, Known>();
  #processors = 0;
  #crowdedUntil = 0;

  constructor(usage: typeof usageOf = usageOf, mainThread: typeof mainThreadOf = mainThreadOf) {
    this.#usage = usage;
    this.#mainThread = mainThread;
  }

  look(browserPids: readonly number[], now: number, sinceMs: number): Load {
    for (const pid of this.#known.keys()) if (!browserPids.includes(pid)) this.#known.delete(pid);
    let usedMs = 0;
    let isBusy = false;
    for (const pid of browserPids) {
      const last = this.#known.get(pid);
      const known = this.#measure(pid, last, sinceMs);
      this.#known.set(pid, known);
      usedMs += Math.max(0, known.processorMs - (last ?? known).processorMs);
      // Time in which the thread could have run and others did does not count: the machine may have other work.
      const busy = Math.min(1, known.ran / Math.max(1 - known.waited, 0.05));
      if (busy > crowdedFrom) isBusy = true;
    }
    if (isBusy) this.#crowdedUntil = now + crowdMs;
    this.#processors = (this.#processors + usedMs / sinceMs) / 2;
    return { processors: this.#processors, isBusy, isCrowded: now < this.#crowdedUntil };
  }

  #measure(pid: number, last: Known | undefined, sinceMs: number): Known {
    const processorMs = this.#usage(pid)?.processorMs ?? 0;
    // Where the kernel does not count the first thread, all threads stand for it.
    const { ranMs, waitedMs } = this.#mainThread(pid) ?? { ranMs: processorMs, waitedMs: 0 };
    const before = last ?? { ranMs, waitedMs, ran: 0, waited: 0 };
    const part = Math.min(1, sinceMs / meanMs);
    const mean = (old: number, ms: number) => old + (Math.max(0, ms) / sinceMs - old) * part;
    return {
      processorMs,
      ranMs,
      waitedMs,
      ran: mean(before.ran, ranMs - before.ranMs),
      waited: mean(before.waited, waitedMs - before.waitedMs),
    };
  }
}
