/** A declaration counts in the first bytes of a document, as in browsers. */
const declaredWithin = 1024;

/** Decodes a document: by its byte order mark, its Content-Type, its own declaration, else as UTF-8 if it is valid. */
export function decodeHtml(bytes: Uint8Array, contentType: string): string {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return decode(bytes, "utf-8");
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decode(bytes, "utf-16be");
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decode(bytes, "utf-16le");
  const stated = charsetIn(contentType) ?? charsetIn(beginning(bytes));
  // A document that states UTF-16 in ASCII is UTF-8.
  if (stated) return decode(bytes, /^utf-?16/i.test(stated) ? "utf-8" : stated);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return decode(bytes, "windows-1252");
  }
}

const beginning = (bytes: Uint8Array) =>
  (
    /<meta[^>]{0,300}charset[^>]{0,100}>/i.exec(
      Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(declaredWithin, bytes.length)).toString(
        "latin1",
      ),
    ) ?? [""]
  )[0];

const charsetIn = (text: string) => /charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(text)?.[1];

function decode(bytes: Uint8Array, label: string): string {
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    // No encoding has this name.
    return new TextDecoder("utf-8").decode(bytes);
  }
}
