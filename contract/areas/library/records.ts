import * as z from "zod";
import { count } from "../../fields.ts";

const texts = z.array(z.string());
const year = (description: string) => z.int().describe(description).optional();
const links = z.array(z.object({ title: z.string().optional(), url: z.string() }));

/** A work as a search finds it. */
export const libraryBookFound = z
  .object({
    id: z.string().describe("Id of the work: OL, a number and W"),
    title: z.string(),
    subtitle: z.string().optional(),
    authors: z.array(z.object({ id: z.string().optional(), name: z.string() })),
    first_publish_year: year("Year of the first edition"),
    edition_count: count("Editions of the work").optional(),
    page_count: count("Pages, the median of the editions").optional(),
    languages: texts,
    subjects: texts,
    rating: z.number().optional().describe("Mean rating of readers, 1 to 5"),
    rating_count: count("Ratings of readers").optional(),
    ebook_access: z
      .string()
      .optional()
      .describe("How it can be read online: no_ebook, printdisabled, borrowable or public"),
    cover_image_url: z.string().optional(),
    url: z.string(),
  })
  .meta({ id: "LibraryBookFound" });

export const libraryBook = z
  .object({
    id: z.string().describe("Id of the work: OL, a number and W"),
    title: z.string(),
    subtitle: z.string().optional(),
    description: z.string().optional(),
    author_ids: texts.describe("Ids of the authors, in the order of the work"),
    first_publish_date: z.string().optional(),
    subjects: texts,
    subject_people: texts,
    subject_places: texts,
    subject_times: texts,
    links,
    cover_image_url: z.string().optional(),
    created_at: z.string().optional(),
    updated_at: z.string().optional(),
    url: z.string(),
  })
  .meta({ id: "LibraryBook" });

export const libraryEdition = z
  .object({
    id: z.string().describe("Id of the edition: OL, a number and M"),
    book_id: z.string().optional().describe("Id of the work"),
    author_ids: texts.describe("Ids of the authors; the work has them where the edition has none"),
    title: z.string(),
    subtitle: z.string().optional(),
    edition_name: z.string().optional(),
    publishers: texts,
    publish_date: z.string().optional(),
    publish_places: texts,
    languages: texts,
    isbns: texts.describe("ISBNs of 13 and of 10 characters"),
    lccns: texts,
    oclc_numbers: texts,
    page_count: count("Pages").optional(),
    physical_format: z.string().optional(),
    series: texts,
    subjects: texts,
    description: z.string().optional(),
    archive_id: z.string().optional(),
    cover_image_url: z.string().optional(),
    updated_at: z.string().optional(),
    url: z.string(),
  })
  .meta({ id: "LibraryEdition" });

export const libraryAuthorFound = z
  .object({
    id: z.string().describe("Id of the author: OL, a number and A"),
    name: z.string(),
    other_names: texts,
    birth_date: z.string().optional(),
    death_date: z.string().optional(),
    top_book_title: z.string().optional(),
    book_count: count("Works of the author").optional(),
    subjects: texts,
    url: z.string(),
  })
  .meta({ id: "LibraryAuthorFound" });

export const libraryAuthor = z
  .object({
    id: z.string().describe("Id of the author: OL, a number and A"),
    name: z.string(),
    full_name: z.string().optional(),
    other_names: texts,
    biography: z.string().optional(),
    birth_date: z.string().optional(),
    death_date: z.string().optional(),
    external_ids: z.array(z.object({ type: z.string(), id: z.string() })),
    links,
    encyclopedia_url: z.string().optional(),
    image_url: z.string().optional(),
    updated_at: z.string().optional(),
    url: z.string(),
  })
  .meta({ id: "LibraryAuthor" });

const person = z.object({
  name: z.string().describe("Family name first, as in a catalogue"),
  birth_year: year("Year of birth; negative before our era"),
  death_year: year("Year of death; negative before our era"),
});

export const libraryEbook = z
  .object({
    id: z.string().describe("Number of the ebook at Project Gutenberg"),
    title: z.string(),
    authors: z.array(person),
    editors: z.array(person),
    translators: z.array(person),
    summary: z.string().optional(),
    subjects: texts,
    bookshelves: texts,
    languages: texts.describe("Codes of two letters"),
    is_copyrighted: z
      .boolean()
      .optional()
      .describe("False in the public domain of the USA; absent where that is not known"),
    media_type: z.string().optional(),
    download_count: count("Downloads in 30 days").optional(),
    files: z.array(z.object({ mime_type: z.string(), url: z.string() })),
    cover_image_url: z.string().optional(),
    url: z.string(),
  })
  .meta({ id: "LibraryEbook" });

export type LibraryBookFound = z.output<typeof libraryBookFound>;
export type LibraryBook = z.output<typeof libraryBook>;
export type LibraryEdition = z.output<typeof libraryEdition>;
export type LibraryAuthorFound = z.output<typeof libraryAuthorFound>;
export type LibraryAuthor = z.output<typeof libraryAuthor>;
export type LibraryEbook = z.output<typeof libraryEbook>;
