import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** How often the event loop is looked at, in milliseconds. */
const resolutionMs = 20;

/** Milliseconds that a thread has run, and in which it could have run while others did. */
interface ThreadTime {
  ranMs: number;
  waitedMs: number;
}

interface Sources {
  read(path: string): string | undefined;
  /** Processes that can run, mean of the last minute. */
  load: () => number;
  processors: number;
  /** Monotonic clock, in milliseconds. */
  now: () => number;
}

const system: Sources = {
  read(path) {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return undefined;
    }
  },
  load: () => loadavg()[0] ?? 0,
  processors: availableParallelism(),
  now: () => performance.now(),
};

/**
 * Share of time in which this container, or this machine, made something wait for a processor: the kernel's pressure
 * stall information, else the load beyond the processors.
 */
export class ProcessorPressure {
  readonly #sources: Sources;
  #before: { at: number; stalledMs: number } | undefined;

  constructor(sources: Sources = system) {
    this.#sources = sources;
    this.read();
  }

  /** The share since the last call. */
  read(): number {
    const { load, processors, now } = this.#sources;
    const stalledMs = this.#stalledMs();
    if (stalledMs === undefined) return Math.max(0, 1 - processors / Math.max(load(), 1e-9));
    const at = now();
    const before = this.#before ?? { at, stalledMs };
    this.#before = { at, stalledMs };
    return at > before.at ? Math.min(1, (stalledMs - before.stalledMs) / (at - before.at)) : 0;
  }

  #stalledMs(): number | undefined {
    for (const path of ["/sys/fs/cgroup/cpu.pressure", "/proc/pressure/cpu"]) {
      const total = /^some .*total=(\d+)$/m.exec(this.#sources.read(path) ?? "")?.[1];
      if (total !== undefined) return Number(total) / 1000;
    }
    return undefined;
  }
}

/** Delay of this process's event loop by its own work, from one call to the next. */
export class LoopDelay {
  readonly #histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  #before = ownThread();

  constructor() {
    this.#histogram.enable();
  }

  /** Mean milliseconds, less the part in which the loop itself waited for a processor. */
  read(): number {
    const { mean, count } = this.#histogram;
    this.#histogram.reset();
    const now = ownThread();
    const share = ownShare(now, this.#before);
    this.#before = now;
    return count > 0 ? Math.max(0, mean / 1e6 - resolutionMs) * share : 0;
  }

  stop(): void {
    this.#histogram.disable();
  }
}

/** Part of a thread's demand in which it ran; 1 where the system does not count. */
function ownShare(now: ThreadTime | undefined, before: ThreadTime | undefined): number {
  const ran = (now?.ranMs ?? 0) - (before?.ranMs ?? 0);
  const waited = (now?.waitedMs ?? 0) - (before?.waitedMs ?? 0);
  return ran + waited > 0 ? ran / (ran + waited) : 1;
}

/** Times of this process's first thread, which runs its event loop (Linux). */
function ownThread(): ThreadTime | undefined {
  const [ran = 0, waited = 0] = (system.read("/proc/self/schedstat") ?? "").split(" ").map(Number);
  return ran > 0 ? { ranMs: ran / 1e6, waitedMs: waited / 1e6 } : undefined;
}
