import type {
  PhotositeCity,
  PhotositeHashtag,
  PhotositeLocation,
  PhotositeSearchHit,
  PhotositeSection,
} from "../../../contract/areas/photosite/records.ts";
import {
  type Wire,
  array,
  at,
  count,
  defined,
  each,
  id,
  json,
  need,
  number,
  object,
  rows,
  text,
} from "#wire";
import { flatten, post } from "./post.map.ts";
import { listedUser, numberOf } from "./user.map.ts";

/**
 * A location of any dialect; a search wraps it in `place`, a page in `location_info`. `requestedId` is the
 * id from the request, since the reply may leave it out.
 */
export function location(entry: Wire, requestedId?: string): PhotositeLocation {
  const place = object(entry.place) ?? object(entry.node) ?? entry;
  const row = object(place.location) ?? object(place.location_info) ?? place;
  const written = json(row.address_json);
  return defined({
    // `facebook_places_id` is another number; it identifies nothing here.
    id: need(numberOf(row) ?? id(row.location_id) ?? requestedId, "location.pk"),
    name: text(row.name) ?? text(place.title),
    address: text(row.address) ?? text(row.location_address) ?? text(at(written, "street_address")),
    city: text(row.city) ?? text(row.location_city) ?? text(at(written, "city_name")),
    latitude: number(row.lat) ?? number(row.latitude),
    longitude: number(row.lng) ?? number(row.longitude),
    category: text(row.category),
    post_count: count(row.media_count) ?? count(at(row, "edge_location_to_media", "count")),
    website: text(row.website),
    phone: text(row.phone),
    slug: text(row.slug),
  });
}

export function city(row: Wire): PhotositeCity {
  return defined({
    id: need(id(row.id), "city.id"),
    name: text(row.name),
    slug: text(row.slug),
  });
}

export function hashtag(entry: Wire): PhotositeHashtag {
  const row = object(entry.hashtag) ?? entry;
  return defined({
    id: need(numberOf(row), "hashtag.id"),
    name: text(row.name),
    post_count: count(row.media_count) ?? count(at(row, "edge_hashtag_to_media", "count")),
  });
}

export function section(row: Wire): PhotositeSection {
  const parts = array(row.subsections);
  return defined({
    id: need(id(row.id) ?? id(row.section_id), "section.id"),
    name: text(row.name) ?? text(row.section_name) ?? text(row.title),
    subsections:
      parts &&
      each(parts, (part) => {
        const number = id(at(part, "id")) ?? id(at(part, "section_id"));
        const name = text(at(part, "name")) ?? text(at(part, "title"));
        return number === undefined ? undefined : defined({ id: number, name });
      }),
  });
}

/** The lists of a general search; the platform decides which ones it sends. */
export const hitLists = ["users", "hashtags", "places"] as const;

/**
 * The hits of a general search as one list: users, hashtags, places, then posts and reels. The list fits as
 * long as any hit does.
 */
export function hits(reply: Wire): PhotositeSearchHit[] {
  const of = (name: string, entries: readonly unknown[] | undefined) =>
    (entries ?? []).map((entry) => ({ name, entry }));
  const sections = array(at(reply, "media_grid", "sections")) ?? array(reply.sections) ?? [];
  const found = [
    ...hitLists.flatMap((name) => of(name, array(reply[name]))),
    ...of("posts", flatten([...sections, ...(array(reply.items) ?? [])])),
  ];
  return rows(found, "data.users", ({ name, entry }) =>
    hit(name as string, need(object(entry), `data.${name as string}[]`)),
  );
}

function hit(name: string, row: Wire): PhotositeSearchHit | undefined {
  if (name === "users") return { type: "user", user: listedUser(row) };
  if (name === "hashtags") return { type: "hashtag", hashtag: hashtag(row) };
  if (name === "places") return { type: "place", place: location(row) };
  const found = post(row);
  if (found === undefined) return undefined;
  return found.is_reel === true ? { type: "reel", reel: found } : { type: "post", post: found };
}

/** Identity of a hit: the platform repeats hits. */
export function hitKey(hit: PhotositeSearchHit): string {
  return `${hit.type}:${hit[hit.type]?.id}`;
}
