import type { web } from "../../../contract/areas/web/index.ts";
import type { DataOf } from "../../../contract/operation.ts";
import { plain } from "../../mapping/markup.map.ts";
import { array, at, boolean, count, defined, number, text } from "#wire";
import { addressIn, instantIn, some } from "./values.map.ts";

type Feed = DataOf<Extract<(typeof web.operations)[number], { id: "web.feed" }>>;
type Item = Feed["items"][number];
type Medium = NonNullable<Item["media"]>[number];

const formats: Readonly<Record<string, Feed["format"]>> = {
  rss: "rss",
  rdf: "rdf",
  atom: "atom",
  json: "json_feed",
};

/** Makes the answer of `web.feed` of a parsed feed; undefined where it is none. */
export function feedOf(parsed: unknown, url: string): Feed | undefined {
  const format = formats[String(at(parsed, "format"))];
  const feed = at(parsed, "feed");
  if (format === undefined || feed === undefined) return undefined;
  const base = baseOf(feed, url);
  const address = (value: unknown) => addressIn(text(value), base);
  const entries = array(at(feed, "items")) ?? array(at(feed, "entries")) ?? [];
  return defined({
    url,
    format,
    title: titleOf(feed) ?? words(at(feed, "dc", "titles", 0)),
    description:
      words(at(feed, "description")) ?? words(at(feed, "subtitle")) ?? otherSummary(feed),
    site_url: address(at(feed, "link")) ?? address(at(feed, "home_page_url")) ?? linkOf(feed, base),
    language:
      text(at(feed, "language")) ??
      text(at(feed, "xml", "lang")) ??
      text(at(feed, "dc", "languages", 0)),
    image_url:
      address(at(feed, "itunes", "image")) ??
      address(at(feed, "image", "url")) ??
      address(at(feed, "logo")) ??
      address(at(feed, "icon")) ??
      address(at(feed, "media", "thumbnails", 0, "url")),
    authors: authorsOf(feed),
    modified_at:
      moment(feed, "lastBuildDate", "updated", "pubDate") ??
      moment(at(feed, "dcterms"), "modified") ??
      moment(at(feed, "dc"), "dates"),
    categories: categoriesOf(feed),
    is_explicit: boolean(at(feed, "itunes", "explicit")),
    items: entries.map((entry) => itemOf(entry, base)),
  });
}

function itemOf(entry: unknown, feedBase: string): Item {
  const base = baseOf(entry, feedBase);
  const address = (value: unknown) => addressIn(text(value), base);
  return defined({
    id:
      text(at(entry, "guid", "value")) ?? text(at(entry, "id")) ?? text(at(entry, "rdf", "about")),
    url:
      address(at(entry, "link")) ??
      address(at(entry, "url")) ??
      linkOf(entry, base) ??
      permalinkOf(entry),
    title:
      titleOf(entry) ??
      words(at(entry, "itunes", "title")) ??
      words(at(entry, "dc", "titles", 0)) ??
      words(ofMedia(entry, "title")),
    summary:
      words(at(entry, "description")) ??
      words(at(entry, "summary")) ??
      otherSummary(entry) ??
      words(ofMedia(entry, "description")),
    content_html:
      text(at(entry, "content", "encoded")) ??
      contentOf(entry, isMarkup) ??
      text(at(entry, "content_html")),
    content_text: contentOf(entry, isPlain) ?? text(at(entry, "content_text")),
    authors: authorsOf(entry),
    published_at:
      moment(entry, "pubDate", "published", "date_published") ??
      moment(at(entry, "dcterms"), "issued", "created") ??
      moment(at(entry, "dc"), "dates"),
    modified_at:
      moment(entry, "updated", "date_modified") ?? moment(at(entry, "dcterms"), "modified"),
    categories: categoriesOf(entry),
    image_url:
      address(at(entry, "itunes", "image")) ??
      address(at(entry, "image")) ??
      address(at(ofMedia(entry, "thumbnails"), 0, "url")) ??
      address(at(contentsOf(entry).find(isPicture), "url")),
    media: mediaOf(entry, base),
    episode: count(at(entry, "itunes", "episode")),
    season: count(at(entry, "itunes", "season")),
    is_explicit: boolean(at(entry, "itunes", "explicit")),
  });
}

/** Types of Atom's texts, the media types of Atom 0.3 included. */
const isHtml = (type: string) => /html/i.test(type);
const isPlain = (type: string) => /^(?:text(?:\/.*)?)?$/i.test(type) && !isMarkup(type);
const isMarkup = (type: string) => isHtml(type) || /[+/]xml\b/i.test(type);

/** Atom's content of the wanted types; that of media types other than text and XML is base64 (RFC 4287, 4.1.3.3). */
function contentOf(entry: unknown, isWanted: (type: string) => boolean): string | undefined {
  const content = at(entry, "content");
  return isWanted(text(at(content, "type")) ?? "") ? text(at(content, "value")) : undefined;
}

/** A title as plain text; Atom says where it is HTML. */
function titleOf(thing: unknown): string | undefined {
  const title = at(thing, "title");
  const stated = words(title);
  const isCoded = stated !== undefined && isHtml(text(at(title, "type")) ?? "");
  return isCoded ? plain(stated).replace(/\s+/g, " ") || undefined : stated;
}

