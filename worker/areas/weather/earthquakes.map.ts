import type { Earthquake } from "../../../contract/areas/weather/records.ts";
import { type Wire, at, boolean, count, defined, integer, need, number, object, text } from "#wire";

/** A time in milliseconds, as ISO 8601 in UTC. */
function momentOf(value: unknown): string | undefined {
  const time = integer(value);
  return time === undefined || Math.abs(time) > 8.64e15 ? undefined : new Date(time).toISOString();
}

/** A feature, whose position is longitude, latitude and depth. */
export function earthquake(feature: Wire): Earthquake {
  const row = need(object(feature.properties), "properties");
  const position = (index: number) => number(at(feature, "geometry", "coordinates", index));
  return defined({
    id: need(text(feature.id), "id"),
    title: text(row.title),
    place: text(row.place),
    magnitude: number(row.mag),
    magnitude_type: text(row.magType),
    type: text(row.type),
    occurred_at: need(momentOf(row.time), "properties.time"),
    updated_at: momentOf(row.updated),
    latitude: need(position(1), "coordinates[1]"),
    longitude: need(position(0), "coordinates[0]"),
    depth: position(2),
    review_status: text(row.status),
    alert_level: text(row.alert),
    has_tsunami_message: boolean(row.tsunami),
    felt_count: count(row.felt),
    significance: integer(row.sig),
    url: text(row.url),
  });
}
