/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";

export type MathReader = ReturnType<typeof mathReader>;

export interface Formula {
  /** The MathML element; undefined where the TeX is known. */
  math: Element | undefined;
  tex: string;
  /** Whether it stands on a line of its own. */
  display: boolean;
}

/** Runs in the page: finds each formula once, whichever of the common programs drew it. */
export function mathReader(dom: DomTools) {
  const has = (element: Element, name: string) =>
    ` ${(dom.attribute(element, "class") ?? "").replace(/\s/g, " ")} `.includes(` ${name} `);

  /** Puts TeX on one line, without comments and without the wrapper of Wikipedia and LaTeXML. */
  function clean(source: string): string {
    let tex = source
      .replace(/(^|[^\\])%[^\n]*/g, "$1")
      .replace(/\s+/g, " ")
      .trim();
    const wrapped = /^\{\s*\\(?:display|text)style\b/.exec(tex)?.[0];
    if (wrapped !== undefined && tex.endsWith("}")) {
      let depth = 0;
      let at = 0;
      for (; at < tex.length; at += 1) {
        if (tex[at] === "\\") at += 1;
        else if (tex[at] === "{") depth += 1;
        else if (tex[at] === "}") depth -= 1;
        if (depth === 0) break;
      }
      if (at === tex.length - 1) tex = tex.slice(wrapped.length, -1);
    }
    return tex.replace(/^\s*\\displaystyle\b/, "").trim();
  }

  /** The TeX that a MathML element carries. */
  function carried(math: Element): string {
    const inner = dom.childElement(math);
    if (inner && dom.localName(inner) === "semantics") {
      for (const child of dom.firstElements(inner, 20)) {
        const encoding = dom.attribute(child, "encoding") ?? "";
        if (dom.localName(child) === "annotation" && /tex/i.test(encoding)) {
          return clean(dom.textContent(child) ?? "");
        }
      }
    }
    return clean(dom.attribute(math, "alttext") ?? "");
  }

  /** The MathML element among the children and grandchildren of an element. */
  function mathIn(element: Element): Element | undefined {
    for (const child of dom.firstElements(element, 16)) {
      if (dom.localName(child) === "math") return child;
      for (const inner of dom.firstElements(child, 4)) {
        if (dom.localName(inner) === "math") return inner;
      }
    }
    return undefined;
  }

  function formula(math: Element | undefined, display: boolean): Formula | undefined {
    if (!math) return undefined;
    return {
      math,
      tex: carried(math),
      display: display || dom.attribute(math, "display") === "block",
    };
  }

  /** MathJax 2 leaves its source in a script after the drawn formula. */
  function sourceScript(element: Element): Formula | undefined {
    const type = dom.attribute(element, "type") ?? "";
    if (!/^math\/tex/i.test(type)) return undefined;
    const tex = clean(dom.textContent(element) ?? "");
    return { math: undefined, tex, display: /mode\s*=\s*display/i.test(type) };
  }

  function drawnFromScript(element: Element): boolean {
    let next = dom.nextElement(element);
    for (let steps = 0; next && steps < 3; steps += 1, next = dom.nextElement(next)) {
      if (dom.localName(next) === "script") return sourceScript(next) !== undefined;
    }
    return false;
  }

  return {
    /** The formula of an element; "drawn" when the element only repeats one; undefined when it is none. */
    of(element: Element, name: string): Formula | "drawn" | undefined {
      if (name === "math") return formula(element, false);
      if (name === "script") return sourceScript(element);
      if (name === "mjx-container") {
        const display = dom.attribute(element, "display") === "true";
        const found = formula(mathIn(element), display);
        if (found) return found;
        const [drawn] = dom.firstElements(element, 1);
        const tex = clean((drawn && dom.attribute(drawn, "data-latex")) ?? "");
        return tex ? { math: undefined, tex, display } : undefined;
      }
      if (has(element, "katex")) {
        const parent = dom.parentNode(element);
        return formula(mathIn(element), parent instanceof Element && has(parent, "katex-display"));
      }
      if (has(element, "mwe-math-element")) {
        return formula(mathIn(element), has(element, "mwe-math-element-block"));
      }
      const classes = dom.attribute(element, "class") ?? "";
      const drawn = /(?:^|\s)(?:MathJax(?:_|\s|$)|MJXc-display)/.test(classes);
      return drawn && drawnFromScript(element) ? "drawn" : undefined;
    },
  };
}
