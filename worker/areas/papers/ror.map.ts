import type { PapersInstitution } from "../../../contract/areas/papers/records.ts";
import { type Wire, at, defined, each, id, integer, need, number, text } from "#wire";
import { objectsOf, textsOf } from "./work.map.ts";

/** The source writes ids as addresses. */
const rorIdOf = (value: unknown) => text(text(value)?.split("/").at(-1));

export function institution(row: Wire): PapersInstitution {
  const url = text(row.id);
  const rorId = need(rorIdOf(url), "organization.id");
  const place = at(row.locations, 0, "geonames_details");
  return defined({
    ror_id: rorId,
    name: need(displayName(row), "organization.names"),
    aliases: named(row, "alias").map(({ name }) => name),
    acronyms: named(row, "acronym").map(({ name }) => name),
    labels: named(row, "label"),
    types: textsOf(row.types),
    status: text(row.status),
    established: integer(row.established),
    city: text(at(place, "name")),
    region: text(at(place, "country_subdivision_name")),
    country: text(at(place, "country_name")),
    country_code: text(at(place, "country_code")),
    latitude: number(at(place, "lat")),
    longitude: number(at(place, "lng")),
    domains: textsOf(row.domains),
    website_url: linkOf(row, "website"),
    encyclopedia_url: linkOf(row, "wikipedia"),
    external_ids: each(row.external_ids, externalId),
    relationships: each(row.relationships, related),
    url: `https://ror.org/${rorId}`,
  });
}

/** A name has one or more kinds: `ror_display`, `label`, `alias`, `acronym`. */
const named = (row: Wire, kind: string) =>
  objectsOf(row.names)
    .filter((one) => textsOf(one.types).includes(kind))
    .flatMap((one) => {
      const name = text(one.value);
      return name === undefined ? [] : [defined({ name, language: text(one.lang) })];
    });

/** The name that the registry displays, else any. */
const displayName = (row: Wire): string | undefined =>
  named(row, "ror_display")[0]?.name ??
  objectsOf(row.names)
    .map((one) => text(one.value))
    .find(Boolean);

const linkOf = (row: Wire, type: string) =>
  objectsOf(row.links)
    .filter((one) => one.type === type)
    .map((one) => text(one.value))
    .find(Boolean);

function externalId(entry: unknown) {
  const type = text(at(entry, "type"));
  const value = id(at(entry, "preferred")) ?? id(at(entry, "all", 0));
  return type === undefined || value === undefined ? undefined : { type, id: value };
}

function related(entry: unknown) {
  const [rorId, type] = [rorIdOf(at(entry, "id")), text(at(entry, "type"))];
  return rorId === undefined || type === undefined
    ? undefined
    : defined({ ror_id: rorId, name: text(at(entry, "label")), type });
}
