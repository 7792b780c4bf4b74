import sax from "sax";
import { Unreadable } from "./document.ts";

/** An element; names are local ones, without the prefix of a namespace. */
export interface Element {
  name: string;
  /** By the full name. */
  attributes: Readonly<Record<string, string>>;
  children: (Element | string)[];
}

const limits = { depth: 256, nodes: 3_000_000 };

const localName = (name: string) => name.slice(name.indexOf(":") + 1);

/**
 * Parses XML up to its first error and calls `visit` with every element of the given names that stands in no other
 * one of them. Declared entities are not expanded, and nothing outside of the text is read.
 */
export function visitXml(
  text: string,
  names: readonly string[],
  visit: (element: Element) => void,
): void {
  const parser = sax.parser(true);
  const open: Element[] = [];
  let depth = 0;
  let nodes = 0;
  const add = (node: Element | string) => {
    nodes += 1;
    if (nodes > limits.nodes) throw new Unreadable("tooLarge");
    open.at(-1)?.children.push(node);
  };
  parser.onopentag = ({ name, attributes }) => {
    depth += 1;
    if (depth > limits.depth) throw new Unreadable("tooLarge");
    const element: Element = {
      name: localName(name),
      attributes: attributes as Record<string, string>,
      children: [],
    };
    if (open.length > 0) add(element);
    if (open.length > 0 || names.includes(element.name)) open.push(element);
  };
  const onText = (value: string) => {
    if (open.length > 0) add(value);
  };
  parser.ontext = onText;
  parser.oncdata = onText;
  parser.onclosetag = () => {
    depth -= 1;
    const element = open.pop();
    if (!element || open.length > 0) return;
    nodes = 0;
    visit(element);
  };
  let isBroken = false;
  parser.onerror = () => {
    isBroken = !keepsEntity(parser);
  };
  const step = 65_536;
  for (let at = 0; at < text.length && !isBroken; at += step) {
    try {
      parser.write(text.slice(at, at + step));
    } catch (error) {
      if (error instanceof Unreadable) throw error;
      if (isBroken) break;
    }
  }
  // Elements of a broken file count up to its error.
  const [rest] = open;
  if (rest) visit(rest);
}

/** Lets a parser go on after an error of an entity, which stays as it is written; false for any other error. */
export function keepsEntity(parser: sax.SAXParser): boolean {
  if (!/entity/i.test(parser.error?.message ?? "")) return false;
  parser.error = null as never;
  parser.resume();
  return true;
}

/** The first element of a name in the text. */
export function elementIn(text: string | undefined, name: string): Element | undefined {
  let found: Element | undefined;
  visitXml(text ?? "", [name], (element) => {
    found ??= element;
  });
  return found;
}

export const elementsIn = (element: Element | undefined): Element[] =>
  element?.children.filter((child) => typeof child !== "string") ?? [];

/** Children of a name. */
export const childrenNamed = (element: Element | undefined, name: string): Element[] =>
  elementsIn(element).filter((child) => child.name === name);

export const childNamed = (element: Element | undefined, name: string): Element | undefined =>
  childrenNamed(element, name)[0];

/** The value of an attribute by its local name; of `id` and `r:id` the one without a prefix. */
export function attribute(element: Element | undefined, name: string): string | undefined {
  if (!element) return undefined;
  const { attributes } = element;
  if (attributes[name] !== undefined) return attributes[name];
  const full = Object.keys(attributes).find((one) => localName(one) === name);
  return full === undefined ? undefined : attributes[full];
}

/** The id of a relation, which always has a prefix. */
export function relationId({ attributes }: Element): string | undefined {
  const full = Object.keys(attributes).find((one) => /.:id$/.test(one));
  return full === undefined ? undefined : attributes[full];
}

/** All text of an element. */
export const textOf = (element: Element | undefined): string =>
  element?.children.map((child) => (typeof child === "string" ? child : textOf(child))).join("") ??
  "";
