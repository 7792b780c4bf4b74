import { gunzipSync } from "node:zlib";
import { parseFeed } from "feedsmith";
import sax from "sax";

/** A file that a site offers about its pages, as its parser reads it. */
export interface SiteFile {
  kind: "sitemap" | "index" | "feed" | "page" | "other";
  /** Addresses of pages, with the text of their last change. */
  entries: [address: string, changed: string | undefined][];
  /** Further files: the sitemaps of an index, or the feeds that a page names. */
  files: string[];
  /** Address that the others are relative to, where a page states one. */
  base?: string | undefined;
}

/** The protocol's limit of an unpacked sitemap is 50 MB. */
const mostBytes = 52_428_800;
const mostFiles = 1000;
/** Characters that a parser gets at once, so that it can be stopped. */
const step = 65_536;
/** Characters of a page. */
const mostOfPage = 5_000_000;

/** Reads a sitemap, an index of sitemaps, a feed, or the feeds that a page names and, if requested, its links. */
export function readSiteFile(
  given: Uint8Array,
  contentType: string,
  { most, withLinks }: { most: number; withLinks: boolean },
): SiteFile {
  const isPacked = given[0] === 0x1f && given[1] === 0x8b;
  const bytes = isPacked ? gunzipSync(given, { maxOutputLength: mostBytes }) : Buffer.from(given);
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  const root = /<(?:[\w-]+:)?(urlset|sitemapindex|rss|feed|RDF|html)[\s>]/i.exec(
    text.slice(0, 5000),
  );
  // A page may leave its outermost tag out.
  const kind = root?.[1]?.toLowerCase() ?? (contentType === "text/html" ? "html" : undefined);
  switch (kind) {
    case "urlset":
    case "sitemapindex":
      return readSitemap(text, most);
    case "html":
      return {
        kind: "page",
        files: feedLinks(text.slice(0, 500_000)),
        ...(withLinks ? pageLinks(text.slice(0, mostOfPage), most) : { entries: [] }),
      };
    case undefined:
      if (text.trimStart().startsWith("{")) return readFeed(text, most);
      if (contentType === "text/plain") return readLines(text, most);
      return { kind: "other", entries: [], files: [] };
    default:
      return readFeed(text, most);
  }
}

const localName = (name: string) => name.slice(name.indexOf(":") + 1);

/** Reads up to the first error: what stands before it is well-formed. */
function readSitemap(text: string, most: number): SiteFile {
  const found: SiteFile = { kind: "sitemap", entries: [], files: [] };
  const parser = sax.parser(true, { trim: true });
  const path: string[] = [];
  let current: { loc?: string; lastmod?: string } = {};
  let isOver = false;
  parser.onopentag = ({ name }) => {
    const local = localName(name);
    if (path.length === 0 && local === "sitemapindex") found.kind = "index";
    if (path.length === 1) current = {};
    path.push(local);
  };
  const onText = (value: string) => {
    const [, parent, name] = path;
    if (path.length !== 3 || (parent !== "url" && parent !== "sitemap")) return;
    if (name === "loc" || name === "lastmod") current[name] = (current[name] ?? "") + value;
  };
  parser.ontext = onText;
  parser.oncdata = onText;
  parser.onclosetag = () => {
    const name = path.pop();
    const { loc, lastmod } = current;
    if (path.length !== 1 || !loc) return;
    if (name === "url") found.entries.push([loc.trim(), lastmod?.trim()]);
    else if (name === "sitemap") found.files.push(loc.trim());
    isOver = found.entries.length >= most || found.files.length >= mostFiles;
  };
  parser.onerror = () => {
    isOver = true;
  };
  for (let at = 0; at < text.length && !isOver; at += step) {
    try {
      parser.write(text.slice(at, at + step));
    } catch {
      break;
    }
  }
  return found;
}

function readFeed(text: string, most: number): SiteFile {
  const entries: SiteFile["entries"] = [];
  const add = (address: string | undefined, changed: string | undefined) => {
    if (address) entries.push([address, changed]);
  };
  try {
    const parsed = parseFeed(text, { maxItems: most });
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
  } catch {
    return { kind: "other", entries: [], files: [] };
  }
  return { kind: "feed", entries, files: [] };
}

/** A sitemap as text has one address a line. */
function readLines(text: string, most: number): SiteFile {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const addresses = lines.filter((line) => /^https?:\/\/\S+$/.test(line)).slice(0, most);
  return {
    kind: addresses.length > 0 ? "sitemap" : "other",
    entries: addresses.map((address) => [address, undefined]),
    files: [],
  };
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

/** Addresses of a page's links in document order, without those in comments and scripts, and the page's own base. */
function pageLinks(html: string, most: number): Pick<SiteFile, "entries" | "base"> {
  const links = new Set<string>();
  let base: string | undefined;
  const parser = sax.parser(false, { lowercase: true });
  parser.onopentag = ({ name, attributes }) => {
    const { href } = attributes as Record<string, string>;
    if (!href) return;
    if (name === "base") base ??= href.trim();
    else if ((name === "a" || name === "area") && links.size < most) links.add(href.trim());
  };
  parser.onerror = () => {
    // HTML breaks rules of XML everywhere; the parser goes on without its error.
    parser.error = null as never;
  };
  for (let at = 0; at < html.length && links.size < most; at += step) {
    parser.write(html.slice(at, at + step));
  }
  return { entries: [...links].map((link) => [link, undefined]), base };
}
