/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";

export type RevealRules = ReturnType<typeof revealRules>;

/** Runs in the page: separates elements that are hidden for good from elements that wait to be shown. */
export function revealRules(dom: DomTools) {
  /** The style attribute hides the element: scripts do so that will show it later. */
  const ownOpacity = /(?:^|;)\s*opacity\s*:\s*0?\.?0+\s*(?:;|!|$)/i;
  const ownVisibility = /(?:^|;)\s*visibility\s*:\s*hidden\s*(?:;|!|$)/i;
  const animated = /(?:^|[\s_-])(?:wow|reveal|sr|aos|animated?|anim|fade|scroll)(?:$|[\s_-])/i;
  const ownStyle = (element: Element) => (dom.attribute(element, "style") ?? "").slice(0, 2000);
  const moves = (durations: string) => durations.split(",").some((d) => parseFloat(d) > 0);

  /** Whether an element takes space in the page's flow; dialogs and menus over the page take none. */
  function takesSpace(element: Element, style: CSSStyleDeclaration): boolean {
    if (style.position === "absolute" || style.position === "fixed") return false;
    const { width, height } = dom.box(element);
    return width > 1 && height > 1;
  }

  /** Whether an element at opacity 0 waits for its transition, its animation, a script or a scroll. */
  function appears(element: Element, style: CSSStyleDeclaration): boolean {
    if (moves(style.transitionDuration) || moves(style.animationDuration)) return true;
    if (!takesSpace(element, style)) return false;
    return (
      ownOpacity.test(ownStyle(element)) ||
      /opacity|transform/.test(style.willChange) ||
      dom.box(element).top >= innerHeight
    );
  }

  /** Whether an element stands left of the page or above it, where nobody can scroll. */
  function isOffScreen(element: Element, style: CSSStyleDeclaration): boolean {
    if (style.position !== "absolute") return false;
    const { left, right, top, bottom, width, height } = dom.box(element);
    // An element without a box may have shown children.
    if (width === 0 || height === 0) return false;
    return right + scrollX <= 0 && left < -999 ? true : bottom + scrollY <= 0 && top < -999;
  }

  /** Whether a box without width or height cuts off all that it holds. */
  function isCollapsed(element: Element, style: CSSStyleDeclaration, display: string): boolean {
    if (display === "inline" || display === "contents" || style.overflow === "visible")
      return false;
    // The viewport shows all that the body cuts off.
    if (element === dom.body(document) || element === dom.root(document)) return false;
    const { width, height } = dom.box(element);
    return width < 1 || height < 1;
  }

  return {
    /** Removes styles that hide the whole document until its scripts are done. */
    uncover(): void {
      for (const element of [dom.root(document), dom.body(document)]) {
        if (!(element instanceof HTMLElement)) continue;
        const style = getComputedStyle(element);
        const shown: [string, string][] = [];
        if (style.display === "none") shown.push(["display", "block"]);
        if (style.visibility !== "visible") shown.push(["visibility", "visible"]);
        if (style.opacity === "0") shown.push(["opacity", "1"]);
        if (shown.length > 0) shown.push(["transition", "none"]);
        for (const [name, value] of shown) dom.setStyle(element, name, value);
      }
    },

    /** Whether nothing inside is shown or about to be; `visibility` does not count, as children may undo it. */
    hidden(element: Element, style: CSSStyleDeclaration, display: string): boolean {
      if (display === "none" || style.contentVisibility === "hidden") return true;
      if (style.opacity === "0" && !appears(element, style)) return true;
      if (dom.clippedAway(style) || isOffScreen(element, style)) return true;
      return isCollapsed(element, style, display);
    },

    /** Whether `visibility: hidden` is only the beginning of an animation. */
    becomesVisible(element: Element, style: CSSStyleDeclaration): boolean {
      return (
        style.visibility === "hidden" &&
        ownVisibility.test(ownStyle(element)) &&
        (style.opacity === "0" || animated.test(dom.attribute(element, "class") ?? "")) &&
        takesSpace(element, style)
      );
    },
  };
}
