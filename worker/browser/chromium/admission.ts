/** Pages that may always run at once, as far as memory goes. */
const leastPages = 4;
/** Beside it one in the kept slot begins. */
const leastByMemory = 1;

/** The pages of one moment. */
export interface Moment {
  /** Pages that want a processor: seen to, about to begin, or begun a moment ago. */
  wanting: number;
  running: number;
  /** Pages that wait for their turn. */
  waiting: number;
  /** Pages that memory allows. */
  mostByMemory: number;
}

/**
 * Lets further pages begin only while few of the open ones want a processor, and while memory has room. Pages that
 * only waited may all have work at once, and new ones would hold them up or find no room before the slots are fewer.
 */
export class Admission {
  readonly #mostWanting: number;
  #slots: number;
  #admitted: number;
  #isHeldBack = false;

  /** Of `slots` pages at most, while fewer than `mostWanting` want a processor. */
  constructor(slots: number, mostWanting: number) {
    this.#slots = slots;
    this.#mostWanting = mostWanting;
    this.#admitted = Math.min(slots, mostWanting);
  }

  /** Pages that may run now. */
  get admitted(): number {
    return this.#admitted;
  }

  resize(slots: number): void {
    this.#slots = slots;
  }

  look({ wanting, running, waiting, mostByMemory }: Moment): void {
    const room = this.#mostWanting - wanting;
    if (room <= 0 && waiting > 0) this.#isHeldBack = true;
    // Without room pages that end are not replaced. One in the kept slot makes no room for the next.
    const most = room > 0 ? running + room : Math.min(this.#admitted, running);
    const slots = Math.min(this.#slots, Math.max(leastByMemory, Math.floor(mostByMemory)));
    const least = Math.min(leastPages, slots);
    this.#admitted = Math.max(least, Math.min(slots, most));
  }

  /** Whether pages were held back since the last call. */
  takeHeldBack(): boolean {
    const isHeldBack = this.#isHeldBack;
    this.#isHeldBack = false;
    return isHeldBack;
  }
}
