import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 80, long: 260 };
const pageRows = 32;

function book(id: number) {
  const v = vary("gutendex", id);
  const files = `https://www.gutenberg.example/files/${id}`;
  return {
    id,
    title: `The ${v.pick("title", words)} of ${v.pick("place", words)}`,
    authors: [{ name: "Sample, Ada", birth_year: v.int("birth", 1750, 1850), death_year: 1899 }],
    summaries: [`A tale of ${v.pick("summary", words)}.`],
    editors: [
      {
        name: "Sample, Ben",
        birth_year: v.int("editor", 1750, 1850),
        death_year: v.int("death", 1850, 1930),
      },
    ],
    translators: [
      {
        name: "Sample, Cleo",
        birth_year: v.int("born", 1750, 1850),
        death_year: v.int("translated", 1850, 1930),
      },
    ],
    subjects: ["Lighthouses -- Fiction"],
    bookshelves: ["Category: Novels"],
    languages: ["en"],
    copyright: v.int("copyright", 0, 4) === 0,
    media_type: "Text",
    formats: {
      "text/html": `${files}.html.images`,
      "text/plain; charset=us-ascii": `${files}.txt.utf-8`,
      "image/jpeg": `${files}.cover.medium.jpg`,
    },
    download_count: v.int("downloads", 1, 90_000),
  };
}

function books({ query, empty, secondPage }: SampleRequest) {
  const total = empty ? 0 : secondPage ? listed.long : listed.usual;
  const number = Number(query?.page);
  const offset = (number - 1) * pageRows;
  const start = Number(vary("gutendex", String(query?.search)).digits("start", 4)) * 1000;
  const more = offset + pageRows < total;
  return {
    count: total,
    next: more ? `https://gutendex.com/books/?page=${number + 1}` : null,
    previous: null,
    results: slice({ total, offset, count: pageRows }, (index) => book(start + index)),
  };
}

/** Sample answers of Gutendex, written for this project. */
export const gutendex: Samples = {
  upstream: "gutendex",
  answers: {
    "GET /books/": books,
    "GET /books/{id}/": ({ parts }) => book(Number(parts.id)),
  },
  faults: {
    not_found: { status: 404, body: { detail: "No Book matches the given query." } },
    upstream_error: { status: 400, body: { detail: "Sample fault" } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
