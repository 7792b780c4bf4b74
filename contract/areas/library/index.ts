import * as z from "zod";
import { id, page, perPage, text } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import type { Source } from "../../source.ts";
import {
  libraryAuthor,
  libraryAuthorFound,
  libraryBook,
  libraryBookFound,
  libraryEbook,
  libraryEdition,
} from "./records.ts";

const openLibrary: Source = {
  name: "Open Library",
  url: "https://openlibrary.org",
  licence: "CC0",
  terms: "https://openlibrary.org/developers/licensing",
};
const gutenberg: Source = {
  name: "Project Gutenberg, by Gutendex",
  url: "https://gutendex.com",
  licence: "terms of use",
  terms: "https://www.gutenberg.org/policy/permission.html",
};

/** An id of Open Library, without the folder in front of it (`/works/`). */
const openLibraryId = (letter: "W" | "A", thing: string) =>
  id(
    new RegExp(`^OL[1-9][0-9]{0,11}${letter}$`),
    thing,
    `OL, a number of 1 to 12 digits and ${letter}: OL45804${letter}`,
    (given) => given.trim().toUpperCase(),
  );

const bookId = openLibraryId("W", "Work");
const authorId = openLibraryId("A", "Author");
const editionId = id(
  /^(OL[1-9][0-9]{0,11}M|[0-9]{13}|[0-9]{9}[0-9X])$/,
  "Edition",
  "OL, a number of 1 to 12 digits and M (OL7353617M), or an ISBN of 10 or 13 characters",
  (given) => {
    const upper = given.trim().toUpperCase();
    return upper.startsWith("OL") ? upper : upper.replace(/[ -]/g, "");
  },
);
const ebookId = id(/^[1-9][0-9]{0,7}$/, "Ebook at Project Gutenberg", "a number of 1 to 8 digits");

const paging = page({ most: 100, default: 20 });
const q = text(1, 300, "Words to look for");

const bookOperations = [
  operation({
    id: "library.books.search",
    method: "GET",
    path: "/library/books/search",
    summary: "Books by words, title, author or subject",
    description: "A book is a work with all its editions. Give at least one of the texts.",
    sources: [openLibrary],
    input: z.strictObject({
      q: q.optional(),
      title: text(1, 300, "Words of the title").optional(),
      author: text(1, 300, "Name of the author").optional(),
      subject: text(1, 300, "Subject").optional(),
      sort: z
        .enum(["relevance", "newest", "oldest", "best_rated", "most_editions"])
        .default("relevance")
        .describe("Order of the books; newest and oldest by their first edition"),
      ...paging,
    }),
    data: z.array(libraryBookFound),
    paginated: true,
    records: perPage,
    example: { q: "lighthouse keeper", limit: 5 },
  }),
  operation({
    id: "library.books.get",
    method: "GET",
    path: "/library/books/{id}",
    summary: "One book as a work, whatever its edition",
    sources: [openLibrary],
    input: z.strictObject({ id: bookId }),
    data: libraryBook,
    records: { kind: "one" },
    example: { id: "OL1001W" },
  }),
  operation({
    id: "library.books.editions",
    method: "GET",
    path: "/library/books/{id}/editions",
    summary: "Editions of a book",
    sources: [openLibrary],
    input: z.strictObject({ id: bookId, ...paging }),
    data: z.array(libraryEdition),
    paginated: true,
    records: perPage,
    example: { id: "OL1001W", limit: 5 },
  }),
  operation({
    id: "library.editions.get",
    method: "GET",
    path: "/library/editions/{id}",
    summary: "One edition by its id or its ISBN",
    sources: [openLibrary],
    input: z.strictObject({ id: editionId }),
    data: libraryEdition,
    records: { kind: "one" },
    example: { id: "9780306406157" },
  }),
];

const authorOperations = [
  operation({
    id: "library.authors.search",
    method: "GET",
    path: "/library/authors/search",
    summary: "Authors of books by name",
    sources: [openLibrary],
    input: z.strictObject({ q, ...paging }),
    data: z.array(libraryAuthorFound),
    paginated: true,
    records: perPage,
    example: { q: "Sample", limit: 5 },
  }),
  operation({
    id: "library.authors.get",
    method: "GET",
    path: "/library/authors/{id}",
    summary: "One author of books",
    sources: [openLibrary],
    input: z.strictObject({ id: authorId }),
    data: libraryAuthor,
    records: { kind: "one" },
    example: { id: "OL2001A" },
  }),
  operation({
    id: "library.authors.books",
    method: "GET",
    path: "/library/authors/{id}/books",
    summary: "Books of an author",
    sources: [openLibrary],
    input: z.strictObject({ id: authorId, ...paging }),
    data: z.array(libraryBook),
    paginated: true,
    records: perPage,
    example: { id: "OL2001A", limit: 5 },
  }),
];

const ebookOperations = [
  operation({
    id: "library.ebooks.search",
    method: "GET",
    path: "/library/ebooks/search",
    summary: "Free ebooks of Project Gutenberg, most downloaded first",
    description:
      "Most are in the public domain of the USA. Without words, all ebooks are listed. Give years to find authors who lived between them.",
    sources: [gutenberg],
    input: z.strictObject({
      q: text(1, 300, "Words of titles and names of authors").optional(),
      topic: text(1, 100, "Part of a subject or bookshelf").optional(),
      language: z
        .string()
        .regex(/^[a-z]{2}$/, { message: "must be a language's code of two letters" })
        .optional()
        .describe("Only this language, code of two letters"),
      author_alive_from: z.int().min(-5000).max(2100).describe("First year").optional(),
      author_alive_to: z.int().min(-5000).max(2100).describe("Last year").optional(),
      is_copyrighted: z
        .boolean()
        .optional()
        .describe("Only ebooks in the public domain of the USA (false), or only others (true)"),
      sort: z
        .enum(["most_downloaded", "newest", "oldest"])
        .default("most_downloaded")
        .describe("Order of the ebooks; newest and oldest by their numbers"),
      ...page({ most: 100, default: 32 }),
    }),
    data: z.array(libraryEbook),
    paginated: true,
    records: perPage,
    example: { q: "lighthouse", language: "en", limit: 5 },
  }),
  operation({
    id: "library.ebooks.get",
    method: "GET",
    path: "/library/ebooks/{id}",
    summary: "One free ebook of Project Gutenberg, with its files",
    sources: [gutenberg],
    input: z.strictObject({ id: ebookId }),
    data: libraryEbook,
    records: { kind: "one" },
    example: { id: "1001" },
  }),
];

export const library = area({
  name: "library",
  summary: "Books with their editions and authors, and free ebooks",
  pool: "social",
  operations: [...bookOperations, ...authorOperations, ...ebookOperations],
});
