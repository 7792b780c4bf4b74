/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";
import type { Marks } from "./inline-html.ts";

export type ElementKinds = ReturnType<typeof elementKinds>;

export interface Box {
  element: Element;
  style: CSSStyleDeclaration;
}

type Side = "::before" | "::after";

/** Runs in the page: tells elements apart by their names and styles. */
export function elementKinds(dom: DomTools) {
  const words = (text: string) => new Set(text.split(" "));
  /** Whether the sides of a box part it from what stands beside it. */
  const isGap = (...sides: string[]) =>
    sides.reduce((sum, side) => sum + (parseFloat(side) || 0), 0) >= 3;
  const isWide = ({ element, style }: Box) =>
    dom.box(element).width > parseFloat(style.fontSize) * 1.2;

  /** Whether CSS draws something that is no part of a word at a side of an element's text. */
  function showsBetween(element: Element, side: Side): boolean {
    const { content, display, position } = getComputedStyle(element, side);
    if (!content.includes('"') || display === "none") return false;
    if (position === "absolute" || position === "fixed") return false;
    const text = [...content.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, part]) => part).join("");
    // Hyphens and apostrophes are parts of a word.
    return /[^\p{L}\p{N}\p{M}'’\u00ad\u200b\u2010\u2011\u2060\ufeff-]/u.test(text);
  }

  return {
    /** Elements without text for a reader. */
    dropped: words(
      "script style template object embed canvas map option datalist link meta title head base source track param rp progress meter desc metadata defs symbol clipPath mask pattern marker filter path rect circle ellipse line polyline polygon use image",
    ),

    /** Elements of running text. */
    inline: words(
      "a abbr acronym b bdi bdo big button cite code data del dfn em font i img ins kbd label mark math q ruby rb rt rtc s samp small span strike strong sub sup time tt u var wbr nobr picture slot",
    ),

    /** Whether an element is of a kind that the reader of formulas knows. */
    mayBeFormula(element: Element, name: string): boolean {
      if (name === "span" || name === "div") {
        return /katex|mwe-math|MathJax|MJXc/.test(dom.attribute(element, "class") ?? "");
      }
      if (name === "script") return /^math\/tex/i.test(dom.attribute(element, "type") ?? "");
      return name === "math" || name === "mjx-container";
    },

    /** The change that an element of running text makes to the marks of its text. */
    marks(name: string): Partial<Marks> | undefined {
      if (/^(?:b|strong)$/.test(name)) return { bold: true };
      if (/^(?:i|em|cite|dfn|var)$/.test(name)) return { italic: true };
      if (/^(?:s|del|strike)$/.test(name)) return { strike: true };
      if (/^(?:code|kbd|samp|tt)$/.test(name)) return { code: true };
      return name === "sub" || name === "sup" ? { script: name } : undefined;
    },

    keepsLines: (style: CSSStyleDeclaration) =>
      /^(?:pre|break-spaces)/.test(style.whiteSpaceCollapse),

    /** Whether a box within a line is a word of its own; single letters may be boxed to be moved. */
    beginsApart(box: Box, before: Box | undefined): boolean {
      const { marginLeft, borderLeftWidth, paddingLeft } = box.style;
      return (
        isGap(marginLeft, borderLeftWidth, paddingLeft) ||
        (before !== undefined && isWide(before) && isWide(box)) ||
        showsBetween(box.element, "::before")
      );
    },

    endsApart({ element, style }: Box): boolean {
      const { marginRight, borderRightWidth, paddingRight } = style;
      return isGap(marginRight, borderRightWidth, paddingRight) || showsBetween(element, "::after");
    },

    /** Whether something stands between the text of an element and its neighbour. */
    isParted({ element, style }: Box, side: Side, byMargin: boolean): boolean {
      const margin = side === "::before" ? style.marginLeft : style.marginRight;
      return (byMargin && isGap(margin)) || showsBetween(element, side);
    },
  };
}
