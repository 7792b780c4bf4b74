/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";

export type RevealRules = ReturnType<typeof revealRules>;

/** An open element, for those inside it. */
interface Ancestor {
  element: Element;
  style: CSSStyleDeclaration;
}

/** Runs in the page: separates elements that are hidden for good from elements that wait to be shown. */
export function revealRules(dom: DomTools) {
  /** The style attribute hides the element: scripts do so that will show it later. */
  const ownOpacity = /(?:^|;)\s*opacity\s*:\s*0?\.?0+\s*(?:;|!|$)/i;
  const ownVisibility = /(?:^|;)\s*visibility\s*:\s*hidden\s*(?:;|!|$)/i;
  const animated = /(?:^|[\s_-])(?:wow|reveal|sr|aos|animated?|anim|fade|scroll)(?:$|[\s_-])/i;
  const ownStyle = (element: Element) => (dom.attribute(element, "style") ?? "").slice(0, 2000);
  const moves = (durations: string) => durations.split(",").some((d) => parseFloat(d) > 0);

  const isMoving = (style: CSSStyleDeclaration) =>
    moves(style.transitionDuration) || moves(style.animationDuration);
  const isLifted = ({ position }: CSSStyleDeclaration) =>
    position === "absolute" || position === "fixed";

  /** Whether an element takes space in the page's flow; dialogs and menus over the page take none. */
  function takesSpace(element: Element, style: CSSStyleDeclaration): boolean {
    if (isLifted(style)) return false;
    const { width, height } = dom.box(element);
    return width > 1 && height > 1;
  }

  /** Whether an element at opacity 0 waits for its transition, its animation, a script or a scroll. */
  function appears(element: Element, style: CSSStyleDeclaration): boolean {
    if (isMoving(style)) return true;
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
    const isLeft = right + scrollX <= 0 && left < -999;
    return isLeft || (bottom + scrollY <= 0 && top < -999);
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

  /** Whether a transform draws an element without width or height, and nothing is about to enlarge it. */
  function isShrunk(element: Element, style: CSSStyleDeclaration, display: string): boolean {
    // Transforms have no effect on a box within a line.
    if (display === "inline" || display === "contents") return false;
    if (!isFlat(style.transform) && !/(?:^| )0(?: |$)/.test(style.scale)) return false;
    if (isLifted(style)) return true;
    return !isMoving(style) && !/scale/i.test(ownStyle(element));
  }

  function isFlat(transform: string): boolean {
    const { 1: values } = /^matrix\(([^)]*)\)$/.exec(transform) ?? [];
    if (values === undefined) return /^matrix3d\((?:0, ){8}/.test(transform);
    const [a = 1, b = 0, c = 0, d = 1] = values.split(",").map(Number);
    return a * d - b * c === 0;
  }

  /** Whether the text of the last element has no colour. Layers of text over a picture have none, and stay. */
  function isClear(style: CSSStyleDeclaration, ancestors: readonly Ancestor[]): boolean {
    if (!/^rgba\(.*, 0\)$|\/ 0\)$/.test(style.webkitTextFillColor) || isMoving(style)) return false;
    if (style.textShadow !== "none" || parseFloat(style.webkitTextStrokeWidth) > 0) return false;
    return !ancestors.some(
      (one) => isLifted(one.style) || one.style.backgroundClip.includes("text"),
    );
  }

  /** Whether a text stands where nobody can scroll, or wholly beside the nearest box that cuts it off. */
  function isOutside(text: Node, ancestors: readonly Ancestor[]): boolean {
    const range = new Range();
    range.selectNodeContents(text);
    const { left, right, width } = range.getBoundingClientRect();
    if (width === 0) return false;
    if (right + scrollX <= 0 && left < -999) return true;
    const cutting = ancestors.findLast(
      ({ style }) => style.display !== "inline" && /hidden|clip/.test(style.overflowX),
    );
    if (!cutting) return false;
    const frame = dom.box(cutting.element);
    return left >= frame.right || right <= frame.left;
  }

  const always = () => true;
  const never = () => false;

  return {
    /** The test for whether a text of the last of these elements is drawn; it costs two more styles an element. */
    drawn(ancestors: readonly Ancestor[]): (text: Node) => boolean {
      const { style } = ancestors.at(-1) as Ancestor;
      if (style.fontSize === "0px" || isClear(style, ancestors)) return never;
      const { textIndent } = style;
      const indent = Math.abs(parseFloat(textIndent));
      const isFar = indent >= (textIndent.endsWith("%") ? 100 : 500);
      return isFar ? (text) => !isOutside(text, ancestors) : always;
    },

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
      return isCollapsed(element, style, display) || isShrunk(element, style, display);
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
