import { defaultTreeAdapter, parse, serialize } from "parse5";
import type { DefaultTreeAdapterTypes } from "parse5";
import { webUrl } from "./plain-page.ts";

type Element = DefaultTreeAdapterTypes.Element;
const isElement = (node: DefaultTreeAdapterTypes.Node): node is Element => "attrs" in node;

/**
 * The document, whose address is `url`, with what the package `microformats-parser` reads wrong written so that it reads
 * as specified.
 */
export function amendMicroformats(html: string, url: string): string {
  const document = parse(html);
  const pending: DefaultTreeAdapterTypes.Node[] = [document];
  for (let node = pending.pop(); node; node = pending.pop()) {
    // A spread of very many children would overflow the stack.
    if ("childNodes" in node) for (const child of node.childNodes) pending.push(child);
    if (!isElement(node)) continue;
    amendAddresses(node, url);
    const classes = node.attrs.find(({ name }) => name === "class");
    const names = classes?.value.split(/\s+/) ?? [];
    if (names.some((name) => name.startsWith("h-"))) separateFirst(node);
    if (classes && names.includes("value")) {
      const title = titleOf(node);
      if (title !== undefined) {
        classes.value = names.map((name) => (name === "value" ? "value-title" : name)).join(" ");
        node.attrs = node.attrs.filter(({ name }) => name !== "title");
        node.attrs.push({ name: "title", value: title });
      }
      for (const child of node.childNodes) {
        if (child.nodeName === "#text" && "value" in child) child.value = byDay(child.value);
      }
    }
  }
  return serialize(document);
}

/** The parser takes a base as it stands, and one address that is none ends it. */
function amendAddresses(element: Element, url: string): void {
  if (element.tagName === "base") {
    const href = element.attrs.find(({ name }) => name === "href");
    const base = webUrl(href?.value, url);
    element.attrs = base === undefined ? [] : [{ name: "href", value: base }];
  }
  for (const attribute of element.attrs) {
    const isAddress = ["data", "href", "src"].includes(attribute.name);
    if (isAddress && !URL.canParse(attribute.value, url)) attribute.value = "about:invalid";
  }
}

/** Attributes that hold the value of an element of class `value` (microformats.org/wiki/value-class-pattern). */
const holders: Readonly<Record<string, string>> = {
  abbr: "title",
  area: "alt",
  data: "value",
  img: "alt",
};

/** The value in an attribute, which the parser reads of the class `value-title` only. */
const titleOf = ({ tagName, attrs }: Element): string | undefined =>
  attrs.find(({ name }) => name === holders[tagName])?.value;

/** The parser takes the text of a first picture for an item's name, even where it is no only child. */
function separateFirst(root: Element): void {
  const [child, ...others] = root.childNodes.filter(isElement);
  for (const parent of child && others.length === 0 ? [root, child] : [root]) {
    const [first, second] = parent.childNodes.filter(isElement);
    if (first && second && ["abbr", "area", "img"].includes(first.tagName)) {
      const span = defaultTreeAdapter.createElement("span", first.namespaceURI, []);
      defaultTreeAdapter.insertBefore(parent, span, first);
    }
  }
}

/** Twelve of a clock of twelve hours as the hour of the day, which the parser has wrong; other times as they are. */
const byDay = (text: string): string =>
  text.replace(
    /^\s*12(:\d\d)?(:\d\d)?\s*([ap])\.?m\.?\s*$/i,
    (_, minutes = ":00", seconds = "", half) =>
      `${/p/i.test(String(half)) ? "12" : "00"}${minutes}${seconds}`,
  );
