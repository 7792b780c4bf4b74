import { monotonicNow } from "../../../runtime/monotonic.ts";
import { slotsMemory } from "../../../runtime/usable-memory.ts";
import { MemoryBound } from "./memory-bound.ts";
import { MemoryWatch } from "./memory.ts";
import type { MemoryWatchOptions } from "./memory.ts";

/** Bytes that a worker and its browsers use, and may use. */
export interface MemoryUse {
  used: number;
  most: number;
}

/** While no page is known: a look takes some 4 ms, so that it costs 2 % of a processor. */
const unknownEveryMs = 200;
/** The system takes 0.1 ms to say how much memory there is. */
const useForMs = 200;

/** Watches the memory of browsers and knows how many pages it allows. */
export class MemoryRoom {
  readonly #watch: MemoryWatch;
  readonly #bound = new MemoryBound();
  #lookedAt = -Infinity;
  #use: MemoryUse | undefined;
  #usedAt = -Infinity;

  /** `running`: pages that have a job. */
  constructor(options: Omit<MemoryWatchOptions, "onLook"> & { running: () => number }) {
    this.#watch = new MemoryWatch({
      ...options,
      onLook: (pages) => {
        this.#use = undefined;
        this.#bound.note(pages, options.running());
      },
    });
  }

  /** Memory of all browsers' processes when last looked at. */
  residentBytes(): number {
    return this.#watch.residentBytes();
  }

  use(): MemoryUse {
    const now = monotonicNow();
    if (this.#use && now - this.#usedAt < useForMs) return this.#use;
    const used = process.memoryUsage.rss() + this.#watch.residentBytes();
    this.#usedAt = now;
    return (this.#use = { used, most: slotsMemory(used) });
  }

  mostPages({ used, most } = this.use()): number {
    return this.#bound.most(most - used + this.#watch.pageBytes());
  }

  /**
   * Looks again where the pages, by a cheaper figure of their memory, have grown much since the last look, and while
   * no page is known: the first one may be gone before the next look.
   */
  noteResident(bytes: number, { used, most }: MemoryUse): void {
    if (this.#bound.isKnown) this.#watch.noteResident(bytes, most - used);
    else if (monotonicNow() - this.#lookedAt >= unknownEveryMs) {
      this.#lookedAt = monotonicNow();
      this.#watch.lookNow();
    }
  }

  stop(): void {
    this.#watch.stop();
  }
}
