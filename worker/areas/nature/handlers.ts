import type { nature } from "../../../contract/areas/nature/index.ts";
import { invalid } from "../../../contract/errors.ts";
import type { Call, Connector } from "../../connector.ts";
import { listed } from "../../mapping/list.ts";
import { degrees } from "../../mapping/locality.ts";
import type { Upstream } from "../../transport/upstream.ts";
import { gbif } from "../../upstreams/gbif/client.ts";
import { iNaturalist } from "../../upstreams/inaturalist/client.ts";
import {
  type Wire,
  array,
  at,
  boolean,
  count,
  found,
  id as idOf,
  need,
  object,
  rows,
  text,
} from "#wire";
import { commonName, match, occurrence, species, speciesFound } from "./gbif.map.ts";
import { observation } from "./inaturalist.map.ts";

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

type Repeated = Readonly<Record<string, readonly string[]>>;

async function get(
  call: Call,
  upstream: Upstream,
  path: string,
  query: Query = {},
  repeated?: Repeated,
) {
  const request = { method: "GET", path, query, ...(repeated ? { repeated } : {}) } as const;
  return (await call.send(upstream, request)).body;
}

/** The taxonomy whose keys the records have. */
const backbone = "d7dddbf4-2cf0-4f39-9b2a-bb099caae36c";
/** GBIF shows no occurrence beyond this number. */
const lastOccurrence = 100_000;

/** A list of GBIF, which says whether it has ended. */
function recordsOf<Row>(
  call: Call,
  input: { limit: number },
  list: {
    path: string;
    query?: Query;
    repeated?: Repeated;
    read: (row: Wire) => Row;
    key?: (row: Row) => string;
    last?: number;
  },
) {
  const { path, query, repeated, read, key, last = Infinity } = list;
  return listed(call, {
    limit: input.limit,
    key,
    start: { offset: 0, size: input.limit },
    async fetch(position) {
      const offset = need(count(at(position, "offset")), "offset");
      const size = need(count(at(position, "size")), "size");
      const limit = Math.min(size, last - offset);
      const body = await get(call, gbif, path, { ...query, limit, offset }, repeated);
      const isLast = need(boolean(at(body, "endOfRecords")), "endOfRecords");
      const results = need(array(at(body, "results")), "results");
      // A page may have fewer rows than requested and yet not be the last one.
      const next = offset + results.length;
      return {
        rows: rows(results, "results", read),
        next: isLast || next >= last ? null : { offset: next, size },
      };
    },
  });
}

interface Box {
  south?: number | undefined;
  west?: number | undefined;
  north?: number | undefined;
  east?: number | undefined;
}

/** All four borders, or none. */
function boxOf({ south, west, north, east }: Box) {
  const given = { south, west, north, east };
  const missing = Object.entries(given).filter(([, value]) => value === undefined);
  if (missing.length === 4) return undefined;
  const [field] = missing[0] ?? [];
  if (field !== undefined) {
    const message = `${field}: a box has four borders: south, west, north and east`;
    throw invalid("query", field, "required", message);
  }
  const box = given as Required<{ [K in keyof Box]: number }>;
  if (box.south > box.north) {
    throw invalid("query", "south", "invalid_value", "south: must not be more than north");
  }
  return {
    south: degrees(box.south),
    west: degrees(box.west),
    north: degrees(box.north),
    east: degrees(box.east),
    isSplit: box.west > box.east,
  };
}

function inOrder(from: string | undefined, to: string | undefined) {
  if (from === undefined || to === undefined || from <= to) return;
  throw invalid("query", "from_date", "invalid_value", "from_date: must not be after to_date");
}

/** A range of the source: `from,to`, where a missing end is `*`. */
const range = (from: string | undefined, to: string | undefined) =>
  from === undefined && to === undefined ? undefined : `${from ?? "*"},${to ?? "*"}`;

/** GBIF's names of licences. */
const licenses = { cc0: "CC0_1_0", "cc-by": "CC_BY_4_0", "cc-by-nc": "CC_BY_NC_4_0" };

