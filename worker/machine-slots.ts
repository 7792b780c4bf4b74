import type { SlotsBound } from "../runtime/queue.ts";
import { slotsMemory } from "../runtime/usable-memory.ts";
import { LoopDelay, ProcessorPressure } from "./processor-wait.ts";
import { SlotLimiter, type Window, windowMs } from "./slot-limiter.ts";

/** Slots of one pool, and what keeps them at their number. */
export interface PoolSlots {
  readonly slots: number;
  readonly bound: SlotsBound;
  /** Whether the machine slowed jobs of the pool down, lately. */
  readonly isSlowed: boolean;
}

type Load = Omit<Window, "running" | "loopDelayMs">;

/** A pool whose slots follow the machine. */
export interface Follower {
  /** Slots at the start. */
  start: number;
  /** Most jobs that ran at once since the last call. */
  takeMostRunning(): number;
  /** Mean number of its jobs that waited for the limits of upstreams since the last call. */
  takeWaitingForLimits?: (() => number) | undefined;
  /**
   * Facts beside the event loop that hold up its jobs, and how many ran where some of them only wait for their turn.
   * `pressure` is the share of time in which something waited for a processor.
   */
  takeWindow?: ((pressure: number) => Partial<Window>) | undefined;
  resize(slots: number): void;
  /** Called after each window. */
  looked?: (() => void) | undefined;
}

/** Lets the slots of a process's pools follow the machine, once a window. */
export class MachineSlots {
  readonly #followers = new Map<Follower, SlotLimiter>();
  #loop: LoopDelay | undefined;
  #pressure: ProcessorPressure | undefined;
  #timer: NodeJS.Timeout | undefined;

  follow(follower: Follower): PoolSlots & { stop(): void } {
    const limiter = new SlotLimiter(follower.start);
    this.#followers.set(follower, limiter);
    this.#loop ??= new LoopDelay();
    this.#pressure ??= new ProcessorPressure();
    this.#timer ??= setInterval(() => this.#look(), windowMs).unref();
    return {
      get slots() {
        return limiter.slots;
      },
      get bound() {
        return limiter.bound;
      },
      get isSlowed() {
        return limiter.isSlowed;
      },
      stop: () => this.#stop(follower),
    };
  }

  #stop(follower: Follower): void {
    this.#followers.delete(follower);
    if (this.#followers.size > 0) return;
    clearInterval(this.#timer);
    this.#loop?.stop();
    this.#timer = this.#loop = undefined;
  }

  #look(): void {
    const loopDelayMs = this.#loop?.read() ?? 0;
    const pressure = this.#pressure?.read() ?? 0;
    for (const [follower, limiter] of this.#followers) {
      const before = limiter.slots;
      const waiting = waitingOnly(follower.takeWaitingForLimits?.() ?? 0);
      const load = follower.takeWindow?.(pressure) ?? {};
      limiter.update({ running: follower.takeMostRunning(), loopDelayMs, ...waiting, ...load });
      if (limiter.slots !== before) follower.resize(limiter.slots);
      follower.looked?.();
    }
  }
}

/** Jobs that only wait for upstreams share the event loop alone. */
function waitingOnly(waitingForLimits: number): Load {
  const used = process.memoryUsage.rss();
  const isMemoryFull = used > slotsMemory(used);
  return {
    waitingForLimits,
    waitingShare: 0,
    isHeldBack: false,
    browserDelayMs: 0,
    browserLacksProcessors: false,
    mostByMemory: Infinity,
    isMemoryFull,
  };
}
