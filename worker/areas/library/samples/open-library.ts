import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 130, long: 400 };

const page = (request: SampleRequest) => ({
  total: request.empty ? 0 : request.secondPage ? listed.long : listed.usual,
  offset: Number(request.query?.offset),
  count: Number(request.query?.limit),
});
const stamp = (value: string) => ({ type: "/type/datetime", value });

function doc(seed: string, index: number) {
  const v = vary("open-library", "doc", seed);
  return {
    key: `/works/OL${v.digits("id", 4)}${index}W`,
    title: `The ${v.pick("title", words)} ${index + 1}`,
    subtitle: `A tale of ${v.pick("subtitle", words)}`,
    author_key: [`OL${v.digits("author", 5)}A`, `OL${v.digits("other", 5)}A`],
    author_name: ["Ada Sample", "Ben Sample"],
    first_publish_year: v.int("year", 1850, 2020),
    edition_count: v.int("editions", 1, 90),
    number_of_pages_median: v.int("pages", 60, 900),
    language: ["eng", "ger"],
    subject: ["Lighthouses", "Fiction"],
    ratings_average: v.int("rating", 10, 50) / 10,
    ratings_count: v.int("ratings", 1, 900),
    ebook_access: "borrowable",
    cover_i: Number(v.digits("cover", 7)),
  };
}

function work(id: string) {
  const v = vary("open-library", "work", id);
  return {
    key: `/works/${id}`,
    type: { key: "/type/work" },
    title: `The ${v.pick("title", words)} ${id}`,
    subtitle: `A tale of ${v.pick("subtitle", words)}`,
    description: { type: "/type/text", value: `On ${v.pick("text", words)}.` },
    authors: [{ type: { key: "/type/author_role" }, author: { key: "/authors/OL2001A" } }],
    first_publish_date: String(v.int("year", 1850, 2020)),
    subjects: ["Lighthouses", v.pick("subject", words)],
    subject_people: ["Ada Sample"],
    subject_places: ["Berlin"],
    subject_times: ["19th century"],
    links: [{ title: "A page", url: "https://books.example/page", type: { key: "/type/link" } }],
    covers: [-1, Number(v.digits("cover", 7))],
    revision: 3,
    created: stamp("2009-12-11T01:57:19.964652"),
    last_modified: stamp("2024-05-04T10:11:12.123456"),
  };
}

function edition(id: string, isbn?: string) {
  const v = vary("open-library", "edition", id);
  return {
    key: `/books/${id}`,
    type: { key: "/type/edition" },
    works: [{ key: "/works/OL1001W" }],
    authors: [{ key: "/authors/OL2001A", name: "Ada Sample" }],
    title: `The ${v.pick("title", words)}`,
    subtitle: "A tale",
    edition_name: "2nd ed.",
    publishers: ["Sample Press"],
    publish_date: `May ${v.int("year", 1950, 2020)}`,
    publish_places: ["Berlin"],
    languages: [{ key: "/languages/eng" }],
    isbn_13: [isbn ?? `978030640${v.digits("isbn", 4)}`],
    isbn_10: [`030640${v.digits("isbn", 4)}`],
    lccn: [v.digits("lccn", 8)],
    oclc_numbers: [v.digits("oclc", 8)],
    number_of_pages: v.int("pages", 60, 900),
    physical_format: "Paperback",
    series: ["Sample series"],
    subjects: ["Lighthouses"],
    description: `On ${v.pick("text", words)}.`,
    ocaid: `tale${v.digits("archive", 6)}`,
    covers: [Number(v.digits("cover", 7))],
    source_records: ["amazon:0306406152"],
    last_modified: stamp("2024-05-04T10:11:12.123456"),
  };
}

/** Sample answers of Open Library, written for this project. */
export const openLibrary: Samples = {
  upstream: "open-library",
  answers: {
    "GET /search.json": (request) => {
      const { q, title, author, subject } = request.query ?? {};
      const seed = [q, title, author, subject].join("|");
      const { total, offset, count } = page(request);
      return {
        numFound: total,
        start: offset,
        numFoundExact: true,
        docs: slice({ total, offset, count }, (index) => doc(`${seed} ${index}`, index)),
        q: q ?? "",
        offset,
      };
    },
    "GET /works/{id}.json": ({ parts }) => work(parts.id as string),
    "GET /works/{id}/editions.json": (request) => {
      const { total, offset, count } = page(request);
      const base = vary("open-library", "editions", request.parts.id as string).digits("id", 4);
      return {
        links: { work: `/works/${request.parts.id}` },
        size: total,
        entries: slice({ total, offset, count }, (index) => edition(`OL${base}${index}M`)),
      };
    },
    "GET /api/books": ({ query }) => {
      const key = String(query?.bibkeys);
      const [kind, value = ""] = key.split(":");
      const isbn = kind === "ISBN" ? value : undefined;
      const details = edition(isbn === undefined ? value : `OL${isbn.slice(0, 9)}M`, isbn);
      return {
        [key]: {
          bib_key: key,
          info_url: `https://openlibrary.org${details.key}/A_tale`,
          preview: "noview",
          preview_url: `https://openlibrary.org${details.key}/A_tale`,
          details,
        },
      };
    },
    "GET /search/authors.json": (request) => {
      const { total, offset, count } = page(request);
      return {
        numFound: total,
        start: offset,
        numFoundExact: true,
        docs: slice({ total, offset, count }, (index) => {
          const v = vary("open-library", "author", String(request.query?.q), index);
          return {
            key: `OL${v.digits("id", 4)}${index}A`,
            type: "author",
            name: `${v.pick("name", words)} Sample`,
            alternate_names: ["A. Sample"],
            birth_date: `3 May ${v.int("birth", 1800, 1900)}`,
            death_date: `2 June ${v.int("death", 1901, 1990)}`,
            top_work: `The ${v.pick("work", words)}`,
            work_count: v.int("works", 1, 300),
            top_subjects: ["Fiction", "Lighthouses"],
            _version_: 1,
          };
        }),
      };
    },
    "GET /authors/{id}.json": ({ parts }) => {
      const v = vary("open-library", "person", parts.id as string);
      return {
        key: `/authors/${parts.id}`,
        type: { key: "/type/author" },
        name: `Ada ${v.pick("name", words)}`,
        personal_name: "Ada Sample",
        fuller_name: "Ada Maria Sample",
        alternate_names: ["A. Sample"],
        bio: { type: "/type/text", value: `Wrote on ${v.pick("bio", words)}.` },
        birth_date: `3 May ${v.int("birth", 1800, 1900)}`,
        death_date: `2 June ${v.int("death", 1901, 1990)}`,
        remote_ids: { viaf: v.digits("viaf", 8), wikidata: `Q${v.digits("data", 6)}` },
        links: [{ title: "Her page", url: "https://books.example/ada" }],
        wikipedia: "https://en.wikipedia.org/wiki/Ada_Sample",
        photos: [Number(v.digits("photo", 7)), -1],
        last_modified: stamp("2024-05-04T10:11:12.123456"),
      };
    },
    "GET /authors/{id}/works.json": (request) => {
      const { total, offset, count } = page(request);
      const base = vary("open-library", "works", request.parts.id as string).digits("id", 4);
      return {
        links: { author: `/authors/${request.parts.id}` },
        size: total,
        entries: slice({ total, offset, count }, (index) => work(`OL${base}${index}W`)),
      };
    },
  },
  faults: {
    not_found: { status: 404, body: { error: "notfound", key: "/works/OL1W" } },
    upstream_error: { status: 400, body: { error: "bad request" } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
