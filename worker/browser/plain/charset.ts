/** A declaration counts in the first bytes of a document, and in the rest of its head, as in browsers. */
const declaredWithin = 1024;
const mostOfHead = 65_536;

/** Decodes a document: by its byte order mark, its Content-Type, its own declaration, else as UTF-8 if it is valid. */
export function decodeHtml(bytes: Uint8Array, contentType: string): string {
  const stated = encodingOf(bytes, contentType, metaIn);
  if (stated) return new TextDecoder(stated).decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** The decoder for XML that begins so, in the order of RFC 7303; UTF-8 where nothing is stated. */
export const xmlDecoder = (beginning: Uint8Array, contentType: string): TextDecoder =>
  new TextDecoder(encodingOf(beginning, contentType, declarationIn) ?? "utf-8");

function encodingOf(
  bytes: Uint8Array,
  contentType: string,
  declaredIn: (head: string) => string | undefined,
): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  const head = Buffer.from(
    bytes.buffer,
    bytes.byteOffset,
    Math.min(mostOfHead, bytes.length),
  ).toString("latin1");
  const stated = [charsetIn(contentType), declaredIn(head)].find(isKnown);
  // A document that states UTF-16 in ASCII is UTF-8.
  return stated && /^utf-?16/i.test(stated) ? "utf-8" : stated;
}

function metaIn(start: string): string | undefined {
  const end = start.search(/<(?:\/head|body)\b/i);
  const head = start.slice(0, Math.max(declaredWithin, end)).replace(/<!--[^]*?(?:-->|$)/g, "");
  const meta = /<meta[^>]{0,300}charset[^>]{0,100}>/i.exec(head)?.[0] ?? "";
  return charsetIn(meta) ?? declarationIn(head);
}

const declarationIn = (head: string) =>
  /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(head)?.[1];

const charsetIn = (text: string) => /charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(text)?.[1];

/** Some servers send `charset=binary`, or a placeholder: a name that no encoding has states none. */
function isKnown(label: string | undefined): boolean {
  try {
    return label !== undefined && new TextDecoder(label).encoding !== "";
  } catch {
    return false;
  }
}
