import { expect, test } from "vitest";
import { commonName, match, occurrence, species } from "../../../worker/areas/nature/gbif.map.ts";
import { observation } from "../../../worker/areas/nature/inaturalist.map.ts";
import { gbif as gbifSamples } from "../../../worker/areas/nature/samples/gbif.ts";
import { iNaturalist as bundled } from "../../../worker/areas/nature/samples/inaturalist.ts";
import type { SampleRequest } from "../../../worker/sandbox/sample.ts";
import { iNaturalist } from "../../../worker/upstreams/inaturalist/client.ts";
import { ShapeError } from "#wire";
import { ask } from "../answering.ts";
import { issues } from "../input.ts";
import { play, playToEnd } from "../play.ts";

/** The query of the first request to this template. */
async function sent(id: string, input: Record<string, unknown>) {
  let query: unknown;
  const capture = (request: SampleRequest) => {
    query ??= request.query;
    return { endOfRecords: true, total_results: 0, results: [] };
  };
  const samples = [
    {
      ...gbifSamples,
      answers: { "GET /v1/species/search": capture, "GET /v1/occurrence/search": capture },
    },
    { ...bundled, answers: { "GET /v1/observations": capture } },
  ];
  const played = await play(id, input, { samples });
  expect(played).toMatchObject({ ok: true });
  return query;
}

test("nature surprise 1: a name that fits nothing, or several species, is not found", async () => {
  const none = { diagnostics: { matchType: "NONE", confidence: 100 }, synonym: false };
  expect(match(none)).toBeUndefined();
  expect(() => match({ diagnostics: { matchType: "EXACT" } })).toThrow(ShapeError);
  const samples = [{ ...gbifSamples, answers: { "GET /v2/species/match": () => none } }];
  const played = await play("nature.species.match", { name: "Nothing" }, { samples });
  expect(played).toMatchObject({ ok: false, type: "not_found" });
});

test("nature surprise 2: words of closed lists are in lower case, in both directions", async () => {
  const input = { record_basis: "fossil_specimen", license: "cc-by", has_media: true };
  expect(await sent("nature.occurrences.search", input)).toMatchObject({
    basisOfRecord: "FOSSIL_SPECIMEN",
    license: "CC_BY_4_0",
    mediaType: "StillImage",
  });
  const row = { key: 7, scientificName: "S", basisOfRecord: "FOSSIL_SPECIMEN", sex: "MALE" };
  expect(occurrence({ ...row, occurrenceStatus: "ABSENT" })).toEqual({
    id: "7",
    scientific_name: "S",
    record_basis: "fossil_specimen",
    is_present: false,
    sex: "male",
    media: [],
    issues: [],
    url: "https://www.gbif.org/occurrence/7",
  });
});

test("nature surprise 3: a list ends where the source says so, without a number of rows", async () => {
  const pages = await playToEnd("nature.species.common_names", { id: "1", limit: 100 });
  expect(pages.map((rows) => rows.length)).toEqual([100, 30]);
  const samples = [
    { ...gbifSamples, answers: { "GET /v1/species/{key}/children": () => ({ results: [] }) } },
  ];
  const unclear = await play("nature.species.children", { id: "1" }, { samples });
  expect(unclear).toMatchObject({ ok: false, type: "response_shape_error" });
});

test("nature surprise 4: keys are texts, and those of the backbone", async () => {
  const usage = { key: "9206251", name: "Helianthus annuus L.", rank: "SPECIES" };
  expect(match({ usage, diagnostics: { matchType: "EXACT" } })).toEqual({
    id: "9206251",
    scientific_name: "Helianthus annuus L.",
    rank: "species",
    match_type: "exact",
  });
  const row = { key: 1, scientificName: "S", taxonKey: 8_211_070, classifications: {} };
  expect(occurrence(row).species_id).toBe("8211070");
  expect(await sent("nature.species.search", { q: "seal", rank: "genus" })).toMatchObject({
    datasetKey: "d7dddbf4-2cf0-4f39-9b2a-bb099caae36c",
    rank: "GENUS",
  });
});

test("nature surprise 5: observations are paged below an id, whatever limits the pages have", async () => {
  const asked: unknown[] = [];
  const list = bundled.answers["GET /v1/observations"] as (request: SampleRequest) => unknown;
  const answers = {
    "GET /v1/observations": (request: SampleRequest) => {
      asked.push([request.query?.per_page, request.query?.id_below]);
      return list(request);
    },
  };
  const samples = [{ ...bundled, answers }];
  const pages = await playToEnd("nature.observations.search", { limit: 50 }, { samples });
  expect(pages.map((rows) => rows.length)).toEqual([50, 50, 30]);
  expect(asked).toEqual([
    [50, undefined],
    [50, "3000451"],
    [50, "3000401"],
  ]);
});

