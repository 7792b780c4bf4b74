/** The media type of an answer as browsers see it: https://mimesniff.spec.whatwg.org/. */

/** Bytes that decide about a type (5.3). */
export const mostSniffed = 1445;

/** The type that a Content-Type states; undefined where it states none, so that the content decides. */
export function statedType(header: string | undefined): string | undefined {
  const [stated = ""] = (header ?? "").split(";", 1);
  const type = stated.trim().toLowerCase();
  const isUnknown = /^(?:unknown\/unknown|application\/unknown|\*\/\*)$/.test(type);
  return !isUnknown && /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/.test(type) ? type : undefined;
}

/** Types of pages. */
export const htmlTypes = /^(?:text\/html|application\/xhtml\+xml)$/;

const html =
  /^[\t\n\f\r ]*<(?:!--|(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[ >])/i;
const xml = /^[\t\n\f\r ]*<\?xml/;
const byteOrderMark = /^(?:\xFE\xFF|\xFF\xFE|\xEF\xBB\xBF)/;
const isBinary = (byte: number) =>
  byte < 9 || byte === 11 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32);

/**
 * The type of content without one (7.1), as far as it is read here; "" for other data. A site that forbids sniffing has
 * no page without its type.
 */
export function sniffedType(bytes: Uint8Array, maySniff: boolean): string {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(mostSniffed, bytes.length));
  const head = start.toString("latin1");
  if (maySniff && html.test(head)) return "text/html";
  if (maySniff && xml.test(head)) return "text/xml";
  if (maySniff && head.startsWith("%PDF-")) return "application/pdf";
  return byteOrderMark.test(head) || !start.some(isBinary) ? "text/plain" : "";
}
