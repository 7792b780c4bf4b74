import { monotonicNow } from "../../../runtime/monotonic.ts";
import { runStateOf } from "./procfs.ts";
import type { RunState } from "./procfs.ts";

/** How often a browser with pages is asked for an answer. */
const tickMs = 250;
/** So many ticks without an answer, 2 s, and the browser counts as dead. */
const mostSilentTicks = 8;
/**
 * Weight of a tick in which the main process mostly waited for a processor: another browser would be served no
 * better. Such a browser has 8 s.
 */
const starvedTick = 1 / 4;
/** Weight of a tick where the system does not report such waits: 4 s in all. */
const unknownTick = 1 / 2;

/**
 * Counts how long a browser has been silent. It counts ticks and not time, because an answer is read between two
 * ticks: a worker whose own event loop stood still for seconds has had one tick, not many.
 */
export class Silence {
  #ticks = 0;
  #last: RunState | undefined;

  /** Called when the browser has answered, or has nothing to answer for. */
  reset(state: RunState | undefined): void {
    this.#ticks = 0;
    this.#last = state;
  }

  /** Adds a tick without an answer; true when the browser counts as dead. */
  tick(state: RunState | undefined): boolean {
    this.#ticks += this.#worth(state);
    this.#last = state;
    return this.#ticks >= mostSilentTicks;
  }

  #worth(state: RunState | undefined): number {
    if (!state || !this.#last) return unknownTick;
    const ranMs = state.ranMs - this.#last.ranMs;
    const waitedMs = state.waitedMs - this.#last.waitedMs;
    // The kernel adds up the wait only when the process runs again.
    const waitsStill = ranMs === 0 && state.isRunnable;
    return waitsStill || waitedMs > tickMs / 2 ? starvedTick : 1;
  }
}

/** Weight of the last answer in the mean delay. */
const delayWeight = 0.2;

export interface LivenessOptions {
  /** Has the browser's main thread answer something cheap. */
  ping: () => Promise<unknown>;
  /** The browser's main process. */
  pid: number | undefined;
  /** Whether the browser has pages: without them nobody waits for its answers. */
  hasPages: () => boolean;
  /** Called once, when the browser is silent for too long. */
  onSilent: () => void;
}

/** Pings a browser as long as it has pages. */
export class LivenessProbe {
  readonly #options: LivenessOptions;
  readonly #silence = new Silence();
  readonly #timer: NodeJS.Timeout;
  #isAsked = false;
  #askedAt = 0;
  #delayMs = 0;
  #state: RunState | undefined;
  /** Moving means of the milliseconds that the main thread ran and waited between two ticks. */
  #ran = 0;
  #waited = 0;

  constructor(options: LivenessOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#tick(), tickMs).unref();
  }

  /** Moving mean of the milliseconds that an answer takes. */
  get delayMs(): number {
    return this.#delayMs;
  }

  /** Whether the browser's main thread has waited for a processor longer than it ran. */
  get lacksProcessors(): boolean {
    return this.#waited > this.#ran;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const { pid, hasPages, onSilent } = this.#options;
    const state = pid === undefined ? undefined : runStateOf(pid);
    this.#noteState(state);
    // A late answer counts before it is there.
    if (this.#isAsked && hasPages()) this.#noteDelay(monotonicNow() - this.#askedAt);
    if (!this.#isAsked || !hasPages()) this.#silence.reset(state);
    else if (this.#silence.tick(state)) {
      this.stop();
      onSilent();
      return;
    }
    if (!this.#isAsked && hasPages()) this.#ask();
  }

  #noteState(state: RunState | undefined): void {
    const before = this.#state ?? state;
    this.#state = state;
    if (!state || !before) return;
    this.#ran += (state.ranMs - before.ranMs - this.#ran) * delayWeight;
    this.#waited += (state.waitedMs - before.waitedMs - this.#waited) * delayWeight;
  }

  #noteDelay(ms: number): void {
    this.#delayMs += (ms - this.#delayMs) * delayWeight;
  }

  #ask(): void {
    this.#isAsked = true;
    this.#askedAt = monotonicNow();
    const answered = () => {
      this.#isAsked = false;
      this.#noteDelay(monotonicNow() - this.#askedAt);
    };
    // A browser that has gone is noticed by its closed connection.
    this.#options.ping().then(answered, answered);
  }
}
