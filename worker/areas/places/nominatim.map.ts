import type { Place } from "../../../contract/areas/places/records.ts";
import { type Wire, array, at, defined, id, need, number, text } from "#wire";

const letters: Readonly<Record<string, string>> = { node: "N", way: "W", relation: "R" };

/** Positions are texts of up to 17 decimals, of which 15 are far more than any map needs. */
const degrees = (value: unknown) =>
  number(typeof value === "string" ? value.replace(/(\.\d{15})\d+$/, "$1") : value);

/** The first of several kinds of a part of an address. */
const first = (address: unknown, kinds: readonly string[]) =>
  kinds.map((kind) => text(at(address, kind))).find((value) => value !== undefined);

/** Kinds of places that stand for one part of an address, the usual one first. */
const streets = ["road", "pedestrian", "footway", "cycleway", "path", "square"];
const districts = ["suburb", "city_district", "borough", "quarter", "neighbourhood"];
const cities = ["city", "town", "village", "municipality", "hamlet"];

export function place(row: Wire): Place {
  const { address } = row;
  const letter = letters[text(row.osm_type) ?? ""];
  const digits = id(row.osm_id);
  const [south, north, west, east] = (array(row.boundingbox) ?? []).map(degrees);
  const isBox = [south, north, west, east].every((side) => side !== undefined);
  return defined({
    id: letter === undefined || digits === undefined ? undefined : `${letter}${digits}`,
    name: text(row.name),
    full_address: text(row.display_name),
    category: text(row.category),
    type: text(row.type),
    latitude: need(degrees(row.lat), "lat"),
    longitude: need(degrees(row.lon), "lon"),
    bounding_box: isBox
      ? { south: south ?? 0, west: west ?? 0, north: north ?? 0, east: east ?? 0 }
      : undefined,
    importance: number(row.importance),
    house_number: text(at(address, "house_number")),
    street: first(address, streets),
    district: first(address, districts),
    city: first(address, cities),
    county: text(at(address, "county")),
    state: text(at(address, "state")),
    postal_code: text(at(address, "postcode")),
    country: text(at(address, "country")),
    country_code: text(at(address, "country_code"))?.toUpperCase(),
  });
}
