import { Readable } from "node:stream";
import sax from "sax";
import { xmlDecoder } from "../../browser/plain/charset.ts";
import { unpacked } from "../../transport/body.ts";
import { readFeedText } from "./feed-parser.ts";
import { type Entry, type SiteFile, type Take, readLines, readSitemap } from "./sitemap.ts";

export interface PackedFile {
  bytes: Uint8Array;
  /** Content-Encoding of the bytes. */
  encoding?: string | undefined;
  /** Content-Type with its parameters. */
  contentType: string;
}

/** The file unpacks to more than its limit. */
export class FileTooLarge extends Error {}

/** The protocol's limit of an unpacked sitemap is 50 MB. */
const mostBytes = 52_428_800;
/** Characters that a parser gets at once, so that it can be stopped. */
const step = 65_536;
/** Characters of a page. */
const mostOfPage = 5_000_000;
/** Characters of a feed, as of the operation for feeds. */
const mostOfFeed = 10_000_000;
/** As many as the largest limit of a call. */
const mostLinks = 50_000;
/** The root's tag stands in the first characters, without those of comments and white space. */
const headCharacters = 5000;
const mostOfHead = 1_000_000;
const beforeRoot = /<!--[^]*?(?:-->|$)|\s+/g;
/** Types of a sitemap as text, which may be packed or have no type. */
const mayBeLines = /^(?:text\/plain\b|application\/(?:(?:x-)?gzip|octet-stream)\b|$)/i;
const none = (): SiteFile => ({ kind: "other", files: [] });

/**
 * Reads a sitemap, an index of sitemaps, a feed, or the feeds that a page names and, if requested, its links. The
 * file is unpacked and read piece by piece, and no further than `take` wants. Throws for a broken packing, and
 * FileTooLarge.
 */
export async function readSiteFile(
  file: PackedFile,
  take: Take,
  { withLinks, most }: { withLinks: boolean; most: number },
): Promise<SiteFile> {
  const text = textOf(file);
  let head = "";
  let start = "";
  for await (const piece of keepOpen(text)) {
    head += piece;
    start = head.replace(beforeRoot, " ").slice(0, headCharacters);
    if (start.length === headCharacters || head.length >= mostOfHead) break;
  }
  const root = /<(?:[\w-]+:)?(urlset|sitemapindex|rss|feed|RDF|html)[\s>]/i.exec(start);
  // A page may leave its outermost tag out.
  const kind =
    root?.[1]?.toLowerCase() ?? (/^text\/html\b/i.test(file.contentType) ? "html" : undefined);
  const all = after(head, text);
  switch (kind) {
    case "urlset":
    case "sitemapindex":
      return readSitemap(all, take);
    case "html":
      return readPage(await collect(all, mostOfPage), take, withLinks);
    case undefined:
      if (start.trimStart().startsWith("{")) break;
      if (mayBeLines.test(file.contentType)) return readLines(all, take);
      await text.return(undefined);
      return none();
  }
  const whole = await collect(all, mostOfFeed + 1);
  if (whole.length > mostOfFeed) throw new FileTooLarge("a feed beyond its limit");
  return readFeed(whole, take, most);
}

/** Lets a loop over the first pieces end without ending the text. */
const keepOpen = <T>(pieces: AsyncGenerator<T>): AsyncIterable<T> => ({
  [Symbol.asyncIterator]: () => ({ next: () => pieces.next() }),
});

async function* after(head: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield head;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

async function collect(text: AsyncIterable<string>, most: number): Promise<string> {
  let whole = "";
  for await (const piece of text) {
    whole += piece;
    if (whole.length >= most) break;
  }
  return whole.slice(0, most);
}

async function* textOf(file: PackedFile): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let size = 0;
  for await (const piece of contentOf(file)) {
    size += piece.length;
    if (size > mostBytes) throw new FileTooLarge(`more than ${mostBytes} bytes`);
    decoder ??= xmlDecoder(piece, file.contentType);
    yield decoder.decode(piece, { stream: true });
  }
  yield decoder?.decode() ?? "";
}

/** The bytes without the encoding of the answer, and without that of a file that is packed itself. */
async function* contentOf({ bytes, encoding }: PackedFile): AsyncGenerator<Buffer> {
  const sent = unpacked(Readable.from(piecesOf(bytes)), encoding)[Symbol.asyncIterator]();
  const first = await sent.next();
  if (first.done) return;
  async function* whole(): AsyncGenerator<Buffer> {
    yield first.value as Buffer;
    yield* { [Symbol.asyncIterator]: () => sent };
  }
  const isPacked = first.value[0] === 0x1f && first.value[1] === 0x8b;
  yield* isPacked ? unpacked(whole(), "gzip") : whole();
}

function* piecesOf(bytes: Uint8Array): Generator<Buffer> {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < whole.length; at += step) yield whole.subarray(at, at + step);
}

function readFeed(text: string, take: Take, most: number): SiteFile {
  const entries: Entry[] = [];
  const add = (address: string | undefined, changed: string | undefined) => {
    if (address) entries.push([address, changed]);
  };
  const read = readFeedText(text, most);
  if (!read) return none();
  const { parsed, isCut } = read;
  if (parsed.format === "json") {
    for (const item of parsed.feed.items ?? []) {
      add(item.url, item.date_modified ?? item.date_published);
    }
  } else if (parsed.format === "atom") {
    for (const entry of parsed.feed.entries ?? []) {
      const link = entry.links?.find(({ rel = "alternate" }) => rel === "alternate");
      add(link?.href, entry.updated ?? entry.published);
    }
  } else if (parsed.format === "rss") {
    for (const item of parsed.feed.items ?? []) add(item.link, item.pubDate);
  } else {
    for (const item of parsed.feed.items ?? []) add(item.link, undefined);
  }
  entries.every((entry) => take(entry));
  return { kind: "feed", files: [], ...(isCut ? { fault: "cut" } : {}) };
}

function readPage(html: string, take: Take, withLinks: boolean): SiteFile {
  if (withLinks) readPageLinks(html, take);
  return { kind: "page", files: feedLinks(html.slice(0, 500_000)) };
}

/** Addresses of the feeds that the links of a page's head name. */
function feedLinks(html: string): string[] {
  const links = html.match(/<link\s[^<>]{1,2000}>/gi) ?? [];
  return links.slice(0, 500).flatMap((link) => {
    const read = (name: string) =>
      new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i")
        .exec(link)
        ?.slice(1)
        .find((value) => value !== undefined);
    const isFeed = /^application\/(?:(?:rss|atom)\+xml|feed\+json)$/i.test(read("type") ?? "");
    const href = read("href")?.replaceAll("&amp;", "&");
    return isFeed && /\balternate\b/i.test(read("rel") ?? "") && href ? [href] : [];
  });
}

/** Takes a page's links in document order, without those in comments and scripts. */
function readPageLinks(html: string, take: Take): void {
  const links = new Set<string>();
  let base: string | undefined;
  const parser = sax.parser(false, { lowercase: true });
  parser.onopentag = ({ name, attributes }) => {
    const { href } = attributes as Record<string, string>;
    if (!href) return;
    if (name === "base") base ??= href.trim();
    else if (name === "a" || name === "area") links.add(href.trim());
  };
  parser.onerror = () => {
    // HTML breaks rules of XML everywhere; the parser goes on without its error.
    parser.error = null as never;
  };
  for (let at = 0; at < html.length && links.size < mostLinks; at += step) {
    parser.write(html.slice(at, at + step));
  }
  for (const link of links) if (!take([link, undefined], base)) break;
}
