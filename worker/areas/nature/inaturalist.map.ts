import type { NatureObservation } from "../../../contract/areas/nature/records.ts";
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

/** A position is one text, `50.64,4.36`. */
const positionOf = (value: unknown) => {
  const parts = text(value)?.split(",").map(number) ?? [];
  const [latitude, longitude] = parts;
  return parts.length === 2 && latitude !== undefined && longitude !== undefined
    ? { latitude, longitude }
    : {};
};

export function observation(row: Wire): NatureObservation {
  const key = need(id(row.id), "observation.id");
  const taxon = object(row.taxon);
  return defined({
    id: key,
    taxon: taxon
      ? defined({
          id: need(id(taxon.id), "taxon.id"),
          scientific_name: need(text(taxon.name), "taxon.name"),
          common_name: text(taxon.preferred_common_name),
          rank: text(taxon.rank),
          group: text(taxon.iconic_taxon_name),
        })
      : undefined,
    guess: text(row.species_guess),
    quality: text(row.quality_grade),
    description: text(row.description),
    observed_on: text(row.observed_on),
    observed_at: text(row.time_observed_at),
    created_at: text(row.created_at),
    updated_at: text(row.updated_at),
    ...positionOf(row.location),
    // Of a position that is hidden, only this one is true.
    uncertainty_meters: number(row.public_positional_accuracy) ?? number(row.positional_accuracy),
    is_obscured: boolean(row.obscured),
    place: text(row.place_guess),
    is_captive: boolean(row.captive),
    identification_count: count(row.identifications_count),
    comment_count: count(row.comments_count),
    observer: defined({
      id: need(id(at(row.user, "id")), "user.id"),
      username: need(text(at(row.user, "login")), "user.login"),
      name: text(at(row.user, "name")),
    }),
    license: text(row.license_code),
    photos: each(row.photos, (photo) => {
      const thumbnail_url = text(at(photo, "url"));
      return thumbnail_url === undefined
        ? undefined
        : defined({
            thumbnail_url,
            license: text(at(photo, "license_code")),
            attribution: text(at(photo, "attribution")),
          });
    }),
    url: `https://www.inaturalist.org/observations/${key}`,
  });
}
