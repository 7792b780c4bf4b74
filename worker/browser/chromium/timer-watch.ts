/// <reference lib="dom" />
import { randomUUID } from "node:crypto";

/** A question of our code beside the page, as the detail of an event. */
export interface TimerQuestion {
  /** Later timers do not count; in milliseconds. */
  withinMs: number;
  /** Whether only timers count that name what sends a page on. */
  leaving: boolean;
  /** Whether the page has changed since the last question. */
  changed: boolean;
}

/** Name of the event that asks. The answer is yes if the event's default is prevented. Pages do not know the name. */
export const timerEvent = `timers-${randomUUID()}`;

/**
 * Runs in the page's own world before its scripts: knows the timers that the page has set and waits for. CDP has no
 * command that names them.
 */
function watchTimers(eventName: string): void {
  if (self !== top) return;
  interface Timer {
    due: number;
    run: unknown;
  }
  /** So many timers that change nothing are a clock of the page's own, not its content. */
  const idleRuns = 30;
  const mostRead = 50;
  const sendsOn =
    /\blocation\s*=[^=]|\blocation\.(?:href\s*=[^=]|assign|replace|reload)|\.submit\(|\bhistory\.(?:go|back)\b/;
  const { apply } = Reflect;
  const timers = Object.create(null) as Record<number, Timer>;
  let runs = 0;

  /** An interval counts until it has run twice. */
  const watched = (set: typeof setTimeout, mostRuns: number) =>
    new Proxy(set, {
      apply(target, self, given: unknown[]) {
        const [run, delay] = given;
        let own = 0;
        let ran = 0;
        if (typeof run === "function") {
          given[0] = function (this: unknown, ...values: unknown[]) {
            runs += 1;
            ran += 1;
            if (ran >= mostRuns) delete timers[own];
            return apply(run as () => unknown, this, values);
          };
        }
        own = apply(target as unknown as (...all: unknown[]) => number, self, given);
        const ms = typeof delay === "number" && delay > 0 ? delay : 0;
        timers[own] = { due: performance.now() + ms, run };
        return own as never;
      },
    });
  const cleared = (clear: typeof clearTimeout) =>
    new Proxy(clear, {
      apply(target, self, given: [number]) {
        delete timers[given[0]];
        return apply(target, self, given);
      },
    });

  globalThis.setTimeout = watched(setTimeout, 1);
  globalThis.setInterval = watched(setInterval as never, 2) as never;
  globalThis.clearTimeout = cleared(clearTimeout);
  globalThis.clearInterval = cleared(clearInterval);

  addEventListener(eventName, (event) => {
    const { withinMs, leaving, changed } = (event as CustomEvent<TimerQuestion>).detail;
    if (changed) runs = 0;
    if (runs > idleRuns) return;
    const now = performance.now();
    let read = 0;
    for (const id in timers) {
      const { due, run } = timers[id] as Timer;
      // Nothing tells when code in a string has run.
      if (typeof run !== "function" && due < now) delete timers[id];
      if (due > now + withinMs || !timers[id]) continue;
      read += 1;
      if (read > mostRead) return;
      if (leaving && !sendsOn.test(String(run).slice(0, 5000))) continue;
      event.preventDefault();
      return;
    }
  });
}

/** The script of the watch. */
export const timerWatch = `(${String(watchTimers)})(${JSON.stringify(timerEvent)});`;
