import type { LibraryEbook } from "../../../contract/areas/library/records.ts";
import {
  type Wire,
  at,
  boolean,
  count,
  defined,
  each,
  id,
  integer,
  need,
  object,
  text,
} from "#wire";

const texts = (value: unknown) => each(value, text);

const people = (value: unknown) =>
  each(value, (entry) => {
    const name = text(at(entry, "name"));
    return name === undefined
      ? undefined
      : defined({
          name,
          birth_year: integer(at(entry, "birth_year")),
          death_year: integer(at(entry, "death_year")),
        });
  });

export function ebook(row: Wire): LibraryEbook {
  const number = need(id(row.id), "book.id");
  const files = Object.entries(object(row.formats) ?? {}).flatMap(([mime_type, value]) => {
    const url = text(value);
    return url === undefined ? [] : [{ mime_type, url }];
  });
  return defined({
    id: number,
    title: need(text(row.title), "book.title"),
    authors: people(row.authors),
    editors: people(row.editors),
    translators: people(row.translators),
    summary: texts(row.summaries)[0],
    subjects: texts(row.subjects),
    bookshelves: texts(row.bookshelves),
    languages: texts(row.languages),
    is_copyrighted: boolean(row.copyright),
    media_type: text(row.media_type),
    download_count: count(row.download_count),
    files,
    cover_image_url: files.find(({ mime_type }) => mime_type.startsWith("image/"))?.url,
    url: `https://www.gutenberg.org/ebooks/${number}`,
  });
}
