/// <reference lib="dom" />
import { type Options, selectAll, selectOne } from "css-select";
import { type DefaultTreeAdapterTypes as Tree, html, serializeOuter } from "parse5";
import type { ReadingTools } from "../dom.ts";
import { isSelector, pseudoClasses } from "./selector.ts";
import { attributeOf, isElement } from "./tree.ts";

/** The tools of the browser's readers on a parsed document, so that both read a page by the same rules. */

type Tool<Name extends keyof ReadingTools> = ReadingTools[Name];

export function plainDom(document: Tree.Document, base: string): ReadingTools {
  const siblings = new Siblings();
  const options = { adapter, pseudos: pseudoClasses };
  const selectIn = (root: Tree.ParentNode, selector: string) =>
    selectOne<Tree.Node, Tree.Element>(selector, root.childNodes, options);
  const webUrl = (value: string | null) => {
    const url = value === null ? null : URL.parse(value.trim(), base);
    return url?.protocol === "http:" || url?.protocol === "https:" ? url.href : undefined;
  };
  const attribute = (element: Tree.Element, name: string) => attributeOf(element, name) ?? null;
  const tools = {
    document,
    isElement,
    firstChild: (node: Tree.Node) => childrenOf(node)[0] ?? null,
    nextSibling: (node: Tree.Node) => siblings.after(node),
    parentNode: parentOf,
    nodeType: (node: Tree.Node) => (isElement(node) ? 1 : node.nodeName === "#text" ? 3 : 8),
    nodeValue: (node: Tree.Node) => ("value" in node ? node.value : null),
    textContent: textOf,
    localName: (element: Tree.Element) => element.tagName,
    attribute,
    querySelector: selectIn,
    querySelectorIn: selectIn,
    matching: (root: Tree.ParentNode, selector: string) =>
      selectAll<Tree.Node, Tree.Element>(selector, root.childNodes, options),
    elementById: (_: Tree.Document, id: string) =>
      selectOne<Tree.Node, Tree.Element>(
        (element: Tree.Element) => attributeOf(element, "id") === id,
        document.childNodes,
        options,
      ),
    root: () => document.childNodes.find(isElement) ?? null,
    outerHtml: serializeOuter,
    childElements: (element: Tree.Element) => element.childNodes.filter(isElement),
    linkTarget: (element: Tree.Element) =>
      webUrl(attribute(element, "href") ?? attribute(element, "xlink:href")),
    webUrl,
  };
  // The readers only hand nodes from one tool to the next.
  return tools as unknown as { [Name in keyof ReadingTools]: Tool<Name> };
}

/** The first text that is no CSS selector, by its place. */
export function wrongSelector(selectors: readonly string[]): number | undefined {
  const index = selectors.findIndex((selector) => !isSelector(selector));
  return index === -1 ? undefined : index;
}

const childrenOf = (node: Tree.Node): Tree.ChildNode[] =>
  "childNodes" in node ? node.childNodes : [];

const parentOf = (node: Tree.Node): Tree.ParentNode | null =>
  "parentNode" in node ? (node.parentNode ?? null) : null;

/** Text inside a node, without recursion. */
function textOf(node: Tree.Node): string {
  const texts: string[] = [];
  const pending: Tree.Node[] = [node];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.nodeName === "#text" && "value" in next) texts.push(next.value);
    pending.push(...childrenOf(next).toReversed());
  }
  return texts.join("");
}

/** Following siblings; a parsed tree has only lists of children, in which a search would be slow. */
class Siblings {
  readonly #after = new WeakMap<Tree.Node, Tree.Node | null>();

  after(node: Tree.Node): Tree.Node | null {
    const known = this.#after.get(node);
    if (known !== undefined) return known;
    const children = childrenOf(parentOf(node) ?? node);
    for (const [index, child] of children.entries()) {
      this.#after.set(child, children[index + 1] ?? null);
    }
    return this.#after.get(node) ?? null;
  }
}

const adapter: NonNullable<Options<Tree.Node, Tree.Element>["adapter"]> = {
  isTag: isElement,
  getAttributeValue: attributeOf,
  hasAttrib: (element, name) => attributeOf(element, name) !== undefined,
  getChildren: childrenOf,
  getName: ({ tagName, namespaceURI }) =>
    // Selectors are in lower case, names of other vocabularies need not be.
    namespaceURI === html.NS.HTML ? tagName : tagName.toLowerCase(),
  getParent: parentOf,
  getSiblings: (node) => childrenOf(parentOf(node) ?? node),
  getText: textOf,
  removeSubsets: (nodes) => nodes,
};
