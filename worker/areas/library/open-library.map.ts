import type {
  LibraryAuthor,
  LibraryAuthorFound,
  LibraryBook,
  LibraryBookFound,
  LibraryEdition,
} from "../../../contract/areas/library/records.ts";
import {
  type Wire,
  array,
  at,
  count,
  defined,
  each,
  integer,
  need,
  number,
  object,
  text,
} from "#wire";

const site = "https://openlibrary.org";
const covers = "https://covers.openlibrary.org";

/** The id in a key such as `/works/OL45804W`; searches for authors have it bare. */
const idOf = (key: unknown, letter: "W" | "M" | "A") =>
  new RegExp(`(?:^|/)(OL\\d+${letter})$`).exec(text(key) ?? "")?.[1];

const texts = (value: unknown) => each(value, text);

/** A text, or an object that holds one. */
const prose = (value: unknown) => text(value) ?? text(at(value, "value"));

/** Times have no zone; they are in UTC. */
const time = (value: unknown) => {
  const moment = text(at(value, "value"));
  return moment !== undefined && /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(moment)
    ? `${moment}Z`
    : undefined;
};

/** The first picture; a deleted one is -1. */
const picture = (kind: "a" | "b", numbers: unknown) => {
  const one = each(numbers, count).find((value) => value > 0);
  return one === undefined ? undefined : `${covers}/${kind}/id/${one}-L.jpg`;
};

const links = (value: unknown) =>
  each(value, (link) => {
    const url = text(at(link, "url"));
    return url === undefined ? undefined : defined({ title: text(at(link, "title")), url });
  });

const keys = (value: unknown, letter: "W" | "A") =>
  each(value, (entry) => idOf(at(entry, "key") ?? at(entry, "author", "key"), letter));

/** Undefined for an edition without a work, which the source lists among works under its own id. */
export function bookFound(row: Wire): LibraryBookFound | undefined {
  if (idOf(row.key, "M") !== undefined) return undefined;
  const id = need(idOf(row.key, "W"), "docs.key");
  const ids = array(row.author_key) ?? [];
  return defined({
    id,
    title: need(text(row.title), "docs.title"),
    subtitle: text(row.subtitle),
    authors: (array(row.author_name) ?? []).flatMap((value, index) => {
      const name = text(value);
      return name === undefined ? [] : [defined({ id: idOf(ids[index], "A"), name })];
    }),
    first_publish_year: integer(row.first_publish_year),
    edition_count: count(row.edition_count),
    page_count: count(row.number_of_pages_median),
    languages: texts(row.language),
    subjects: texts(row.subject),
    rating: number(row.ratings_average),
    rating_count: count(row.ratings_count),
    ebook_access: text(row.ebook_access),
    cover_image_url: picture("b", [row.cover_i]),
    url: `${site}/works/${id}`,
  });
}

/** The members of a search's rows that the request names. */
export const foundFields = [
  "key",
  "title",
  "subtitle",
  "author_key",
  "author_name",
  "first_publish_year",
  "edition_count",
  "number_of_pages_median",
  "language",
  "subject",
  "ratings_average",
  "ratings_count",
  "ebook_access",
  "cover_i",
].join(",");

export function book(row: Wire): LibraryBook {
  const id = need(idOf(row.key, "W"), "work.key");
  return defined({
    id,
    title: need(text(row.title), "work.title"),
    subtitle: text(row.subtitle),
    description: prose(row.description),
    author_ids: keys(row.authors, "A"),
    first_publish_date: text(row.first_publish_date),
    subjects: texts(row.subjects),
    subject_people: texts(row.subject_people),
    subject_places: texts(row.subject_places),
    subject_times: texts(row.subject_times),
    links: links(row.links),
    cover_image_url: picture("b", row.covers),
    created_at: time(row.created),
    updated_at: time(row.last_modified),
    url: `${site}/works/${id}`,
  });
}

/** The work, author or edition to which a merged one leads. */
export const movedTo = (row: Wire, letter: "W" | "A" | "M") =>
  at(row.type, "key") === "/type/redirect" ? idOf(row.location, letter) : undefined;

export const isDeleted = (row: Wire): boolean => at(row.type, "key") === "/type/delete";

export function edition(row: Wire): LibraryEdition {
  const id = need(idOf(row.key, "M"), "edition.key");
  return defined({
    id,
    book_id: keys(row.works, "W")[0],
    author_ids: keys(row.authors, "A"),
    title: need(text(row.title), "edition.title"),
    subtitle: text(row.subtitle),
    edition_name: text(row.edition_name),
    publishers: texts(row.publishers),
    publish_date: text(row.publish_date),
    publish_places: texts(row.publish_places),
    languages: each(
      row.languages,
      (one) => /^\/languages\/(\w+)$/.exec(text(at(one, "key")) ?? "")?.[1],
    ),
    isbns: [...texts(row.isbn_13), ...texts(row.isbn_10)],
    lccns: texts(row.lccn),
    oclc_numbers: texts(row.oclc_numbers),
    page_count: count(row.number_of_pages),
    physical_format: text(row.physical_format),
    series: texts(row.series),
    subjects: texts(row.subjects),
    description: prose(row.description),
    archive_id: text(row.ocaid),
    cover_image_url: picture("b", row.covers),
    updated_at: time(row.last_modified),
    url: `${site}/books/${id}`,
  });
}

/** The answer of the interface for books has one member for each requested edition that exists. */
export const editionOf = (body: unknown, key: string) =>
  object(at(need(object(body), "editions"), key, "details"));

export function authorFound(row: Wire): LibraryAuthorFound {
  const id = need(idOf(row.key, "A"), "docs.key");
  return defined({
    id,
    name: need(text(row.name), "docs.name"),
    other_names: texts(row.alternate_names),
    birth_date: text(row.birth_date),
    death_date: text(row.death_date),
    top_book_title: text(row.top_work),
    book_count: count(row.work_count),
    subjects: texts(row.top_subjects),
    url: `${site}/authors/${id}`,
  });
}

export function author(row: Wire): LibraryAuthor {
  const id = need(idOf(row.key, "A"), "author.key");
  return defined({
    id,
    name: need(text(row.name) ?? text(row.personal_name), "author.name"),
    full_name: text(row.fuller_name),
    other_names: texts(row.alternate_names),
    biography: prose(row.bio),
    birth_date: text(row.birth_date),
    death_date: text(row.death_date),
    external_ids: Object.entries(object(row.remote_ids) ?? {}).flatMap(([type, value]) => {
      const external = text(value);
      return external === undefined ? [] : [{ type, id: external }];
    }),
    links: links(row.links),
    encyclopedia_url: text(row.wikipedia),
    image_url: picture("a", row.photos),
    updated_at: time(row.last_modified),
    url: `${site}/authors/${id}`,
  });
}
