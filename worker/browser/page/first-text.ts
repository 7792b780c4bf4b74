/// <reference lib="dom" />
import { monotonicNow } from "../../../runtime/monotonic.ts";
import type { DomTools } from "../dom.ts";
import { evaluate } from "./isolated-world.ts";
import { longestRefresh } from "./navigation.ts";
import { pageProgress } from "./unfinished.ts";
import type { PageProgress } from "./unfinished.ts";
import type { RenderedPage } from "../chromium/tab.ts";
import { timerEvent } from "../chromium/timer-watch.ts";

export type FirstSight = ReturnType<typeof firstSight>;

/** A page that shows something is read once it has not changed for so long, ... */
const stillMs = 300;
/** ... and at the latest so long after its first text, unless it says itself that it is loading. */
const restlessMs = 2000;
/** A page that shows nothing counts as empty once it has not changed and waited for nothing for so long. */
const emptyMs = 2000;
const askEveryMs = 100;

/** State of a page when it is read. */
export interface Glance {
  shows: boolean;
  /** Whether the page waits for a timer of its own. */
  waits: boolean;
  /** Number of its elements and length of its text. */
  size: string;
}

/**
 * Reads a page. A page that shows nothing, or little while it waits for requests or timers, or that is about to
 * send on, is waited for within the caller's time and read again.
 */
export async function readOnceShown<T>(
  page: RenderedPage,
  read: () => Promise<T>,
  glance: (found: T) => Glance,
): Promise<T> {
  const found = await read();
  const first = glance(found);
  if (first.shows && !first.waits && page.inFlight("data") === 0) return found;
  return (await awaitContent(page, first)) ? read() : found;
}

/**
 * Waits until the page shows what it is to show. False when it did so at the first glance, or has no scripts and
 * cannot change.
 */
async function awaitContent(page: RenderedPage, first: Glance): Promise<boolean> {
  let size = "";
  let still = monotonicNow();
  let shownAt: number | undefined;
  let changed = false;
  for (let looks = 0; monotonicNow() < page.stageEnds; looks += 1) {
    const input: Question = {
      timerEvent,
      changed,
      leftMs: page.stageEnds - monotonicNow(),
      leavesMs: longestRefresh * 1000,
      restlessMs,
    };
    const now: Look = await evaluate(page.tab, look, input, page.timeLeft(), {
      sight: firstSight,
      progress: pageProgress,
    });
    if (!now.scripted) return false;
    const time = monotonicNow();
    if (now.shows) shownAt ??= time;
    const requests = page.inFlight(now.shows ? "data" : "all") > 0;
    const waits = now.leaves || (now.unfinished && (now.waits || requests));
    // It may have become complete since the first glance.
    if (looks === 0 && now.shows && !waits) return !first.shows || now.size !== first.size;
    changed = now.size !== size;
    if (changed || waits) still = time;
    size = now.size;
    if (time - still >= (now.shows ? stillMs : emptyMs)) return true;
    const isRestless = shownAt !== undefined && time - shownAt >= restlessMs;
    if (isRestless && !now.loading) return true;
    // Before it has been still for long enough, a page that waits for nothing has no news that would end the wait.
    const ends = Math.min(still + stillMs, (shownAt ?? time) + restlessMs, page.stageEnds);
    const pauseMs = now.shows && !waits ? Math.max(askEveryMs, ends - time) : askEveryMs;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return true;
}

/** Whether the page shows anything at this moment. */
export function drawsSomething(page: RenderedPage): Promise<boolean> {
  return evaluate(page.tab, isDrawn, undefined, page.timeLeft(), { sight: firstSight });
}

/** Runs in the page. */
const isDrawn = (_: DomTools, __: unknown, { sight }: { sight: FirstSight }): boolean =>
  sight.anything("shown");

interface Question {
  timerEvent: string;
  /** Whether the page has changed since the last look. */
  changed: boolean;
  /** Time that the caller leaves. */
  leftMs: number;
  /** Timers that send the page on count within this time. */
  leavesMs: number;
  restlessMs: number;
}

interface Look {
  shows: boolean;
  /** Whether the page shows nothing or little, or has a sign that it is loading. */
  unfinished: boolean;
  /** Whether it shows little, and says that it is loading. */
  loading: boolean;
  /** Whether it waits for a timer that may complete it. */
  waits: boolean;
  /** Whether a timer is about to send the page on. */
  leaves: boolean;
  scripted: boolean;
  size: string;
}

/** Runs in the page. */
function look(
  dom: DomTools,
  input: Question,
  { sight, progress }: { sight: FirstSight; progress: PageProgress },
): Look {
  const shows = sight.anything();
  const { little, loading } = shows ? progress.state() : { little: true, loading: true };
  const timers = (withinMs: number, leaving = false) =>
    progress.timers(input.timerEvent, { withinMs, leaving, changed: input.changed });
  const isPatient = little && loading;
  return {
    shows,
    unfinished: little || loading,
    loading: isPatient,
    waits: timers(isPatient ? input.leftMs : input.restlessMs),
    leaves: timers(input.leavesMs, true),
    scripted: dom.querySelector(document, "script, iframe, [onload]") !== null,
    size: progress.size(),
  };
}

/** Runs in the page: returns whether it shows anything. */
export function firstSight(dom: DomTools) {
  /** A page with so many pieces of hidden text counts as showing something. */
  const mostUnseen = 5000;
  const wordless = /^(?:script|style|noscript|template|title|head|svg|iframe|object|select)$/;
  const drawn = /^(?:img|canvas|svg|video|i?frame|embed|object|input|textarea|select)$/;

  function isLarge(element: Element): boolean {
    const { width, height } = dom.box(element);
    return width >= 64 && height >= 16;
  }

  return {
    /** Whether the page has anything that is part of the layout or, as "shown", that CSS does not hide either. */
    anything(as: "rendered" | "shown" = "rendered"): boolean {
      const sees = dom[as];
      const body = dom.body(document) ?? dom.root(document);
      let unseen = 0;
      let found = false;
      if (body) {
        dom.walk(body, (element) => {
          const name = dom.localName(element);
          if (drawn.test(name)) found ||= isLarge(element) && sees(element);
          if (wordless.test(name)) return found;
          for (let node = dom.firstChild(element); node; node = dom.nextSibling(node)) {
            if (dom.nodeType(node) !== Node.TEXT_NODE || !dom.nodeValue(node)?.trim()) continue;
            unseen += 1;
            if (sees(element)) found = true;
            break;
          }
          found ||= unseen > mostUnseen && as === "rendered";
          return found;
        });
      }
      return found;
    },
  };
}