/** The description in an extension of RSS. */
const otherSummary = (value: unknown) =>
  words(at(value, "dc", "descriptions", 0)) ??
  words(at(value, "itunes", "summary")) ??
  words(at(value, "itunes", "subtitle"));

/** RSS has an item's identifier be its address, unless the feed says that it is none. */
function permalinkOf(entry: unknown): string | undefined {
  const value = text(at(entry, "guid", "value"))?.trim();
  if (value === undefined || at(entry, "guid", "isPermaLink") === false) return undefined;
  return /^https?:\/\//i.test(value) ? addressIn(value, value) : undefined;
}

/** A text, or the text of one of Atom's constructs. */
const words = (value: unknown): string | undefined =>
  (text(value) ?? text(at(value, "value")))?.trim() || undefined;

function moment(thing: unknown, ...names: string[]): string | undefined {
  return names
    .flatMap((name) => {
      const value = at(thing, name);
      return array(value) ?? [value];
    })
    .map((value) => instantIn(text(value)?.trim()))
    .find((value) => value !== undefined);
}

/** The address that those of an Atom construct are relative to (RFC 4287, 2). */
const baseOf = (thing: unknown, outer: string): string =>
  addressIn(text(at(thing, "xml", "base")), outer) ?? outer;

/** The page that an Atom construct leads to. */
function linkOf(thing: unknown, base: string): string | undefined {
  const link = (array(at(thing, "links")) ?? []).find((one) =>
    [undefined, "alternate"].includes(text(at(one, "rel"))),
  );
  return addressIn(text(at(link, "href")), base);
}

function authorsOf(thing: unknown): string[] | undefined {
  const people = [
    ...(array(at(thing, "authors")) ?? []),
    ...(array(at(thing, "dc", "creators")) ?? []),
    at(thing, "dc", "creator"),
    at(thing, "itunes", "author"),
    at(thing, "managingEditor"),
  ];
  return some(
    people.map((one) => nameIn(text(one) ?? text(at(one, "name")) ?? text(at(one, "email")))),
  );
}

/** The name of `Name (address)` and `address (Name)`, as RSS writes people; else the text. */
function nameIn(text: string | undefined): string | undefined {
  const [, first = "", second = ""] = /^([^()]+?)\s*\(([^()]+)\)$/.exec(text?.trim() ?? "") ?? [];
  if (second.includes("@")) return first;
  return first.includes("@") ? second.trim() : text?.trim() || undefined;
}

function categoriesOf(thing: unknown): string[] | undefined {
  const list = (...path: string[]) => array(at(thing, ...path)) ?? [];
  const podcast = list("itunes", "categories");
  const stated = [
    ...list("categories"),
    ...podcast.flatMap((one) => [one, ...(array(at(one, "categories")) ?? [])]),
    ...list("itunes", "keywords"),
    ...list("dc", "subjects"),
    ...list("media", "categories"),
    ...list("tags"),
  ];
  return some(
    stated.map(
      (one) =>
        text(one) ??
        text(at(one, "name")) ??
        text(at(one, "label")) ??
        text(at(one, "term")) ??
        text(at(one, "text")),
    ),
  );
}

/** The files of Media RSS, those of its groups included. */
const contentsOf = (entry: unknown): readonly unknown[] =>
  [at(entry, "media"), ...groupsOf(entry)].flatMap((one) => array(at(one, "contents")) ?? []);

const groupsOf = (entry: unknown) => array(at(entry, "media", "groups")) ?? [];

/** What Media RSS states of an item: at the item itself, at a group, or at a file. */
const ofMedia = (entry: unknown, name: string): unknown =>
  [at(entry, "media"), ...groupsOf(entry), ...contentsOf(entry)]
    .map((one) => at(one, name))
    .find((value) => value !== undefined);

/** Whole seconds of a length, which may state parts of one. */
const seconds = (value: unknown) => count(Math.round(number(value) ?? Number.NaN));

const isPicture = (content: unknown) =>
  at(content, "medium") === "image" || /^image\//i.test(text(at(content, "type")) ?? "");

/**
 * Enclosures of RSS and Atom, files of Media RSS, and attachments of JSON Feed, each address once. A podcast's length
 * counts for its only file.
 */
function mediaOf(entry: unknown, base: string): Item["media"] {
  const links = (array(at(entry, "links")) ?? []).filter((link) => at(link, "rel") === "enclosure");
  const media = new Map<string, Medium>();
  for (const one of [
    ...(array(at(entry, "enclosures")) ?? []),
    ...links,
    ...contentsOf(entry),
    ...(array(at(entry, "attachments")) ?? []),
  ]) {
    const url = addressIn(text(at(one, "url")) ?? text(at(one, "href")), base);
    if (url === undefined) continue;
    const medium = defined({
      url,
      type: text(at(one, "type")) ?? text(at(one, "mime_type")),
      size_bytes:
        count(at(one, "length")) ?? count(at(one, "fileSize")) ?? count(at(one, "size_in_bytes")),
      duration_seconds: seconds(at(one, "duration")) ?? seconds(at(one, "duration_in_seconds")),
    });
    media.set(url, { ...medium, ...media.get(url) });
  }
  const all = [...media.values()];
  const [only] = all;
  const length = all.length === 1 ? seconds(at(entry, "itunes", "duration")) : undefined;
  if (only && length !== undefined) only.duration_seconds ??= length;
  return all.length > 0 ? all : undefined;
}