export default {
  "nature.species.match": async ({ name, rank, kingdom, family, is_strict }, call) => {
    const body = await get(call, gbif, "/v2/species/match", {
      scientificName: name,
      taxonRank: rank?.toUpperCase(),
      kingdom,
      family,
      strict: is_strict,
      checklistKey: backbone,
    });
    return { data: found(match(body), "species") };
  },
  "nature.species.search": (input, call) =>
    recordsOf(call, input, {
      path: "/v1/species/search",
      query: {
        q: input.q,
        rank: input.rank?.toUpperCase(),
        status: input.status?.toUpperCase(),
        higherTaxonKey: input.group_id,
        datasetKey: backbone,
      },
      read: speciesFound,
      key: (row) => row.id,
    }),
  "nature.species.get": async ({ id }, call) => ({
    data: species(need(object(await get(call, gbif, `/v1/species/${id}`)), "species")),
  }),
  "nature.species.children": (input, call) =>
    recordsOf(call, input, {
      path: `/v1/species/${input.id}/children`,
      read: species,
      key: (row) => row.id,
    }),
  "nature.species.common_names": (input, call) =>
    recordsOf(call, input, {
      path: `/v1/species/${input.id}/vernacularNames`,
      read: commonName,
    }),
  "nature.occurrences.search": (input, call) => {
    const box = boxOf(input);
    inOrder(input.from_date, input.to_date);
    return recordsOf(call, input, {
      path: "/v1/occurrence/search",
      query: {
        taxonKey: input.species_id,
        scientificName: input.scientific_name,
        country: input.country,
        eventDate: range(input.from_date, input.to_date),
        decimalLatitude: range(box?.south, box?.north),
        decimalLongitude: box?.isSplit ? undefined : range(box?.west, box?.east),
        basisOfRecord: input.record_basis?.toUpperCase(),
        mediaType: input.has_media ? "StillImage" : undefined,
        license: input.license === undefined ? undefined : licenses[input.license],
      },
      // GBIF refuses a range that ends before it begins, so a box over the antimeridian has two.
      ...(box?.isSplit
        ? { repeated: { decimalLongitude: [`${box.west},180`, `-180,${box.east}`] } }
        : {}),
      read: occurrence,
      key: (row) => row.id,
      last: lastOccurrence,
    });
  },
  "nature.occurrences.get": async ({ id }, call) => ({
    data: occurrence(need(object(await get(call, gbif, `/v1/occurrence/${id}`)), "occurrence")),
  }),
  "nature.observations.search": (input, call) => {
    const box = boxOf(input);
    inOrder(input.from_date, input.to_date);
    return listed(call, {
      limit: input.limit,
      key: (row) => row.id,
      start: { size: input.limit },
      // Pages by number end at 10,000 rows; pages by id do not.
      async fetch(position) {
        const size = need(count(at(position, "size")), "size");
        const body = await get(call, iNaturalist, "/v1/observations", {
          taxon_name: input.taxon,
          user_login: input.username,
          quality_grade: input.quality,
          d1: input.from_date,
          d2: input.to_date,
          swlat: box?.south,
          swlng: box?.west,
          nelat: box?.north,
          nelng: box?.east,
          photos: input.has_photos ? true : undefined,
          license: input.license,
          order_by: "id",
          order: "desc",
          per_page: size,
          id_below: text(at(position, "before")),
        });
        const results = need(array(at(body, "results")), "results");
        const total = need(count(at(body, "total_results")), "total_results");
        const read = rows(results, "results", observation);
        if (results.length >= total) return { rows: read, next: null };
        const before = need(idOf(at(results.at(-1), "id")), "results[].id");
        return { rows: read, next: { size, before } };
      },
    });
  },
  "nature.observations.get": async ({ id }, call) => {
    const body = await get(call, iNaturalist, `/v1/observations/${id}`);
    return { data: found(rows(at(body, "results"), "results", observation)[0], "observation") };
  },
} satisfies Connector<typeof nature>;
