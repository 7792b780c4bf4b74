import * as z from "zod";
import { day, id, page, perPage, text } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import type { Source } from "../../source.ts";
import {
  natureCommonName,
  natureObservation,
  natureOccurrence,
  natureSpecies,
  natureSpeciesFound,
  natureSpeciesMatch,
} from "./records.ts";

const gbif: Source = {
  name: "Global Biodiversity Information Facility",
  url: "https://www.gbif.org",
  licence: "CC0, CC BY or CC BY-NC, as each record says",
  terms: "https://www.gbif.org/terms/data-user",
  attribution: "GBIF.org, and the publisher of each record",
};
const iNaturalist: Source = {
  name: "iNaturalist",
  url: "https://www.inaturalist.org",
  licence: "licence of each observation and photo",
  terms: "https://www.inaturalist.org/pages/terms",
  attribution: "the observer of each record",
};

const number = (thing: string, most: number) =>
  id(new RegExp(`^[1-9][0-9]{0,${most - 1}}$`), thing, `a number of 1 to ${most} digits`);

const speciesId = number("Species or group in the backbone of GBIF", 10);
const rank = z
  .enum([
    "kingdom",
    "phylum",
    "class",
    "order",
    "family",
    "genus",
    "species",
    "subspecies",
    "variety",
  ])
  .optional()
  .describe("Only this rank");

const latitude = (description: string) =>
  z.number().min(-90).max(90).optional().describe(description);
const longitude = (description: string) =>
  z.number().min(-180).max(180).optional().describe(description);

/** The borders of a box; all four or none. */
const box = {
  south: latitude("Southern border in degrees of latitude, with the three other borders"),
  west: longitude("Western border in degrees of longitude"),
  north: latitude("Northern border in degrees of latitude"),
  east: longitude("Eastern border in degrees of longitude"),
};

const license = z
  .enum(["cc0", "cc-by", "cc-by-nc"])
  .optional()
  .describe("Only records under this licence; cc-by-nc forbids commercial use");

const paging = page({ most: 200, default: 20 });

const speciesOperations = [
  operation({
    id: "nature.species.match",
    method: "GET",
    path: "/nature/species/match",
    summary: "The species of a scientific name, also of a misspelt one",
    description:
      "A name that fits no species is matched to its genus or a higher group; `is_strict` forbids that. `not_found` where nothing fits or several fit equally.",
    sources: [gbif],
    input: z.strictObject({
      name: text(2, 200, "Scientific name, with or without its author"),
      rank: rank.describe("Rank of the name"),
      kingdom: text(2, 50, "Kingdom, to tell equal names apart").optional(),
      family: text(2, 50, "Family, to tell equal names apart").optional(),
      is_strict: z.boolean().default(false).describe("Take no higher group in place of a species"),
    }),
    data: natureSpeciesMatch,
    records: { kind: "one" },
    example: { name: "Samplea marina" },
  }),
  operation({
    id: "nature.species.search",
    method: "GET",
    path: "/nature/species/search",
    summary: "Species and higher groups by words of their names",
    sources: [gbif],
    input: z.strictObject({
      q: text(1, 200, "Words of scientific or common names"),
      rank,
      status: z.enum(["accepted", "synonym", "doubtful"]).optional().describe("Only this status"),
      group_id: speciesId
        .optional()
        .describe("Only species of this group, by its key: a number of 1 to 10 digits"),
      ...paging,
    }),
    data: z.array(natureSpeciesFound),
    paginated: true,
    records: perPage,
    example: { q: "seal", limit: 5 },
  }),
  operation({
    id: "nature.species.get",
    method: "GET",
    path: "/nature/species/{id}",
    summary: "One species or higher group",
    sources: [gbif],
    input: z.strictObject({ id: speciesId }),
    data: natureSpecies,
    records: { kind: "one" },
    example: { id: "1000001" },
  }),
  operation({
    id: "nature.species.children",
    method: "GET",
    path: "/nature/species/{id}/children",
    summary: "Groups and species one level below a group",
    sources: [gbif],
    input: z.strictObject({ id: speciesId, ...paging }),
    data: z.array(natureSpecies),
    paginated: true,
    records: perPage,
    example: { id: "1000001", limit: 5 },
  }),
  operation({
    id: "nature.species.common_names",
    method: "GET",
    path: "/nature/species/{id}/common-names",
    summary: "Common names of a species in all languages",
    sources: [gbif],
    input: z.strictObject({ id: speciesId, ...paging }),
    data: z.array(natureCommonName),
    paginated: true,
    records: perPage,
    example: { id: "1000001", limit: 5 },
  }),
];

