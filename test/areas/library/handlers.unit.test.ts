import { expect, test } from "vitest";
import { ebook } from "../../../worker/areas/library/gutendex.map.ts";
import {
  author,
  authorFound,
  book,
  bookFound,
  edition,
} from "../../../worker/areas/library/open-library.map.ts";
import { openLibrary as bundled } from "../../../worker/areas/library/samples/open-library.ts";
import { gutendex } from "../../../worker/areas/library/samples/gutendex.ts";
import type { SampleRequest } from "../../../worker/sandbox/sample.ts";
import { openLibrary } from "../../../worker/upstreams/open-library/client.ts";
import { ShapeError } from "#wire";
import { expectValues, issues } from "../input.ts";
import { play, playToEnd } from "../play.ts";

const work = { key: "/works/OL7W", title: "On Samples" };

test("library surprise 1: a description is a text, or an object that holds one", () => {
  expect(book({ ...work, description: "Short" }).description).toBe("Short");
  const long = { type: "/type/text", value: "Long" };
  expect(book({ ...work, description: long }).description).toBe("Long");
  expect(author({ key: "/authors/OL1A", name: "Ada", bio: long }).biography).toBe("Long");
  expect(edition({ key: "/books/OL1M", title: "T", description: long }).description).toBe("Long");
});

test("library surprise 2: a merged record is followed once, a deleted one is missing", async () => {
  const moved = (folder: string, letter: string) => ({
    key: `/${folder}/OL1${letter}`,
    type: { key: "/type/redirect" },
    location: `/${folder}/OL2${letter}`,
  });
  const samples = [
    {
      ...bundled,
      answers: {
        "GET /works/OL1W.json": () => moved("works", "W"),
        "GET /works/OL2W.json": () => ({ ...work, key: "/works/OL2W" }),
        "GET /authors/OL1A.json": () => moved("authors", "A"),
        "GET /authors/OL2A.json": () => ({ key: "/authors/OL2A", name: "Ada" }),
        "GET /works/OL3W.json": () => ({ key: "/works/OL3W", type: { key: "/type/delete" } }),
        "GET /api/books": ({ query }: SampleRequest) => {
          const key = String(query?.bibkeys);
          const details: Record<string, object> = {
            "OLID:OL1M": moved("books", "M"),
            "OLID:OL2M": { key: "/books/OL2M", title: "T" },
            "OLID:OL3M": { key: "/books/OL3M", type: { key: "/type/delete" } },
          };
          return { [key]: { bib_key: key, details: details[key] } };
        },
      },
    },
  ];
  const played = await play("library.books.get", { id: "OL1W" }, { samples });
  expect(played).toMatchObject({ ok: true, data: { id: "OL2W", title: "On Samples" } });
  const person = await play("library.authors.get", { id: "OL1A" }, { samples });
  expect(person).toMatchObject({ ok: true, data: { id: "OL2A" } });
  const deleted = await play("library.books.get", { id: "OL3W" }, { samples });
  expect(deleted).toMatchObject({ ok: false, type: "not_found" });
  const merged = await play("library.editions.get", { id: "OL1M" }, { samples });
  expect(merged).toMatchObject({ ok: true, data: { id: "OL2M" } });
  const gone = await play("library.editions.get", { id: "OL3M" }, { samples });
  expect(gone).toMatchObject({ ok: false, type: "not_found" });
});

test("library surprise 3: a deleted picture is -1", () => {
  expect(book({ ...work, covers: [-1, 12] }).cover_image_url).toBe(
    "https://covers.openlibrary.org/b/id/12-L.jpg",
  );
  expect(book({ ...work, covers: [-1] })).not.toHaveProperty("cover_image_url");
  expect(author({ key: "/authors/OL1A", name: "Ada", photos: [-1, 3] }).image_url).toBe(
    "https://covers.openlibrary.org/a/id/3-L.jpg",
  );
});

test("library surprise 4: an edition that does not exist is missing in the answer", async () => {
  const samples = [{ ...bundled, answers: { "GET /api/books": () => ({}) } }];
  const played = await play("library.editions.get", { id: "9780306406157" }, { samples });
  expect(played).toMatchObject({ ok: false, type: "not_found" });
});

