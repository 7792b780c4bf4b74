import type {
  NatureCommonName,
  NatureOccurrence,
  NatureSpecies,
  NatureSpeciesFound,
  NatureSpeciesMatch,
} from "../../../contract/areas/nature/records.ts";
import {
  type Wire,
  at,
  boolean,
  count,
  defined,
  each,
  id,
  need,
  number,
  object,
  text,
} from "#wire";

/** Words of closed lists are written in capitals: `PRESERVED_SPECIMEN`. */
const word = (value: unknown) => text(value)?.toLowerCase();
const words = (value: unknown) => each(value, word);

const groups = (row: Wire) => ({
  kingdom: text(row.kingdom),
  phylum: text(row.phylum),
  class: text(row.class),
  order: text(row.order),
  family: text(row.family),
  genus: text(row.genus),
});

/** The species of a name; undefined where nothing fits. */
export function match(body: unknown): NatureSpeciesMatch | undefined {
  const usage = object(at(body, "usage"));
  const kind = word(at(body, "diagnostics", "matchType"));
  if (!usage) {
    need(kind === "none" ? kind : undefined, "usage");
    return undefined;
  }
  const named = (wanted: string) =>
    each(at(body, "classification"), object)
      .filter((group) => word(group.rank) === wanted)
      .map((group) => text(group.name))
      .find(Boolean);
  const redList = each(at(body, "additionalStatus"), object).find(
    (one) => one.datasetAlias === "IUCN",
  );
  return defined({
    id: need(id(usage.key), "usage.key"),
    scientific_name: need(text(usage.name), "usage.name"),
    canonical_name: text(usage.canonicalName),
    authorship: text(usage.authorship),
    rank: word(usage.rank),
    status: word(usage.status),
    accepted_id: id(at(body, "acceptedUsage", "key")),
    accepted_scientific_name: text(at(body, "acceptedUsage", "name")),
    is_synonym: boolean(at(body, "synonym")),
    match_type: kind,
    confidence: count(at(body, "diagnostics", "confidence")),
    red_list_category: text(redList?.statusCode),
    kingdom: named("kingdom"),
    phylum: named("phylum"),
    class: named("class"),
    order: named("order"),
    family: named("family"),
    genus: named("genus"),
  });
}

function speciesFields(row: Wire) {
  const key = need(id(row.key), "key");
  return {
    id: key,
    scientific_name: need(text(row.scientificName), "scientificName"),
    canonical_name: text(row.canonicalName),
    authorship: text(text(row.authorship)?.trim()),
    rank: word(row.rank),
    status: word(row.taxonomicStatus),
    accepted_id: id(row.acceptedKey),
    accepted_scientific_name: text(row.accepted),
    parent_id: id(row.parentKey),
    parent_name: text(row.parent),
    descendant_count: count(row.numDescendants),
    ...groups(row),
    url: `https://www.gbif.org/species/${key}`,
  };
}

export const species = (row: Wire): NatureSpecies =>
  defined({
    ...speciesFields(row),
    common_name: text(row.vernacularName),
    published_in: text(row.publishedIn),
  });

export const speciesFound = (row: Wire): NatureSpeciesFound =>
  defined({
    ...speciesFields(row),
    common_names: each(row.vernacularNames, (one) => {
      const name = text(at(one, "vernacularName"));
      return name === undefined
        ? undefined
        : defined({ name, language: text(at(one, "language")) });
    }),
    habitats: words(row.habitats),
    threat_statuses: words(row.threatStatuses),
    is_extinct: boolean(row.extinct),
  });

export const commonName = (row: Wire): NatureCommonName =>
  defined({
    name: need(text(row.vernacularName), "vernacularName"),
    language: text(row.language),
    country_code: text(row.country),
    is_preferred: boolean(row.preferred),
    source: text(row.source),
  });

export function occurrence(row: Wire): NatureOccurrence {
  const key = need(id(row.key), "key");
  const presence = word(row.occurrenceStatus);
  return defined({
    id: key,
    species_id: id(row.taxonKey),
    scientific_name: need(text(row.scientificName), "scientificName"),
    accepted_scientific_name: text(row.acceptedScientificName),
    species: text(row.species),
    rank: word(row.taxonRank),
    status: word(row.taxonomicStatus),
    ...groups(row),
    red_list_category: text(row.iucnRedListCategory),
    record_basis: word(row.basisOfRecord),
    is_present: presence === undefined ? undefined : presence === "present",
    individual_count: count(row.individualCount),
    sex: word(row.sex),
    life_stage: word(row.lifeStage),
    latitude: number(row.decimalLatitude),
    longitude: number(row.decimalLongitude),
    uncertainty_meters: number(row.coordinateUncertaintyInMeters),
    elevation: number(row.elevation),
    depth: number(row.depth),
    event_date: text(row.eventDate),
    country: text(row.country),
    country_code: text(row.countryCode),
    state: text(row.stateProvince),
    locality: text(row.locality),
    recorded_by: text(row.recordedBy),
    identified_by: text(row.identifiedBy),
    institution_code: text(row.institutionCode),
    collection_code: text(row.collectionCode),
    catalog_number: text(row.catalogNumber),
    dataset_id: text(row.datasetKey),
    dataset_name: text(row.datasetName),
    license_url: text(row.license),
    rights_holder: text(row.rightsHolder),
    media: each(row.media, (one) => {
      const url = text(at(one, "identifier"));
      return url === undefined
        ? undefined
        : defined({
            type: text(at(one, "type")),
            url,
            license_url: text(at(one, "license")),
            creator: text(at(one, "creator")),
          });
    }),
    issues: words(row.issues),
    source_url: text(row.references),
    url: `https://www.gbif.org/occurrence/${key}`,
  });
}
