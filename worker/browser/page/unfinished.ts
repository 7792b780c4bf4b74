/// <reference lib="dom" />
import type { TimerQuestion } from "../chromium/timer-watch.ts";
import type { DomTools } from "../dom.ts";

export type PageProgress = ReturnType<typeof pageProgress>;

/** Runs in the page: tells a page that stands in for its content from one that shows it. */
export function pageProgress(dom: DomTools) {
  /** A page whose main part shows fewer characters may be only the frame of one. */
  const fewCharacters = 200;
  const mainPart = "main, [role=main], #root, #app, #content";
  const signs =
    "[aria-busy=true], progress:not([value]), [role=progressbar]:not([aria-valuenow]), " +
    ["skeleton", "spinner", "loading", "loader", "shimmer", "placeholder"]
      .map((name) => `[class*=${name} i]`)
      .join(", ");
  const mostSigns = 30;
  const mostOfSign = 100;

  /** Whether the main part shows little text, and whether that text says that more is to come. */
  function littleText(): { little: boolean; announces: boolean } {
    const body = dom.body(document);
    const part = dom.querySelector(document, mainPart) ?? body;
    let text = "";
    if (part) {
      dom.walk(part, (element) => {
        const name = dom.localName(element);
        if (/^(?:script|style|noscript|template)$/.test(name)) return false;
        for (let node = dom.firstChild(element); node; node = dom.nextSibling(node)) {
          const value = dom.nodeType(node) === Node.TEXT_NODE ? (dom.nodeValue(node) ?? "") : "";
          if (value.trim() && dom.shown(element)) text += value.trim();
          if (text.length >= fewCharacters) return true;
        }
        return false;
      });
    }
    const little = text.length < fewCharacters;
    return { little, announces: little && /…|\.\.\.|\bloading\b|please wait/i.test(text) };
  }

  /** Whether the first screen has a part that is drawn while something loads. */
  function showsSign(): boolean {
    let seen = 0;
    for (const element of dom.matching(document, signs)) {
      seen += 1;
      if (seen > mostSigns) return false;
      if (/^(?:img|input|textarea|body|html)$/.test(dom.localName(element))) continue;
      const { top, bottom, width, height } = dom.box(element);
      if (width < 4 || height < 4 || bottom < 0 || top > innerHeight) continue;
      const length = dom.textContent(element)?.trim().length ?? 0;
      if (length < mostOfSign && dom.shown(element)) return true;
    }
    return false;
  }

  /** Whether the page waits for timers of its own. */
  const timers = (eventName: string, question: TimerQuestion): boolean =>
    !dispatchEvent(new CustomEvent(eventName, { detail: question, cancelable: true }));

  /** Number of elements and length of the text: it tells a page that has changed. */
  function size(): string {
    const root = dom.root(document);
    return `${dom.allElements(document).length} ${(root && dom.textContent(root)?.length) ?? 0}`;
  }

  return {
    timers,
    size,
    /** Whether it waits for any timer within the time that a caller may give it, and its size now. */
    glance: (eventName: string) => ({
      waits: timers(eventName, { withinMs: 60_000, leaving: false, changed: false }),
      size: size(),
    }),

    /** "little" text may be all there is; a page that is "loading" says so itself. */
    state(): { little: boolean; loading: boolean } {
      const { little, announces } = littleText();
      return { little, loading: announces || showsSign() };
    },
  };
}
