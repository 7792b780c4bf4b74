import { parseFeed } from "feedsmith";

/** Closing tags of a feed and of its entries. */
const end = /<\/(?:[\w-]+:)?(?:rss|feed|RDF)\s*>\s*(?:<!--[^]*)?$/i;
const entryEnd = /<\/(?:[\w-]+:)?(?:item|entry)\s*>/gi;

/** Parses a feed in any format; one that is cut off, up to its last whole entry. Undefined for a text that is none. */
export function readFeedText(text: string, most: number) {
  const isCut = text.trimStart().startsWith("<") && !end.test(text.slice(-5000));
  const last = isCut ? [...text.matchAll(entryEnd)].at(-1) : undefined;
  const stop = last ? last.index + last[0].length : text.lastIndexOf(">") + 1;
  try {
    return { parsed: parseFeed(isCut ? text.slice(0, stop) : text, { maxItems: most }), isCut };
  } catch {
    // The parser says by an error that a text is no feed.
    return undefined;
  }
}
