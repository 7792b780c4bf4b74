import { memoryLimits } from "./memory.ts";

export interface PageMemory {
  pid: number;
  /** Bytes in memory, mapped files included. */
  bytes: number;
}

/**
 * A page of so much of its limit is to collect its garbage, and again whenever it has grown by a further part: Chromium
 * itself waits for half as much again, and a page of 200,000 paragraphs is garbage by half once it is read in.
 */
const largeShare = 0.6;
const furtherShare = 0.1;
/** A page cannot have the others collect more often: they all do, because it is not known which tab is large. */
const mostTimes = 8;

/** Tells when a page has become large, or larger. */
export class LargePages {
  /** When each page is next told, by pid. */
  readonly #next = new Map<number, { bytes: number; timesLeft: number }>();
  readonly #large: number;
  readonly #further: number;

  constructor(limit = memoryLimits.rendererBytes) {
    this.#large = largeShare * limit;
    this.#further = furtherShare * limit;
  }

  /** Whether one has since the last look at all of them. */
  look(pages: readonly PageMemory[]): boolean {
    const pids = new Set(pages.map(({ pid }) => pid));
    for (const pid of this.#next.keys()) if (!pids.has(pid)) this.#next.delete(pid);
    return pages.map((page) => this.#hasGrown(page)).includes(true);
  }

  #hasGrown({ pid, bytes }: PageMemory): boolean {
    const next = this.#next.get(pid) ?? { bytes: this.#large, timesLeft: mostTimes };
    const hasGrown = bytes > next.bytes && next.timesLeft > 0;
    if (hasGrown) next.timesLeft -= 1;
    const further = Math.max(this.#large, bytes + this.#further);
    next.bytes = hasGrown ? further : Math.min(next.bytes, further);
    this.#next.set(pid, next);
    return hasGrown;
  }
}
