import type { DefaultTreeAdapterTypes as Tree } from "parse5";

export const isElement = (node: Tree.Node): node is Tree.Element => "tagName" in node;

export const attributeOf = (element: Tree.Element, name: string): string | undefined =>
  element.attrs.find((attribute) => attribute.name === name)?.value;
