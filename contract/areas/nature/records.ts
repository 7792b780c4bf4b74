import * as z from "zod";
import { count } from "../../fields.ts";

const texts = z.array(z.string());
const speciesId = z.string().describe("Key of the species or higher group in the backbone of GBIF");

/** Names of the groups that hold a species, each where it is known. */
const groups = {
  kingdom: z.string().optional(),
  phylum: z.string().optional(),
  class: z.string().optional(),
  order: z.string().optional(),
  family: z.string().optional(),
  genus: z.string().optional(),
};

const rank = z.string().optional().describe("species, subspecies, genus, family, …");
const status = z.string().optional().describe("accepted, synonym, doubtful, …");

export const natureSpeciesMatch = z
  .object({
    id: speciesId,
    scientific_name: z.string(),
    canonical_name: z.string().optional(),
    authorship: z.string().optional(),
    rank,
    status,
    accepted_id: z.string().optional().describe("Key of the accepted species of a synonym"),
    accepted_scientific_name: z.string().optional(),
    is_synonym: z.boolean().optional(),
    match_type: z.string().optional().describe("exact, variant or higherrank"),
    confidence: count("How sure the match is, 0 to 100").optional(),
    red_list_category: z.string().optional().describe("Category of IUCN's Red List: LC, VU, …"),
    ...groups,
  })
  .meta({ id: "NatureSpeciesMatch" });

export const natureSpecies = z
  .object({
    id: speciesId,
    scientific_name: z.string(),
    canonical_name: z.string().optional(),
    authorship: z.string().optional(),
    common_name: z.string().optional(),
    rank,
    status,
    accepted_id: z.string().optional().describe("Key of the accepted species of a synonym"),
    accepted_scientific_name: z.string().optional(),
    parent_id: z.string().optional(),
    parent_name: z.string().optional(),
    published_in: z.string().optional(),
    descendant_count: count("Species and groups below it").optional(),
    ...groups,
    url: z.string(),
  })
  .meta({ id: "NatureSpecies" });

/** A species as a search finds it. */
export const natureSpeciesFound = natureSpecies
  .omit({ common_name: true, published_in: true })
  .extend({
    common_names: z.array(z.object({ name: z.string(), language: z.string().optional() })),
    habitats: texts,
    threat_statuses: texts,
    is_extinct: z.boolean().optional(),
  })
  .meta({ id: "NatureSpeciesFound" });

export const natureCommonName = z
  .object({
    name: z.string(),
    language: z.string().optional().describe("Code of three letters, ISO 639-3"),
    country_code: z.string().optional(),
    is_preferred: z.boolean().optional(),
    source: z.string().optional(),
  })
  .meta({ id: "NatureCommonName" });

const position = {
  latitude: z.number().optional(),
  longitude: z.number().optional(),
  uncertainty_meters: z.number().optional(),
};

export const natureOccurrence = z
  .object({
    id: z.string().describe("Key of the occurrence at GBIF"),
    species_id: z.string().optional().describe("Key of the species; `nature.species.get` takes it"),
    scientific_name: z.string(),
    accepted_scientific_name: z.string().optional(),
    species: z.string().optional(),
    rank,
    status,
    ...groups,
    red_list_category: z.string().optional(),
    record_basis: z.string().optional().describe("human_observation, preserved_specimen, …"),
    is_present: z.boolean().optional().describe("False where it was looked for and not found"),
    individual_count: count("Individuals").optional(),
    sex: z.string().optional(),
    life_stage: z.string().optional(),
    ...position,
    elevation: z.number().optional().describe("Metres above the sea"),
    depth: z.number().optional().describe("Metres below the surface"),
    event_date: z.string().optional(),
    country: z.string().optional(),
    country_code: z.string().optional(),
    state: z.string().optional(),
    locality: z.string().optional(),
    recorded_by: z.string().optional(),
    identified_by: z.string().optional(),
    institution_code: z.string().optional(),
    collection_code: z.string().optional(),
    catalog_number: z.string().optional(),
    dataset_id: z.string().optional(),
    dataset_name: z.string().optional(),
    license_url: z.string().optional(),
    rights_holder: z.string().optional(),
    media: z.array(
      z.object({
        type: z.string().optional(),
        url: z.string(),
        license_url: z.string().optional(),
        creator: z.string().optional(),
      }),
    ),
    issues: texts,
    source_url: z.string().optional(),
    url: z.string(),
  })
  .meta({ id: "NatureOccurrence" });

export const natureObservation = z
  .object({
    id: z.string().describe("Number of the observation at iNaturalist"),
    taxon: z
      .object({
        id: z.string(),
        scientific_name: z.string(),
        common_name: z.string().optional(),
        rank,
        group: z.string().optional(),
      })
      .optional()
      .describe("What was observed, as the community identified it"),
    guess: z.string().optional(),
    quality: z.string().optional().describe("research, needs_id or casual"),
    description: z.string().optional(),
    observed_on: z.string().optional(),
    observed_at: z.string().optional(),
    created_at: z.string().optional(),
    updated_at: z.string().optional(),
    ...position,
    is_obscured: z.boolean().optional(),
    place: z.string().optional().describe("Where it was observed, in the observer's words"),
    is_captive: z.boolean().optional(),
    identification_count: count("Identifications").optional(),
    comment_count: count("Comments").optional(),
    observer: z.object({ id: z.string(), username: z.string(), name: z.string().optional() }),
    license: z.string().optional(),
    photos: z.array(
      z.object({
        thumbnail_url: z.string(),
        license: z.string().optional(),
        attribution: z.string().optional(),
      }),
    ),
    url: z.string(),
  })
  .meta({ id: "NatureObservation" });

export type NatureSpeciesMatch = z.output<typeof natureSpeciesMatch>;
export type NatureSpecies = z.output<typeof natureSpecies>;
export type NatureSpeciesFound = z.output<typeof natureSpeciesFound>;
export type NatureCommonName = z.output<typeof natureCommonName>;
export type NatureOccurrence = z.output<typeof natureOccurrence>;
export type NatureObservation = z.output<typeof natureObservation>;
