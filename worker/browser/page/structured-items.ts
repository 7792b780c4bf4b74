/// <reference lib="dom" />
import type { ReadingTools } from "../dom.ts";
import type { PlainText } from "./plain-text.ts";

/** An item of microdata or RDFa: absolute types, and its properties in document order. */
export interface StructuredItem {
  types: string[];
  id?: string;
  properties: [name: string, value: string | StructuredItem][];
}

/** Decides what still fits in the answer. */
export interface Allowance {
  /** The text, or undefined where it is empty or does not fit. */
  keep(text: string | null | undefined): string | undefined;
  /** False when no more elements may be visited. */
  visit(): boolean;
  /** Notes that something was left out. */
  cut(): void;
}

export type StructuredItems = ReturnType<typeof structuredItems>;

/** Runs in the page, or on a document without one: reads microdata as HTML defines it, and RDFa Lite. */
export function structuredItems(dom: ReadingTools) {
  const mostItems = 5000;
  const mostDepth = 15;
  const mostText = 50_000;
  const mostWords = 5;
  let made = 0;
  /** False when the page has more items than are read. */
  function makesItem(allowance: Allowance): boolean {
    made += 1;
    if (made > mostItems) allowance.cut();
    return made <= mostItems;
  }
  /** The distinct words of an attribute; each of them repeats the value that it names. */
  const words = (text: string | null) => [
    ...new Set((text ?? "").slice(0, 2000).split(/\s+/).filter(Boolean).slice(0, mostWords)),
  ];

  function valueOf(element: Element, allowance: Allowance, text: PlainText): string | undefined {
    const attribute = (name: string) => dom.attribute(element, name);
    const content = attribute("content");
    if (content !== null) return allowance.keep(content.trim().slice(0, mostText));
    switch (dom.localName(element)) {
      case "meta":
        return undefined;
      case "audio":
      case "embed":
      case "iframe":
      case "img":
      case "source":
      case "track":
      case "video":
        return allowance.keep(dom.webUrl(attribute("src")));
      case "a":
      case "area":
      case "link":
        return allowance.keep(dom.webUrl(attribute("href")));
      case "object":
        return allowance.keep(dom.webUrl(attribute("data")));
      case "data":
      case "meter":
        return allowance.keep(attribute("value")?.trim());
      case "time": {
        const stated = attribute("datetime")?.trim();
        if (stated) return allowance.keep(stated);
      }
    }
    const shown = text.of(element, mostText);
    if (shown === undefined) allowance.cut();
    return allowance.keep(shown);
  }

  function microdata(allowance: Allowance, text: PlainText): StructuredItem[] {
    function itemOf(root: Element, above: Set<Element>): StructuredItem {
      const id = allowance.keep(dom.attribute(root, "itemid")?.trim());
      const types = words(dom.attribute(root, "itemtype"));
      const item: StructuredItem = {
        types: types.filter((type) => allowance.keep(type)),
        ...(id ? { id } : {}),
        properties: [],
      };
      if (above.size >= mostDepth) {
        allowance.cut();
        return item;
      }
      const inside = new Set(above).add(root);
      const referred = words(dom.attribute(root, "itemref"))
        .map((name) => dom.elementById(dom.document, name))
        .filter((element) => element !== null);
      const pending = [...dom.childElements(root), ...referred].reverse();
      for (let element = pending.pop(); element; element = pending.pop()) {
        if (!allowance.visit()) break;
        const isItem = dom.attribute(element, "itemscope") !== null;
        for (const name of words(dom.attribute(element, "itemprop"))) {
          const value = !isItem
            ? valueOf(element, allowance, text)
            : inside.has(element) || !makesItem(allowance)
              ? undefined
              : itemOf(element, inside);
          if (value !== undefined && allowance.keep(name)) item.properties.push([name, value]);
        }
        if (!isItem) pending.push(...dom.childElements(element).reverse());
      }
      return item;
    }

    const items: StructuredItem[] = [];
    for (const element of dom.matching(dom.document, "[itemscope]:not([itemprop])")) {
      if (!allowance.visit() || !makesItem(allowance)) break;
      items.push(itemOf(element, new Set()));
    }
    return items;
  }

  /** Prefixes that an element states, beside those around it. */
  function prefixesOf(text: string | null, around: ReadonlyMap<string, string>) {
    const stated = (text ?? "").slice(0, 2000).matchAll(/([\w.-]{1,50}):\s+(https?:\S+)/g);
    const own = [...stated].map(([, name = "", address = ""]) => [name, address] as const);
    return own.length === 0 ? around : new Map([...around, ...own]);
  }

  /** The absolute name of a term; undefined where the page does not say whose term it is. */
  function termOf(
    term: string,
    vocabulary: string,
    prefixes: ReadonlyMap<string, string>,
  ): string | undefined {
    if (/^https?:\/\//.test(term)) return term;
    const colon = term.indexOf(":");
    if (colon === -1) return vocabulary === "" ? undefined : vocabulary + term;
    const address = prefixes.get(term.slice(0, colon));
    return address === undefined ? undefined : address + term.slice(colon + 1);
  }

  function rdfa(allowance: Allowance, text: PlainText): StructuredItem[] {
    const items: StructuredItem[] = [];
    const root = dom.root(dom.document);
    if (!root || !dom.querySelector(dom.document, "[typeof]")) return items;
    interface Step {
      element: Element;
      vocabulary: string;
      prefixes: ReadonlyMap<string, string>;
      item: StructuredItem | undefined;
      depth: number;
    }
    // RDFa's initial context defines this prefix for every page.
    const prefixes = new Map([["schema", "https://schema.org/"]]);
    const pending: Step[] = [
      { element: root, vocabulary: "", prefixes, item: undefined, depth: 0 },
    ];
    for (let step = pending.pop(); step; step = pending.pop()) {
      if (!allowance.visit()) break;
      const { element } = step;
      const attribute = (name: string) => dom.attribute(element, name);
      const vocabulary = attribute("vocab")?.trim() ?? step.vocabulary;
      const known = prefixesOf(attribute("prefix"), step.prefixes);
      const terms = (name: string) =>
        words(attribute(name))
          .map((term) => allowance.keep(termOf(term, vocabulary, known)))
          .filter((term) => term !== undefined);
      const names = terms("property");
      let { item, depth } = step;
      if (attribute("typeof") !== null) {
        const id = allowance.keep(dom.webUrl(attribute("resource") ?? attribute("about")));
        const inner: StructuredItem = {
          types: terms("typeof"),
          ...(id ? { id } : {}),
          properties: [],
        };
        // One name only: items that are nested under two names each would double at every level.
        const [name] = names;
        if (name !== undefined && step.item) step.item.properties.push([name, inner]);
        else items.push(inner);
        item = inner;
        depth += 1;
        if (depth > mostDepth) allowance.cut();
        if (depth > mostDepth || !makesItem(allowance)) break;
      } else if (item && names.length > 0) {
        const target = attribute("resource") ?? attribute("href") ?? attribute("src");
        const value =
          attribute("content") === null && target !== null
            ? dom.webUrl(target)
            : valueOf(element, allowance, text);
        for (const name of names) {
          if (allowance.keep(value)) item.properties.push([name, value as string]);
        }
      }
      for (const child of dom.childElements(element).reverse()) {
        pending.push({ element: child, vocabulary, prefixes: known, item, depth });
      }
    }
    return items;
  }

  return { microdata, rdfa };
}