const seen = { id: 9, user: { id: 1, login: "ada", name: null } };

test("nature surprise 6: a position is one text, and hidden ones have a public uncertainty", () => {
  const row = { ...seen, location: "50.5,-104.25", positional_accuracy: 5 };
  expect(observation({ ...row, public_positional_accuracy: 28_000, obscured: true })).toEqual({
    id: "9",
    latitude: 50.5,
    longitude: -104.25,
    uncertainty_meters: 28_000,
    is_obscured: true,
    observer: { id: "1", username: "ada" },
    photos: [],
    url: "https://www.inaturalist.org/observations/9",
  });
  expect(observation({ ...row, location: null })).not.toHaveProperty("latitude");
});

test("nature surprise 7: an observation that does not exist is an empty list", async () => {
  const body = { total_results: 0, page: 1, per_page: 30, results: [] };
  const samples = [{ ...bundled, answers: { "GET /v1/observations/{id}": () => body } }];
  const played = await play("nature.observations.get", { id: "9" }, { samples });
  expect(played).toMatchObject({ ok: false, type: "not_found" });
});

test("nature surprise 8: the author of a name has no blank at its end", () => {
  const row = { key: 5, scientificName: "S" };
  expect(species({ ...row, authorship: "Sample, 1900 " }).authorship).toBe("Sample, 1900");
  for (const authorship of ["", " "]) {
    expect(species({ ...row, authorship })).not.toHaveProperty("authorship");
  }
  expect(commonName({ vernacularName: "seal", preferred: false })).toEqual({
    name: "seal",
    is_preferred: false,
  });
});

test("a box has four borders, and days are in order", async () => {
  const box = { south: 1, west: 2, north: 3, east: 4 };
  const from = { from_date: "2024-01-01" };
  expect(await sent("nature.occurrences.search", { ...box, ...from })).toMatchObject({
    decimalLatitude: "1,3",
    decimalLongitude: "2,4",
    eventDate: "2024-01-01,*",
  });
  expect(await sent("nature.observations.search", box)).toMatchObject({ swlat: "1", nelng: "4" });
  for (const wrong of [{ south: 1 }, { ...box, north: 0 }, { ...from, to_date: "2023-01-01" }]) {
    const played = await play("nature.occurrences.search", wrong);
    expect(played, JSON.stringify(wrong)).toMatchObject({ type: "validation_error" });
  }
  expect(issues("nature.species.get", { id: "4QHKG" })).toEqual(["id"]);
});

test("iNaturalist gets at most 60 requests a minute", () => {
  const { perSecond = 0, burst = 0 } = iNaturalist.limits ?? {};
  expect(perSecond * 60 + burst).toBeLessThanOrEqual(60);
});

test("borders are sent in plain digits, and a box over the antimeridian is asked for in two parts", async () => {
  const answer = () => ({ body: { endOfRecords: true, total_results: 0, results: [] } });
  const box = { south: -0.0000005, west: 170, north: 0.0000005, east: -170.25 };
  const occurrences = await ask("nature.occurrences.search", box, answer);
  expect(occurrences.asked).toMatchObject([
    {
      query: { decimalLatitude: "-0.0000005,0.0000005" },
      repeated: { decimalLongitude: ["170,180", "-180,-170.25"] },
    },
  ]);
  const whole = await ask("nature.occurrences.search", { ...box, west: -180 }, answer);
  expect(whole.asked).toMatchObject([{ query: { decimalLongitude: "-180,-170.25" } }]);
  // iNaturalist cuts such a box itself.
  const observations = await ask("nature.observations.search", box, answer);
  expect(observations.asked).toMatchObject([
    { query: { swlat: "-0.0000005", nelat: "0.0000005", swlng: "170", nelng: "-170.25" } },
  ]);
});

test("the last of the 100,000 occurrences are shown", async () => {
  const asked: unknown[] = [];
  const answers = {
    "GET /v1/occurrence/search": ({ query }: SampleRequest) => {
      const [offset, limit] = [Number(query?.offset), Number(query?.limit)];
      asked.push([offset, limit]);
      const results = Array.from({ length: limit }, (_, index) => ({
        key: offset + index + 1,
        scientificName: "S",
      }));
      return { endOfRecords: false, results };
    },
  };
  const samples = [{ ...gbifSamples, answers }];
  const cursor = { u: { offset: 99_800, size: 150 } };
  const page = (at: object) =>
    play("nature.occurrences.search", { limit: 150 }, { samples, cursor: at as typeof cursor });
  const first = await page(cursor);
  expect(first).toMatchObject({ records: 150, pagination: { has_more: true } });
  const next = first.ok ? first.pagination?.next : undefined;
  expect(await page(next ?? {})).toMatchObject({ records: 50, pagination: { has_more: false } });
  expect(asked).toEqual([
    [99_800, 150],
    [99_950, 50],
  ]);
});
