import type { library } from "../../../contract/areas/library/index.ts";
import { invalid } from "../../../contract/errors.ts";
import type { Call, Connector } from "../../connector.ts";
import { sliced } from "../../mapping/sliced.ts";
import type { Upstream } from "../../transport/upstream.ts";
import { gutendex } from "../../upstreams/gutendex/client.ts";
import { openLibrary } from "../../upstreams/open-library/client.ts";
import { type Wire, array, at, count, found, need, object, rows } from "#wire";
import { ebook } from "./gutendex.map.ts";
import {
  author,
  authorFound,
  book,
  bookFound,
  edition,
  editionOf,
  foundFields,
  isDeleted,
  movedTo,
} from "./open-library.map.ts";

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

async function get(call: Call, upstream: Upstream, path: string, query: Query = {}) {
  return (await call.send(upstream, { method: "GET", path, query })).body;
}

/** A list of Open Library, whose rows and number stand under these names. */
function listOf<Row extends { id: string }>(
  call: Call,
  { limit }: { limit: number },
  list: {
    path: string;
    query?: Query;
    rows: string;
    total: string;
    read: (row: Wire) => Row | undefined;
  },
) {
  return sliced(call, {
    limit,
    size: { most: 100 },
    last: Infinity,
    key: (row: Row) => row.id,
    async fetch(offset, size) {
      const body = await get(call, openLibrary, list.path, { ...list.query, limit: size, offset });
      return {
        rows: rows(at(body, list.rows), list.rows, list.read),
        total: need(count(at(body, list.total)), list.total),
        sent: array(at(body, list.rows))?.length,
      };
    },
  });
}

const names = { works: "book", authors: "author", books: "edition" };
const letters = { works: "W", authors: "A", books: "M" } as const;

/** A record as `read` finds it; one that was merged into another is followed once, and a deleted one is missing. */
async function current(
  folder: keyof typeof names,
  id: string,
  read: (id: string) => Promise<Wire | undefined>,
): Promise<Wire> {
  async function existing(one: string) {
    const row = await read(one);
    return found(row && isDeleted(row) ? undefined : row, names[folder]);
  }
  const row = await existing(id);
  const moved = movedTo(row, letters[folder]);
  return moved === undefined ? row : existing(moved);
}

const thing = (call: Call, folder: "works" | "authors", id: string) =>
  current(folder, id, async (one) =>
    need(object(await get(call, openLibrary, `/${folder}/${one}.json`)), folder),
  );

/** The source's words for an order. */
const orders = {
  relevance: undefined,
  newest: "new",
  oldest: "old",
  best_rated: "rating",
  most_editions: "editions",
};
const ebookOrders = { most_downloaded: undefined, newest: "descending", oldest: "ascending" };

export default {
  "library.books.search": (input, call) => {
    const { q, title, author: name, subject, sort } = input;
    const words = { q, title, author: name, subject };
    if (Object.values(words).every((one) => one === undefined)) {
      throw invalid("query", "q", "required", "q: give q, a title, an author or a subject");
    }
    return listOf(call, input, {
      path: "/search.json",
      query: { ...words, sort: orders[sort], fields: foundFields },
      rows: "docs",
      total: "numFound",
      read: bookFound,
    });
  },
  "library.books.get": async ({ id }, call) => ({ data: book(await thing(call, "works", id)) }),
  "library.books.editions": (input, call) =>
    listOf(call, input, {
      path: `/works/${input.id}/editions.json`,
      rows: "entries",
      total: "size",
      read: edition,
    }),
  "library.editions.get": async ({ id }, call) => {
    const row = await current("books", id, async (one) => {
      const key = `${one.startsWith("OL") ? "OLID" : "ISBN"}:${one}`;
      const query = { bibkeys: key, format: "json", jscmd: "details" };
      return editionOf(await get(call, openLibrary, "/api/books", query), key);
    });
    return { data: edition(row) };
  },
  "library.authors.search": (input, call) =>
    listOf(call, input, {
      path: "/search/authors.json",
      query: { q: input.q },
      rows: "docs",
      total: "numFound",
      read: authorFound,
    }),
  "library.authors.get": async ({ id }, call) => ({
    data: author(await thing(call, "authors", id)),
  }),
  "library.authors.books": (input, call) =>
    listOf(call, input, {
      path: `/authors/${input.id}/works.json`,
      rows: "entries",
      total: "size",
      read: book,
    }),
  "library.ebooks.search": (input, call) => {
    const { author_alive_from: from, author_alive_to: to } = input;
    if (from !== undefined && to !== undefined && from > to) {
      const message = "author_alive_from: must not be more than author_alive_to";
      throw invalid("query", "author_alive_from", "invalid_value", message);
    }
    return sliced(call, {
      limit: input.limit,
      // The source's pages have 32 rows, whatever is requested.
      size: { most: 32, only: true, numbered: true },
      last: Infinity,
      key: (row) => row.id,
      async fetch(offset, size) {
        const body = await get(call, gutendex, "/books/", {
          search: input.q,
          topic: input.topic,
          languages: input.language,
          author_year_start: from,
          author_year_end: to,
          copyright: input.is_copyrighted,
          sort: ebookOrders[input.sort],
          page: offset / size + 1,
        });
        return {
          rows: rows(at(body, "results"), "results", ebook),
          total: need(count(at(body, "count")), "count"),
        };
      },
    });
  },
  "library.ebooks.get": async ({ id }, call) => ({
    data: ebook(need(object(await get(call, gutendex, `/books/${id}/`)), "book")),
  }),
} satisfies Connector<typeof library>;
