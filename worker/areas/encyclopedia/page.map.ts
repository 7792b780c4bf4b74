import type {
  EncyclopediaEvent,
  EncyclopediaFound,
  EncyclopediaLanguages,
  EncyclopediaPage,
  EncyclopediaPageViews,
  EncyclopediaSummary,
} from "../../../contract/areas/encyclopedia/records.ts";
import { type Wire, at, count, defined, each, integer, need, number, object, text } from "#wire";
import { plain } from "../../mapping/markup.map.ts";

/**
 * The page of a query; undefined where it does not exist, its title is none, is that of another wiki (`fr:Paris`),
 * or of a page that is made when it is read (`Special:Search`).
 */
export function pageOf(body: unknown): Wire | undefined {
  const page = object(at(body, "query", "pages", 0));
  if (page === undefined && at(body, "query", "interwiki", 0) !== undefined) return undefined;
  const { missing, invalid, special } = need(page, "query.pages");
  return [missing, invalid, special].includes(true) ? undefined : page;
}

function base(page: Wire, language: string) {
  return {
    page_id: need(integer(page.pageid), "page.pageid"),
    title: need(text(page.title), "page.title"),
    language,
    url: text(page.canonicalurl) ?? text(page.fullurl),
    entity_id: text(at(page.pageprops, "wikibase_item")),
  };
}

const revised = (page: Wire) => ({
  revision_id: integer(page.lastrevid),
  updated_at: text(at(page, "revisions", 0, "timestamp")),
});

export function summary(page: Wire, language: string): EncyclopediaSummary {
  const place = at(page, "coordinates", 0);
  return defined({
    ...base(page, language),
    ...revised(page),
    description: text(page.description),
    summary: text(page.extract),
    is_disambiguation: at(page.pageprops, "disambiguation") !== undefined,
    thumbnail_url: text(at(page.thumbnail, "source")),
    image_url: text(at(page.original, "source")),
    latitude: number(at(place, "lat")),
    longitude: number(at(place, "lon")),
  });
}

export function page(row: Wire, language: string): EncyclopediaPage {
  const extract = typeof row.extract === "string" ? row.extract : undefined;
  return defined({
    ...base(row, language),
    ...revised(row),
    markdown: markdownOf(need(extract, "page.extract")),
  });
}

/**
 * The source marks a heading with as many `=` as its level, and ends every paragraph with one line. A heading
 * without text below it held only what the source leaves out.
 */
export function markdownOf(extract: string): string {
  const blocks: string[] = [];
  /** Level of the block below; 0 for a paragraph. */
  let below: number | undefined;
  const lines = extract.split("\n").map((line) => line.trim());
  for (const line of lines.filter((one) => one !== "").toReversed()) {
    const [, signs = "", heading] = /^(={2,6}) (.+) \1$/.exec(line) ?? [];
    const level = signs.length;
    if (level > 0 && below !== 0 && (below === undefined || below <= level)) continue;
    below = level;
    blocks.push(level > 0 ? `${"#".repeat(level)} ${heading}` : escaped(line));
  }
  return blocks.toReversed().join("\n\n");
}

/** Signs at the beginning that Markdown would read as a list, a heading or a quotation. */
const escaped = (line: string) => line.replace(/^([#>+*-]|\d+[.)])(?=\s)/, "\\$1");

export function found(row: Wire, language: string): EncyclopediaFound {
  const pageId = need(integer(row.pageid), "search.pageid");
  return defined({
    page_id: pageId,
    title: need(text(row.title), "search.title"),
    language,
    snippet: text(plain(text(row.snippet) ?? "")),
    word_count: count(row.wordcount),
    size_bytes: count(row.size),
    updated_at: text(row.timestamp),
    url: `https://${language}.wikipedia.org/?curid=${pageId}`,
  });
}

export function languages(row: Wire, language: string): EncyclopediaLanguages {
  return defined({
    ...base(row, language),
    languages: each(row.langlinks, (link) => {
      const [code, title] = [text(at(link, "lang")), text(at(link, "title"))];
      if (code === undefined || title === undefined) return undefined;
      const name = text(at(link, "langname"));
      const own_name = text(at(link, "autonym"));
      return defined({ language: code, title, name, own_name, url: text(at(link, "url")) });
    }),
  });
}

export function event(row: Wire): EncyclopediaEvent {
  return defined({
    text: need(text(row.text), "event.text"),
    year: integer(row.year),
    pages: each(row.pages, (page) => {
      const title = text(at(page, "titles", "normalized")) ?? text(at(page, "title"));
      if (title === undefined) return undefined;
      return defined({
        title,
        description: text(at(page, "description")),
        url: text(at(page, "content_urls", "desktop", "page")),
        thumbnail_url: text(at(page, "thumbnail", "source")),
        entity_id: text(at(page, "wikibase_item")),
      });
    }),
  });
}

/** A count of a day or a month; its time is written as `2026050100`. */
export function views(row: Wire): EncyclopediaPageViews["series"][number] {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})/.exec(text(row.timestamp) ?? "") ?? [];
  const date = year === undefined ? undefined : `${year}-${month}-${day}`;
  return {
    date: need(date, "items.timestamp"),
    view_count: need(count(row.views), "items.views"),
  };
}
