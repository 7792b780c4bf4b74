import type { SlotsBound } from "../runtime/queue.ts";

/**
 * Constants of the gradient limiter of Netflix's concurrency-limits (`GradientLimit`): how much longer a job may take
 * than alone, how far one window may lower the limit at most, the weight of a window that lowers it, the least queue.
 */
const tolerance = 2;
const leastGradient = 0.5;
const smoothing = 0.2;
const leastQueue = 4;
/** Length of a window in milliseconds (`WindowedLimit`). */
export const windowMs = 1000;
/** A thread held for longer delays what waits for it noticeably (long task of the W3C's Long Tasks API). */
const longTaskMs = 50;
/** One page and one beside it: memory alone never leaves less. */
const leastByMemory = 2;
/** A resource counts as the bound for so many windows after it last lowered the limit. */
const boundWindows = 10;
/**
 * Jobs count as slowed down for so many windows. Work that steps back meanwhile comes back after it, and takes a few
 * windows to slow the others down again.
 */
const slowedWindows = 30;
/** As many as `WORKER_SLOTS` allows. */
export const mostSlots = 1000;

/** Facts of a window of `windowMs`. */
export interface Window {
  /** Most jobs that ran at once. */
  running: number;
  /** Share of the running jobs' time in which they could have run and waited for a processor. */
  waitingShare: number;
  /** Of the running jobs, the mean number that waited for the limits of upstreams. */
  waitingForLimits: number;
  /** Whether jobs waited because those that run wanted the processors. */
  isHeldBack: boolean;
  /** Mean delay of the worker's event loop by its own work, in milliseconds. */
  loopDelayMs: number;
  /** Mean time in which the slowest browser's main thread answers, in milliseconds; 0 without a browser. */
  browserDelayMs: number;
  /** Whether that thread waits for a processor most of this time. */
  browserLacksProcessors: boolean;
  /** Jobs that memory allows by the size of those seen; `Infinity` where that is unknown. */
  mostByMemory: number;
  /** Whether the worker and its browsers use more memory than they may. */
  isMemoryFull: boolean;
}

type Resource = Exclude<SlotsBound, "demand" | "setting">;

/**
 * Finds a worker's slots at run time: the gradient limiter of Netflix's concurrency-limits. Each window the limit is
 * multiplied by the gradient, `tolerance` times the time a job takes alone divided by the time it takes now, and gets
 * room for a queue. The limiter of the library guesses the time alone from the least one seen; here it is known, as
 * the running time without the waits for the machine, so a slow site is no reason to lower the limit.
 */
export class SlotLimiter {
  #limit: number;
  #bound: SlotsBound = "demand";
  #boundFor = 0;
  #slowedFor = 0;

  constructor(start: number) {
    this.#limit = start;
  }

  get slots(): number {
    return Math.floor(this.#limit);
  }

  /** The resource that keeps the slots at their number. */
  get bound(): SlotsBound {
    return this.#bound;
  }

  /** Whether the machine slowed jobs down to more than `tolerance` times their time alone, lately. */
  get isSlowed(): boolean {
    return this.#slowedFor > 0;
  }

  /** Takes one window into account. */
  update(window: Window): void {
    const queue = Math.max(leastQueue, Math.sqrt(this.#limit));
    const { resource, gradient } = steepest(window);
    this.#slowedFor = gradient < 1 ? slowedWindows : this.#slowedFor - 1;
    // Jobs that wait for the limits of an upstream would only do so in further slots as well.
    const hasDemand = window.running - window.waitingForLimits + queue >= this.#limit;
    const isBehindLimits = !hasDemand && window.running + queue >= this.#limit;
    let next = this.#limit * gradient + queue;
    if (next < this.#limit) {
      next = this.#limit * (1 - smoothing) + next * smoothing;
      this.#note(resource);
    } else {
      if (!hasDemand) next = this.#limit;
      if (window.isHeldBack) this.#note("processors");
      else if (isBehindLimits) this.#note("quota");
      else this.#forget(mostSlots <= next ? "maximum" : "demand");
    }
    const byMemory = Math.max(leastByMemory, window.mostByMemory);
    if (byMemory < next) {
      next = byMemory;
      if (hasDemand) this.#note("memory");
    }
    const least = Math.min(leastQueue, byMemory);
    this.#limit = Math.min(mostSlots, Math.max(least, next));
  }

  #note(resource: Resource): void {
    this.#bound = resource;
    this.#boundFor = boundWindows;
  }

  #forget(bound: SlotsBound): void {
    this.#boundFor -= 1;
    if (this.#boundFor <= 0) this.#bound = bound;
  }
}

/** The resource that slows jobs down most. */
function steepest(window: Window): { resource: Resource; gradient: number } {
  const gradients: [Resource, number][] = [
    ["processors", tolerance * (1 - window.waitingShare)],
    [window.browserLacksProcessors ? "processors" : "browser", longTaskMs / window.browserDelayMs],
    ["memory", window.isMemoryFull ? 0 : 1],
    ["worker", longTaskMs / window.loopDelayMs],
  ];
  const [resource, gradient] = gradients.reduce((least, one) => (one[1] < least[1] ? one : least));
  return { resource, gradient: Math.max(leastGradient, Math.min(1, gradient)) };
}
