/// <reference lib="dom" />
import type { ReadingTools } from "../dom.ts";

export type PlainText = ReturnType<typeof plainText>;

/** Runs in the page, or on a document without one: reads the text of elements as data, without scripts and styles. */
export function plainText(dom: ReadingTools) {
  const silent = new Set(["script", "style", "noscript", "template"]);
  const apart = new Set(
    "address article br dd div dl dt figure footer h1 h2 h3 h4 h5 h6 header hr li ol p pre section table td th tr ul".split(
      " ",
    ),
  );
  return {
    /** White space is one space; parts of block elements stand apart. Undefined beyond `most` characters. */
    of(element: Element, most: number): string | undefined {
      let text = "";
      let node: Node | null = dom.firstChild(element);
      while (node) {
        let enters = false;
        if (dom.nodeType(node) === 3) text += dom.nodeValue(node) ?? "";
        else if (dom.isElement(node)) {
          const name = dom.localName(node);
          enters = !silent.has(name);
          if (apart.has(name)) text += " ";
        }
        // Much of a page's text is white space, which does not count.
        if (text.length > 4 * most + 1000) return undefined;
        let next: Node | null = enters ? dom.firstChild(node) : null;
        for (let here: Node | null = node; here && !next;) {
          next = dom.nextSibling(here);
          if (next) break;
          here = dom.parentNode(here);
          if (!here || here === element) break;
          if (dom.isElement(here) && apart.has(dom.localName(here))) text += " ";
        }
        node = next;
      }
      const clean = text.replace(/\s+/g, " ").trim();
      return clean.length > most ? undefined : clean;
    },
  };
}
