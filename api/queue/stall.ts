import { setImmediate as nextTurn } from "node:timers/promises";
import { monotonicNow } from "../../runtime/monotonic.ts";

/** A turn of the event loop that took longer was a stall, in milliseconds. */
const stallMs = 1000;
/** The event loop has read everything that waited by then, in milliseconds. */
const recentMs = 1000;
/** Turns in which the event loop reads the end of a connection, closes it, and reports that to its request. */
const closingTurns = 4;

/** Notices that this process stood still: it was stopped, or its machine slept. */
export class Stall {
  #turnedAt = monotonicNow();
  #endedAt = -Infinity;

  /** Call several times a second. */
  turned(): void {
    const now = monotonicNow();
    if (now - this.#turnedAt > stallMs) this.#endedAt = now;
    this.#turnedAt = now;
  }

  get isRecent(): boolean {
    const now = monotonicNow();
    return now - this.#turnedAt > stallMs || now - this.#endedAt < recentMs;
  }
}

/** Waits until the ends of connections that arrived before are known to their requests. */
export async function seeClosed(): Promise<void> {
  for (let turn = 0; turn < closingTurns; turn += 1) await nextTurn();
}
