import * as z from "zod";
import { perPage } from "../../fields.ts";
import { operation } from "../../operation.ts";
import { cityId, countryCode, locationId, paging, sectionId, tag, whole } from "./fields.ts";
import { photositeCity, photositeLocation, photositePost, photositeSection } from "./records.ts";

const latitude = z.number().min(-90).max(90).describe("Degrees");
const longitude = z.number().min(-180).max(180).describe("Degrees");

export const placeOperations = [
  operation({
    id: "photosite.explore",
    method: "GET",
    path: "/photosite/explore",
    summary: "Sections of the explore page",
    input: z.strictObject({
      cursor: paging.cursor.describe("Accepted: there is one page, and nothing behind a cursor"),
    }),
    data: z.array(photositeSection),
    onePage: true,
    records: whole,
    example: {},
  }),
  operation({
    id: "photosite.explore.section_posts",
    method: "GET",
    path: "/photosite/explore/sections/{id}/posts",
    summary: "Posts of a section of the explore page",
    input: z.strictObject({ id: sectionId, ...paging }),
    data: z.array(photositePost),
    paginated: true,
    records: perPage,
    example: { id: "10156104410190727", limit: 5 },
  }),
  operation({
    id: "photosite.hashtags.posts",
    method: "GET",
    path: "/photosite/hashtags/{tag}/posts",
    summary: "Posts with a hashtag",
    input: z.strictObject({
      tag,
      feed: z.enum(["top", "recent", "reels"]).default("top"),
      ...paging,
    }),
    data: z.array(photositePost),
    paginated: true,
    records: perPage,
    example: { tag: "sunrise", limit: 5 },
  }),
  operation({
    id: "photosite.cities.places",
    method: "GET",
    path: "/photosite/locations/cities/{cityId}/places",
    summary: "Places of a city",
    input: z.strictObject({ cityId, ...paging }),
    data: z.array(photositeLocation),
    paginated: true,
    records: perPage,
    example: { cityId: "c2791472", limit: 5 },
  }),
  operation({
    id: "photosite.countries.cities",
    method: "GET",
    path: "/photosite/locations/countries/{countryCode}/cities",
    summary: "Cities of a country",
    input: z.strictObject({ countryCode, ...paging }),
    data: z.array(photositeCity),
    paginated: true,
    records: perPage,
    example: { countryCode: "US", limit: 5 },
  }),
  operation({
    id: "photosite.locations.search",
    method: "GET",
    path: "/photosite/locations/search",
    summary: "Places near a point",
    input: z.strictObject({ latitude, longitude }),
    data: z.array(photositeLocation),
    records: whole,
    example: { latitude: 40.7128, longitude: -74.006 },
  }),
  operation({
    id: "photosite.locations.get",
    method: "GET",
    path: "/photosite/locations/{id}",
    summary: "One location",
    input: z.strictObject({ id: locationId }),
    data: photositeLocation,
    records: { kind: "one" },
    example: { id: "331004901" },
  }),
  operation({
    id: "photosite.locations.nearby",
    method: "GET",
    path: "/photosite/locations/{id}/nearby",
    summary: "Locations near a location",
    input: z.strictObject({ id: locationId }),
    data: z.array(photositeLocation),
    records: whole,
    example: { id: "331004901" },
  }),
  operation({
    id: "photosite.locations.posts",
    method: "GET",
    path: "/photosite/locations/{id}/posts",
    summary: "Posts from a location",
    input: z.strictObject({
      id: locationId,
      tab: z
        .enum(["ranked", "recent"])
        .optional()
        .describe("Order; the upstream's own when absent"),
      ...paging,
    }),
    data: z.array(photositePost),
    paginated: true,
    records: perPage,
    example: { id: "331004901", limit: 5 },
  }),
] as const;
