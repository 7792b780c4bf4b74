import type { Place, PlaceSuggestion } from "../../../contract/areas/places/records.ts";
import { type Wire, array, at, defined, id, need, number, text } from "#wire";

/** A large city has all its postal codes in one text: `75000;75001;75002`. */
const onlyOne = (codes: string | undefined) => (codes?.includes(";") === true ? undefined : codes);

/** A feature of GeoJSON, whose position has the longitude first. */
export function suggestion(feature: Wire): PlaceSuggestion {
  const { properties } = feature;
  const word = (name: string) => text(at(properties, name));
  const letter = word("osm_type");
  const digits = id(at(properties, "osm_id"));
  // Left, top, right, bottom: not the order of GeoJSON.
  const [west, north, east, south] = (array(at(properties, "extent")) ?? []).map(number);
  const isBox = [south, north, west, east].every((side) => side !== undefined);
  return defined({
    id: letter === undefined || digits === undefined ? undefined : `${letter}${digits}`,
    name: word("name"),
    category: word("osm_key"),
    type: word("osm_value"),
    latitude: need(number(at(feature, "geometry", "coordinates", 1)), "coordinates[1]"),
    longitude: need(number(at(feature, "geometry", "coordinates", 0)), "coordinates[0]"),
    bounding_box: isBox
      ? { south: south ?? 0, west: west ?? 0, north: north ?? 0, east: east ?? 0 }
      : undefined,
    house_number: word("housenumber"),
    street: word("street"),
    district: word("district"),
    city: word("city"),
    county: word("county"),
    state: word("state"),
    postal_code: onlyOne(word("postcode")),
    country: word("country"),
    country_code: word("countrycode"),
  });
}

/** The same place with its whole address in one text, which the source does not write. */
export function place(feature: Wire): Place {
  const known = suggestion(feature);
  const { name, street, house_number, district, city, state, postal_code, country } = known;
  const line = [street, house_number].filter((part) => part !== undefined).join(" ");
  const parts = [name, line, district, city, state, postal_code, country];
  const full = parts.filter((part, index) => part && parts.indexOf(part) === index).join(", ");
  return defined({ ...known, full_address: text(full) });
}