test("library surprise 5: ids are bare in searches for authors, and keys elsewhere", () => {
  expect(authorFound({ key: "OL23919A", name: "Ada" }).id).toBe("OL23919A");
  expect(author({ key: "/authors/OL23919A", name: "Ada" }).id).toBe("OL23919A");
  expect(edition({ key: "/books/OL1M", title: "T", authors: [{ key: "/authors/OL2A" }] })).toEqual({
    id: "OL1M",
    author_ids: ["OL2A"],
    title: "T",
    publishers: [],
    publish_places: [],
    languages: [],
    isbns: [],
    lccns: [],
    oclc_numbers: [],
    series: [],
    subjects: [],
    url: "https://openlibrary.org/books/OL1M",
  });
  expect(() => book({ key: "/books/OL1M", title: "T" })).toThrow(ShapeError);
});

test("library surprise 6: pages of ebooks have 32 rows, at a path with a slash", async () => {
  const numbers: unknown[] = [];
  const list = gutendex.answers["GET /books/"] as (request: SampleRequest) => unknown;
  const samples = [
    {
      ...gutendex,
      answers: {
        "GET /books/": (request: SampleRequest) => {
          numbers.push(request.query?.page);
          return list(request);
        },
      },
    },
  ];
  const pages = await playToEnd("library.ebooks.search", { limit: 50 }, { samples });
  expect(pages.map((rows) => rows.length)).toEqual([50, 30]);
  expect(numbers).toEqual([1, 2, 2, 3]);
});

test("library surprise 7: times have no zone and are in UTC", () => {
  const stamp = { type: "/type/datetime", value: "2009-12-11T01:57:19.964652" };
  expect(book({ ...work, created: stamp }).created_at).toBe("2009-12-11T01:57:19.964652Z");
  expect(book({ ...work, created: { value: "yesterday" } })).not.toHaveProperty("created_at");
});

test("library surprise 8: an edition without a work is left out of a search", () => {
  expect(bookFound({ key: "/works/OL16828355M", title: "T" })).toBeUndefined();
  expect(() => bookFound({ key: "/authors/OL1A", title: "T" })).toThrow(ShapeError);
});

test("names of authors stand beside their ids, where both are known", () => {
  const row = { key: "/works/OL1W", title: "T", author_name: ["Ada", "Ben"], author_key: ["OL1A"] };
  expect(bookFound(row)?.authors).toEqual([{ id: "OL1A", name: "Ada" }, { name: "Ben" }]);
});

test("an ebook has its files by type, and no status of copyright where none is known", () => {
  const formats = {
    "text/html": "https://a.example/1.html",
    "image/jpeg": "https://a.example/1.jpg",
  };
  expect(ebook({ id: 84, title: "T", formats, copyright: null })).toMatchObject({
    id: "84",
    files: [
      { mime_type: "text/html", url: "https://a.example/1.html" },
      { mime_type: "image/jpeg", url: "https://a.example/1.jpg" },
    ],
    cover_image_url: "https://a.example/1.jpg",
  });
  expect(ebook({ id: 84, title: "T", copyright: null })).not.toHaveProperty("is_copyrighted");
});

test("ids take their usual spellings; a search without words and reversed years are refused", async () => {
  expectValues(
    "library.editions.get",
    "id",
    ["ol7m", "978-0-306-40615-7", "030640615x"],
    ["OL7W", "12"],
  );
  expectValues("library.books.get", "id", ["OL45804W", " ol1w "], ["OL0W", "45804", "OL1M"]);
  expect(issues("library.ebooks.get", { id: "0" })).toEqual(["id"]);
  expect(await play("library.books.search", {})).toMatchObject({ type: "validation_error" });
  const years = { author_alive_from: 1900, author_alive_to: 1800 };
  expect(await play("library.ebooks.search", years)).toMatchObject({ type: "validation_error" });
});

test("a contact allows three requests a second instead of one", () => {
  expect(openLibrary.limits?.perSecond).toBe(3);
  expect(openLibrary.contact?.without?.perSecond).toBe(1);
});

test("pages of editions without a work do not end a search that has more hits", async () => {
  const search = (pages: (offset: number) => object[]) => {
    const answer = ({ query }: SampleRequest) => ({
      numFound: 9,
      docs: pages(Number(query?.offset)),
    });
    const samples = [{ ...bundled, answers: { "GET /search.json": answer } }];
    return play("library.books.search", { q: "x", limit: 1 }, { samples });
  };
  const orphan = { key: "/works/OL7M", title: "T" };
  const found = await search((offset) => [offset < 5 ? orphan : work]);
  expect(found).toMatchObject({ ok: true, data: [{ id: "OL7W" }], pagination: { has_more: true } });
  // A source that stops showing rows has ended, whatever its number of hits says.
  const shown = await search((offset) => (offset < 2 ? [orphan] : []));
  expect(shown).toMatchObject({ ok: true, data: [], pagination: { has_more: false } });
});
