import sax from "sax";
import { keepsEntity } from "../../documents/xml.ts";

/** An address of a page, with the text of its last change. */
export type Entry = [address: string, changed: string | undefined];

/** Takes an address of a file, relative to the base that a page states; false where it takes no more. */
export type Take = (entry: Entry, base?: string) => boolean;

/** A file that a site offers about its pages, as its parser reads it. */
export interface SiteFile {
  kind: "sitemap" | "index" | "feed" | "page" | "other";
  /** Further files: the sitemaps of an index, or the feeds that a page names. */
  files: string[];
  /** Why the rest of a file is missing: it ends too early, or breaks the rules of XML. */
  fault?: "cut" | "broken" | undefined;
}

const mostFiles = 1000;
/** Longer addresses belong to nobody (the protocol allows 2,048 characters). */
const mostCharacters = 8192;
/** The protocol's own elements are 3 deep, those of its extensions few more. */
const mostDepth = 50;

const localName = (name: string) => name.slice(name.indexOf(":") + 1);

/** Pieces of a text with `&` written in full before a name that a tag ends: the parser would take the tag for text. */
async function* withEntities(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of text) {
    const whole = (rest + piece).replace(/&(?=[#\w.:-]*<)/g, "&amp;");
    // A name may go on in the next piece.
    rest = /&[#\w.:-]{0,100}$/.exec(whole)?.[0] ?? "";
    yield whole.slice(0, whole.length - rest.length);
  }
  yield rest;
}

/** Reads up to the first error: what stands before it is well-formed. A raw `&` is none, because many sites have it. */
export async function readSitemap(text: AsyncIterable<string>, take: Take): Promise<SiteFile> {
  const found: SiteFile = { kind: "sitemap", files: [] };
  const parser = sax.parser(true, { trim: true });
  const path: string[] = [];
  let current: { loc?: string; lastmod?: string } = {};
  let isOver = false;
  parser.onopentag = ({ name }) => {
    const local = localName(name);
    if (path.length === 0 && local === "sitemapindex") found.kind = "index";
    if (path.length === 1) current = {};
    path.push(local);
    if (path.length > mostDepth) isOver = true;
  };
  const onText = (value: string) => {
    const [, parent, name] = path;
    if (path.length !== 3 || (parent !== "url" && parent !== "sitemap")) return;
    if (name !== "loc" && name !== "lastmod") return;
    const whole = (current[name] ?? "") + value;
    if (whole.length <= mostCharacters) current[name] = whole;
  };
  parser.ontext = onText;
  parser.oncdata = onText;
  parser.onclosetag = () => {
    const name = path.pop();
    const { loc, lastmod } = current;
    if (isOver || path.length !== 1 || !loc) return;
    if (name === "url") isOver = !take([loc.trim(), lastmod?.trim()]);
    else if (name === "sitemap") isOver = found.files.push(loc.trim()) >= mostFiles;
  };
  parser.onerror = () => {
    if (isOver || keepsEntity(parser)) return;
    found.fault = "broken";
    isOver = true;
  };
  for await (const piece of withEntities(text)) {
    try {
      parser.write(piece);
    } catch {
      break;
    }
    if (isOver) break;
  }
  if (!isOver && path.length > 0) found.fault = "cut";
  return found;
}

/** A sitemap as text has one address a line. */
export async function readLines(text: AsyncIterable<string>, take: Take): Promise<SiteFile> {
  let count = 0;
  const accept = (line: string) => {
    const address = line.trim();
    if (!/^https?:\/\/\S+$/.test(address)) return true;
    count += 1;
    return take([address, undefined]);
  };
  let rest = "";
  let isOver = false;
  for await (const piece of text) {
    const lines = (rest + piece).split("\n");
    // The rest of a line without end is no address.
    rest = (lines.pop() ?? "").slice(0, mostCharacters);
    isOver = !lines.every(accept);
    if (isOver) break;
  }
  if (!isOver) accept(rest);
  return { kind: count > 0 ? "sitemap" : "other", files: [] };
}
