import { expect, test } from "vitest";
import { priceOf } from "../../contract/pricing.ts";
import { type Operation, creditsFor, mostRecords } from "../../contract/operation.ts";
import { exampleOf, variants } from "./inputs.ts";
import { type Input, mapped, play } from "./play.ts";
import { fieldPaths, presentPaths, validatorOf } from "./schema.ts";

const mostPages = 3;
/** Errors that a generated input may get in place of an answer. */
const refusals = ["validation_error", "not_found", "invalid_id"];

/**
 * Declared fields that no answer to the example or its variants shows. Also checks that each charge
 * is within the dry run's price.
 */
async function missingFields(op: Operation): Promise<string[]> {
  const missing = fieldPaths(op);
  const validate = validatorOf(op);
  const collect = async (
    input: Input,
    options: { scenario?: "second_page"; maxRecords?: 1 } = {},
  ) => {
    let cursor;
    for (let page = 0; page < mostPages; page += 1) {
      const played = await play(op, input, { cursor, ...options });
      expect(played.faults, JSON.stringify(input)).toEqual([]);
      if (!played.ok) {
        expect(refusals, `${JSON.stringify(input)}: ${played.message}`).toContain(played.type);
        return;
      }
      const { least, most } = priceOf(op, options.maxRecords ?? mostRecords(op, input as never));
      const charge = creditsFor(op, played.records);
      expect(charge, `${JSON.stringify(input)}: ${least} to ${most}`).toBeGreaterThanOrEqual(least);
      expect(charge, `${JSON.stringify(input)}: ${least} to ${most}`).toBeLessThanOrEqual(most);
      expect(validate(played.data), JSON.stringify([input, validate.errors?.[0]])).toBe(true);
      for (const path of presentPaths(played.data)) missing.delete(path);
      cursor = played.pagination?.next;
      if (!cursor) return;
    }
  };
  await collect(exampleOf(op));
  for (const input of variants(op)) {
    if (missing.size === 0) break;
    await collect(input);
  }
  if (missing.size > 0) await collect(exampleOf(op), { scenario: "second_page" });
  // Work that a balance leaves undone is named in separate fields.
  if (missing.size > 0) await collect(exampleOf(op), { maxRecords: 1 });
  return [...missing];
}

const rating = ["rating", "rating.value", "rating.votes_count"].concat(
  "rating.rating_type",
  "rating.rating_max",
);

const element = (...fields: string[]) => fields.map((field) => `results[].${field}`);

/** Fields of the shared search answer and its element that a source lacks, by operation. */
const foreign: Readonly<Record<string, readonly string[]>> = {
  // The example is a DOI of Crossref; test/areas/papers shows the works of the other sources.
  "papers.works.get": ["arxiv_id", "is_open_access", "pmcid", "pmid", "version"],
  // The example is a video of Vimeo; test/areas/media shows one of TikTok.
  "media.videos.embed": ["author_username"],
  // The example is a contract; test/areas/government shows awards of assistance.
  "government.awards.get": [
    "loan_amount",
    "non_federal_amount",
    "subsidy_cost",
    "total_funding",
    ...["number", "obligated_amount", "title", "url"].map(
      (name) => `assistance_listings[].${name}`,
    ),
  ],
  "events.search": ["search_url", ...element("is_paid", "phone", "nested_items", ...rating)],
  "local.search": element("category", "latitude", "longitude", "nested_items"),
  "news.search": [
    ...element("is_paid", "phone", "address", "category", "latitude", "longitude"),
    ...element(...rating),
  ],
};

test.each(mapped)("$id: the samples show every field of the answer", async (op) => {
  const known = [...(foreign[op.id] ?? [])];
  const missing = await missingFields(op);
  expect(missing.sort(), "fields that occur in no sample answer").toEqual(known.sort());
});
