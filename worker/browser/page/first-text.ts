/// <reference lib="dom" />
import { monotonicNow } from "../../../runtime/monotonic.ts";
import type { DomTools } from "../dom.ts";
import { evaluate } from "./isolated-world.ts";
import type { RenderedPage } from "../chromium/tab.ts";

export type FirstSight = ReturnType<typeof firstSight>;

/** A page that shows something is read once it has not changed for so long, ... */
const stillMs = 300;
/** ... and at the latest so long after its first text. */
const restlessMs = 2000;
/** A page that shows nothing counts as empty once it has not changed and requested nothing for so long. */
const emptyMs = 2000;
const askEveryMs = 100;

/** Reads a page. If it shows nothing, waits for its scripts within the caller's time and reads it again. */
export async function readOnceShown<T>(
  page: RenderedPage,
  read: () => Promise<T>,
  showsNothing: (found: T) => boolean,
): Promise<T> {
  const found = await read();
  if (!showsNothing(found) || !(await mayStillShow(page))) return found;
  return read();
}

/** Waits until the page shows something. False when it has no scripts and cannot change. */
async function mayStillShow(page: RenderedPage): Promise<boolean> {
  let size = "";
  let still = monotonicNow();
  let shownAt: number | undefined;
  while (monotonicNow() < page.stageEnds) {
    const now = await evaluate(page.tab, look, undefined, page.timeLeft(), { sight: firstSight });
    if (!now.scripted) return false;
    const time = monotonicNow();
    if (now.shows) shownAt ??= time;
    if (now.size !== size || (!now.shows && page.inFlight() > 0)) {
      size = now.size;
      still = time;
    }
    if (time - still >= (now.shows ? stillMs : emptyMs)) return true;
    if (shownAt !== undefined && time - shownAt >= restlessMs) return true;
    await new Promise((resolve) => setTimeout(resolve, askEveryMs));
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

/** Runs in the page. */
function look(
  dom: DomTools,
  _: unknown,
  { sight }: { sight: FirstSight },
): { shows: boolean; scripted: boolean; size: string } {
  const root = dom.root(document);
  const text = (root && dom.textContent(root)?.length) ?? 0;
  return {
    shows: sight.anything(),
    scripted: dom.querySelector(document, "script, iframe, [onload]") !== null,
    size: `${dom.allElements(document).length} ${text}`,
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