const recordOperations = [
  operation({
    id: "nature.occurrences.search",
    method: "GET",
    path: "/nature/occurrences/search",
    summary: "Occurrences of species by place and time: observations and specimens",
    description: "The source shows at most the first 100,000 of a search.",
    sources: [gbif],
    input: z.strictObject({
      species_id: speciesId
        .optional()
        .describe("Species or group by its key: a number of 1 to 10 digits"),
      scientific_name: text(2, 200, "Scientific name, in place of `species_id`").optional(),
      country: z
        .string()
        .regex(/^[A-Za-z]{2}$/, { message: "must be a country's code of two letters" })
        .toUpperCase()
        .optional()
        .describe("Only this country, ISO 3166-1 code of two letters"),
      from_date: day("First day of the occurrence", "1600-01-01").optional(),
      to_date: day("Last day of the occurrence", "1600-01-01").optional(),
      ...box,
      record_basis: z
        .enum([
          "human_observation",
          "machine_observation",
          "preserved_specimen",
          "fossil_specimen",
          "living_specimen",
        ])
        .optional()
        .describe("Only this kind of record"),
      has_media: z.boolean().default(false).describe("Only occurrences with pictures"),
      license,
      ...paging,
    }),
    data: z.array(natureOccurrence),
    paginated: true,
    records: perPage,
    example: { species_id: "1000001", country: "DE", limit: 5 },
  }),
  operation({
    id: "nature.occurrences.get",
    method: "GET",
    path: "/nature/occurrences/{id}",
    summary: "One occurrence of a species",
    sources: [gbif],
    input: z.strictObject({ id: number("Occurrence at GBIF", 12) }),
    data: natureOccurrence,
    records: { kind: "one" },
    example: { id: "2000000001" },
  }),
  operation({
    id: "nature.observations.search",
    method: "GET",
    path: "/nature/observations/search",
    summary: "Observations of plants and animals by people, the latest entered ones first",
    sources: [iNaturalist],
    input: z.strictObject({
      taxon: text(2, 200, "Scientific or common name of a species or group").optional(),
      username: text(1, 100, "Only observations of this user").optional(),
      quality: z
        .enum(["research", "needs_id", "casual"])
        .optional()
        .describe("Only this quality; research means that the community agrees"),
      from_date: day("First day of the observation", "1900-01-01").optional(),
      to_date: day("Last day of the observation", "1900-01-01").optional(),
      ...box,
      has_photos: z.boolean().default(false).describe("Only observations with photos"),
      license,
      ...paging,
    }),
    data: z.array(natureObservation),
    paginated: true,
    records: perPage,
    example: { taxon: "Samplea marina", limit: 5 },
  }),
  operation({
    id: "nature.observations.get",
    method: "GET",
    path: "/nature/observations/{id}",
    summary: "One observation of a plant or animal",
    sources: [iNaturalist],
    input: z.strictObject({ id: number("Observation at iNaturalist", 12) }),
    data: natureObservation,
    records: { kind: "one" },
    example: { id: "3000001" },
  }),
];

export const nature = area({
  name: "nature",
  summary: "Species, their names and groups, occurrences and observations",
  pool: "social",
  operations: [...speciesOperations, ...recordOperations],
});
