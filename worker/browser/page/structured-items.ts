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

/** Runs in the page, or on a document without one: reads microdata as HTML defines it, and RDFa's attributes of HTML. */
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

  /** An address of the web, or one to write to or to call, which is a value too. */
  const addressOf = (stated: string | null) => {
    const contact = /^\s*((?:mailto|tel):\S{1,500})\s*$/i.exec(stated ?? "");
    return contact ? contact[1] : dom.webUrl(stated);
  };

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
        return allowance.keep(addressOf(attribute("href")));
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

  interface Place {
    /** The item that properties belong to. */
    item: StructuredItem | undefined;
    depth: number;
    /** The typed elements inside are values of this property. */
    waiting?: { item: StructuredItem; name: string } | undefined;
  }
  interface Step extends Place {
    element: Element;
    vocabulary: string;
    prefixes: ReadonlyMap<string, string>;
  }
  /** Their `rel` has link types of HTML, not properties. */
  const linking = new Set(["a", "area", "form", "link"]);

  function rdfa(allowance: Allowance, text: PlainText): StructuredItem[] {
    const items: StructuredItem[] = [];
    const root = dom.root(dom.document);
    if (!root || !dom.querySelector(dom.document, "[typeof]")) return items;
    const places = new Map<string, Place>();
    // RDFa's initial context defines these prefixes for every page.
    const rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
    const prefixes = new Map([
      ["schema", "https://schema.org/"],
      ["rdf", rdf],
    ]);
    const pending: Step[] = [
      { element: root, vocabulary: "", prefixes, item: undefined, depth: 0 },
    ];
    for (let step = pending.pop(); step; step = pending.pop()) {
      if (!allowance.visit()) break;
      const { element, item } = step;
      const attribute = (name: string) => dom.attribute(element, name);
      const vocabulary = attribute("vocab")?.trim() ?? step.vocabulary;
      const known = prefixesOf(attribute("prefix"), step.prefixes);
      const terms = (name: string) =>
        words(attribute(name))
          .map((term) => allowance.keep(termOf(term, vocabulary, known)))
          .filter((term) => term !== undefined);
      const names = terms("property");
      const isTyped = attribute("typeof") !== null;
      const resource = attribute("resource") ?? (isTyped ? null : attribute("about"));
      const target = resource ?? attribute("href") ?? attribute("src");
      const isLink = !isTyped && resource === null && linking.has(dom.localName(element));
      const relation = names.length > 0 || isLink ? undefined : terms("rel")[0];
      let place: Place = step;
      if (isTyped) {
        const id = allowance.keep(dom.webUrl(attribute("about") ?? target));
        const inner: StructuredItem = {
          types: terms("typeof"),
          ...(id ? { id } : {}),
          properties: [],
        };
        // One name only: items that are nested under two names each would double at every level.
        const own = names[0] ?? relation;
        const outer = own !== undefined && item ? { item, name: own } : step.waiting;
        if (outer) outer.item.properties.push([outer.name, inner]);
        else items.push(inner);
        place = { item: inner, depth: step.depth + 1 };
        if (place.depth > mostDepth) allowance.cut();
        if (place.depth > mostDepth || !makesItem(allowance)) break;
        if (id && !places.has(id)) places.set(id, place);
      } else if (names.length > 0) {
        const value =
          attribute("content") === null && target !== null
            ? addressOf(target)
            : valueOf(element, allowance, text);
        for (const name of item ? names : []) {
          if (allowance.keep(value)) item?.properties.push([name, value as string]);
        }
      } else if (relation !== undefined && item) {
        const value = allowance.keep(dom.webUrl(resource));
        if (value && relation === `${rdf}type`) item.types.push(value);
        else if (value) item.properties.push([relation, value]);
        else place = { item: undefined, depth: step.depth, waiting: { item, name: relation } };
      } else if (resource !== null) {
        // Properties inside are of that thing, not of the one around it.
        place = places.get(dom.webUrl(resource) ?? "") ?? { item: undefined, depth: step.depth };
      }
      const { depth, waiting } = place;
      for (const child of dom.childElements(element).reverse()) {
        pending.push({
          element: child,
          vocabulary,
          prefixes: known,
          item: place.item,
          depth,
          waiting,
        });
      }
    }
    return items;
  }

  return { microdata, rdfa };
}
