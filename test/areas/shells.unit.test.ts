import { expect, test } from "vitest";
import { ask } from "./answering.ts";

/** An answer that only repeats what the caller sent is free, or no answer. */

const free: [string, object, unknown][] = [
  ["finance.currencies.list", {}, []],
  ["government.agencies.list", {}, { results: [] }],
  [
    "encyclopedia.page_views",
    { title: "A", from_date: "2026-05-01", to_date: "2026-05-10" },
    { items: [] },
  ],
  // A publisher may register nothing of a reference but its number.
  [
    "papers.works.references",
    { id: "10.5555/a" },
    { message: { DOI: "10.5555/a", "reference-count": 1, reference: [{ key: "ref1" }] } },
  ],
];

test.each(free)("%s: an empty answer is free", async (id, input, body) => {
  const { played } = await ask(id, input, () => ({ body }));
  expect(played).toMatchObject({ ok: true, records: 0 });
});

test("references without a content do not end a list", async () => {
  const bare = Array.from({ length: 9 }, (_, index) => ({ key: `ref${index}` }));
  const reference = [...bare, { key: "ref9", author: "Sample" }];
  const body = { message: { DOI: "10.5555/a", reference } };
  const { played } = await ask("papers.works.references", { id: "10.5555/a", limit: 1 }, () => ({
    body,
  }));
  expect(played).toMatchObject({ ok: true, records: 1, data: [{ key: "ref9", author: "Sample" }] });
});

test("a place of which the platform shows nothing is none", async () => {
  const body = { code: 200, data: { native_location_data: {} } };
  const { played } = await ask("photosite.locations.get", { id: "331004901" }, () => ({ body }));
  expect(played).toMatchObject({ ok: false, type: "not_found" });
});

test("a server that answers any JSON is no instance", async () => {
  const input = { network: "mastodon", instance: "social.example" };
  const { played } = await ask("open_social.instance", input, () => ({ body: {} }));
  expect(played).toMatchObject({ ok: false, type: "response_shape_error" });
});
