import { type DefaultTreeAdapterTypes as Tree, html } from "parse5";
import { attributeOf, isElement } from "./tree.ts";

/**
 * Puts declarative shadow roots in the place of their hosts' content, as browsers draw them: each slot holds the
 * content that is for it, or its own. Content without a slot is not drawn.
 */
export function drawShadowRoots(elements: Iterable<Tree.Element>): void {
  for (const host of elements) {
    const root = mayHost.test(host.tagName) ? host.childNodes.find(isShadowRoot) : undefined;
    if (!root) continue;
    const light = host.childNodes.filter((node) => !isShadowRoot(node));
    host.childNodes = root.content.childNodes;
    for (const node of host.childNodes) node.parentNode = host;
    fillSlots(host, light);
  }
}

/** Elements that may have a shadow root: those of a site's own names, and some of HTML's. */
const mayHost =
  /^(?:[^-]+-.*|article|aside|blockquote|body|div|footer|h[1-6]|header|main|nav|p|section|span)$/;

const isShadowRoot = (node: Tree.Node): node is Tree.Template =>
  isElement(node) &&
  node.tagName === "template" &&
  node.namespaceURI === html.NS.HTML &&
  /^(?:open|closed)$/i.test(attributeOf(node, "shadowrootmode") ?? "");

function fillSlots(host: Tree.Element, light: readonly Tree.ChildNode[]): void {
  const bySlot = Map.groupBy(light, slotOf);
  const pending: Tree.Element[] = host.childNodes.filter(isElement).toReversed();
  for (let next = pending.pop(); next; next = pending.pop()) {
    const slot = next;
    const name = slot.tagName === "slot" ? (attributeOf(slot, "name") ?? "") : undefined;
    const own = name === undefined ? undefined : bySlot.get(name);
    if (!own) {
      pending.push(...slot.childNodes.filter(isElement).toReversed());
      continue;
    }
    // The first slot of a name has it all.
    bySlot.delete(name);
    slot.childNodes = own;
    for (const node of own) node.parentNode = slot;
  }
}

/** The slot that a node is for; comments are for none. */
function slotOf(node: Tree.ChildNode): string | undefined {
  if (isElement(node)) return attributeOf(node, "slot") ?? "";
  return node.nodeName === "#text" ? "" : undefined;
}
