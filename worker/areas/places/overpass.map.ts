import type { PlaceFeature } from "../../../contract/areas/places/records.ts";
import { type Wire, at, defined, id, need, number, object, text } from "#wire";

const letters: Readonly<Record<string, string>> = { node: "N", way: "W", relation: "R" };

/** An object of the map, as the request's key names its category. */
export function feature(row: Wire, category: string): PlaceFeature {
  const letter = need(letters[text(row.type) ?? ""], "type");
  const tag = (key: string) => text(at(row.tags, key));
  return defined({
    id: `${letter}${need(id(row.id), "id")}`,
    name: tag("name"),
    category,
    type: tag(category),
    // A node has its position itself, a way or relation that of its centre.
    latitude: need(number(row.lat) ?? number(at(row.center, "lat")), "lat"),
    longitude: need(number(row.lon) ?? number(at(row.center, "lon")), "lon"),
    house_number: tag("addr:housenumber"),
    street: tag("addr:street"),
    city: tag("addr:city"),
    postal_code: tag("addr:postcode"),
    phone: tag("phone") ?? tag("contact:phone"),
    website_url: tag("website") ?? tag("contact:website"),
    opening_hours: tag("opening_hours"),
    tags: Object.entries(object(row.tags) ?? {}).flatMap(([key, value]) => {
      const known = text(value);
      return known === undefined ? [] : [{ key, value: known }];
    }),
  });
}
