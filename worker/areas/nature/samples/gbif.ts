import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 130, long: 500 };

const groups = {
  kingdom: "Animalia",
  phylum: "Chordata",
  class: "Mammalia",
  order: "Carnivora",
  family: "Sampleidae",
  genus: "Samplea",
};

function page(request: SampleRequest, make: (index: number) => unknown) {
  const total = request.empty ? 0 : request.secondPage ? listed.long : listed.usual;
  const [offset, count] = [Number(request.query?.offset), Number(request.query?.limit)];
  const endOfRecords = offset + count >= total;
  return { offset, limit: count, endOfRecords, results: slice({ total, offset, count }, make) };
}

function species(key: number) {
  const v = vary("gbif", key);
  const name = `Samplea ${v.pick("epithet", words)}`;
  return {
    key,
    nubKey: key,
    datasetKey: "d7dddbf4-2cf0-4f39-9b2a-bb099caae36c",
    parentKey: Number(v.digits("parent", 7)),
    parent: "Samplea",
    acceptedKey: Number(v.digits("accepted", 7)),
    accepted: `${name} major Sample, 1901`,
    ...groups,
    scientificName: `${name} Sample, 1900`,
    canonicalName: name,
    authorship: "Sample, 1900 ",
    nameType: "SCIENTIFIC",
    rank: "SPECIES",
    origin: "SOURCE",
    taxonomicStatus: "SYNONYM",
    numDescendants: v.int("descendants", 0, 90),
    issues: [],
  };
}

const whole = (key: number) => ({
  ...species(key),
  vernacularName: `${vary("gbif", "common", key).pick("name", words)} seal`,
  publishedIn: "Sample, A. (1900) On seals.",
});

const found = (key: number) => ({
  ...species(key),
  vernacularNames: [{ vernacularName: "sample seal", language: "eng" }],
  habitats: ["MARINE"],
  threatStatuses: ["LEAST_CONCERN"],
  extinct: vary("gbif", "extinct", key).int("extinct", 0, 3) === 0,
});

function occurrence(key: number) {
  const v = vary("gbif", "occurrence", key);
  return {
    key,
    datasetKey: `50c9509d-22c7-4a22-a47d-${v.digits("dataset", 12)}`,
    datasetName: "Sample observations",
    publishingCountry: "DE",
    protocol: "DWC_ARCHIVE",
    basisOfRecord: "HUMAN_OBSERVATION",
    occurrenceStatus: v.int("present", 0, 4) === 0 ? "ABSENT" : "PRESENT",
    individualCount: v.int("individuals", 1, 30),
    sex: "FEMALE",
    lifeStage: "Adult",
    taxonKey: Number(v.digits("taxon", 7)),
    ...groups,
    species: "Samplea marina",
    scientificName: "Samplea marina Sample, 1900",
    acceptedScientificName: "Samplea marina Sample, 1900",
    taxonRank: "SPECIES",
    taxonomicStatus: "ACCEPTED",
    iucnRedListCategory: "LC",
    decimalLatitude: v.int("lat", -80, 80) + 0.5,
    decimalLongitude: v.int("lon", -170, 170) + 0.25,
    coordinateUncertaintyInMeters: v.int("uncertainty", 1, 900),
    elevation: v.int("elevation", 0, 900),
    depth: v.int("depth", 0, 90),
    eventDate: `2024-05-0${v.int("day", 1, 9)}T10:11`,
    year: 2024,
    country: "Germany",
    countryCode: "DE",
    stateProvince: "Sample state",
    locality: `${v.pick("locality", words)} bay`,
    recordedBy: "Ada Sample",
    identifiedBy: "Ben Sample",
    institutionCode: "SMP",
    collectionCode: "Seals",
    catalogNumber: v.digits("catalog", 6),
    license: "http://creativecommons.org/licenses/by/4.0/legalcode",
    rightsHolder: "Ada Sample",
    media: [
      {
        type: "StillImage",
        identifier: `https://photos.example/${v.digits("photo", 6)}.jpg`,
        license: "http://creativecommons.org/licenses/by/4.0/",
        creator: "Ada Sample",
      },
    ],
    issues: ["COORDINATE_ROUNDED"],
    references: `https://observations.example/${v.digits("reference", 6)}`,
  };
}

const start = (...seed: string[]) => Number(vary("gbif", ...seed).digits("start", 4)) * 1000;

/** Sample answers of GBIF, written for this project. */
export const gbif: Samples = {
  upstream: "gbif",
  answers: {
    "GET /v2/species/match": ({ query }) => {
      const name = String(query?.scientificName);
      const v = vary("gbif", "match", name);
      const named = (rank: string, value: string) => ({
        key: v.digits(rank, 5),
        name: value,
        rank,
      });
      return {
        usage: {
          key: v.digits("key", 7),
          name: `${name} Sample, 1900`,
          canonicalName: name,
          authorship: "Sample, 1900",
          rank: "SPECIES",
          status: "SYNONYM",
        },
        acceptedUsage: { key: v.digits("accepted", 7), name: "Samplea major Sample, 1901" },
        classification: Object.entries(groups).map(([rank, value]) =>
          named(rank.toUpperCase(), value),
        ),
        diagnostics: { matchType: "EXACT", confidence: v.int("confidence", 80, 100) },
        additionalStatus: [{ datasetAlias: "IUCN", status: "LEAST_CONCERN", statusCode: "LC" }],
        synonym: true,
      };
    },
    "GET /v1/species/search": (request) =>
      page(request, (index) => found(start("search", String(request.query?.q)) + index)),
    "GET /v1/species/{key}": ({ parts }) => whole(Number(parts.key)),
    "GET /v1/species/{key}/children": (request) =>
      page(request, (index) => whole(start("children", request.parts.key as string) + index)),
    "GET /v1/species/{key}/vernacularNames": (request) =>
      page(request, (index) => ({
        taxonKey: Number(request.parts.key),
        vernacularName: `${vary("gbif", "name", index).pick("name", words)} seal ${index}`,
        language: index % 2 === 0 ? "eng" : "deu",
        country: "DE",
        preferred: index % 3 === 0,
        source: "Catalogue of samples",
      })),
    "GET /v1/occurrence/search": (request) =>
      page(request, (index) =>
        occurrence(
          start("found", String(request.query?.taxonKey), String(request.query?.scientificName)) +
            index,
        ),
      ),
    "GET /v1/occurrence/{key}": ({ parts }) => occurrence(Number(parts.key)),
  },
  faults: {
    not_found: { status: 404, body: { status: 404, message: "Entity not found" } },
    upstream_error: { status: 400, body: { status: 400, message: "Sample fault" } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
