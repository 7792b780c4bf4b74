import { defaultTreeAdapter as adapter, type DefaultTreeAdapterTypes as Tree, html } from "parse5";
import sax from "sax";

const step = 65_536;

/** Whether a Content-Type has browsers read the document as XML. */
export const isXhtml = (contentType: string): boolean =>
  /^\s*application\/xhtml\+xml\s*(?:;|$)/i.test(contentType);

/** Parses XHTML; undefined for a text that is not well-formed, or has no root of HTML. */
export function parseXhtml(text: string): Tree.Document | undefined {
  const document = adapter.createDocument();
  adapter.setDocumentMode(document, html.DOCUMENT_MODE.NO_QUIRKS);
  const open: Tree.ParentNode[] = [document];
  const parent = () => open.at(-1) as Tree.ParentNode;
  const parser = sax.parser(true, { xmlns: true });
  let isBroken = false;
  parser.onopentag = (tag) => {
    const { local, uri, attributes } = tag as sax.QualifiedTag;
    const attrs = Object.values(attributes).map(({ name, value }) => ({ name, value }));
    const element = adapter.createElement(local, uri as html.NS, attrs);
    adapter.appendChild(parent(), element);
    const isTemplate = local === "template" && element.namespaceURI === html.NS.HTML;
    const content = isTemplate ? adapter.createDocumentFragment() : undefined;
    if (content) adapter.setTemplateContent(element as Tree.Template, content);
    open.push(content ?? element);
  };
  const onText = (value: string) => {
    if (open.length > 1) adapter.insertText(parent(), value);
  };
  parser.ontext = onText;
  parser.oncdata = onText;
  parser.onclosetag = () => {
    open.pop();
  };
  parser.onerror = () => {
    isBroken = true;
  };
  try {
    for (let at = 0; at < text.length; at += step) parser.write(text.slice(at, at + step));
    parser.close();
  } catch {
    return undefined;
  }
  const root = document.childNodes.find((node) => "tagName" in node);
  return !isBroken && root?.namespaceURI === html.NS.HTML ? document : undefined;
}
