import * as z from "zod";
import { id, page, perPage, text } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import type { Source } from "../../source.ts";
import {
  mediaApp,
  mediaArtist,
  mediaArtistFound,
  mediaPodcast,
  mediaRecording,
  mediaRecordingFound,
  mediaRelease,
  mediaReleaseDetails,
  mediaReleaseFound,
  mediaReleaseGroup,
} from "./records.ts";
import { videoOperations } from "./videos.ts";

const musicBrainz: Source = {
  name: "MusicBrainz",
  url: "https://musicbrainz.org",
  licence: "CC0",
  terms: "https://musicbrainz.org/doc/About/Data_License",
};
const apple: Source = {
  name: "Apple's stores",
  url: "https://performance-partners.apple.com/search-api",
  licence: "terms of use",
  terms: "https://performance-partners.apple.com/search-api",
  attribution: "provided courtesy of iTunes",
};

const uuid = (thing: string) =>
  id(
    /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    thing,
    "a UUID of 36 characters: 472bc127-8861-45e8-bc9e-31e8dd32de7a",
    (given) => given.trim().toLowerCase(),
  );
const storeId = (thing: string) => id(/^[1-9][0-9]{0,14}$/, thing, "a number of 1 to 15 digits");

const paging = page({ most: 100, default: 20 });
const q = text(1, 300, "Words to look for");
const country = z
  .string()
  .regex(/^[A-Za-z]{2}$/, { message: "must be a country's code of two letters" })
  .toLowerCase()
  .default("us")
  .describe("Store of this country, ISO 3166-1 code of two letters");
const limit = z.int().min(1).max(200).default(20).describe("Most records to return");
const list = {
  kind: "list",
  rows: (data: readonly unknown[]) => data,
  most: (input: { limit: number }) => input.limit,
} as const;

const sample = "11111111-2222-4333-8444-555555555555";

const artistOperations = [
  operation({
    id: "media.artists.search",
    method: "GET",
    path: "/media/artists/search",
    summary: "Musicians, bands, composers and other artists by name",
    sources: [musicBrainz],
    input: z.strictObject({ q, ...paging }),
    data: z.array(mediaArtistFound),
    paginated: true,
    records: perPage,
    example: { q: "sample trio", limit: 5 },
  }),
  operation({
    id: "media.artists.get",
    method: "GET",
    path: "/media/artists/{id}",
    summary: "One artist",
    sources: [musicBrainz],
    input: z.strictObject({ id: uuid("Artist") }),
    data: mediaArtist,
    records: { kind: "one" },
    example: { id: sample },
  }),
  operation({
    id: "media.artists.release_groups",
    method: "GET",
    path: "/media/artists/{id}/release-groups",
    summary: "Albums, singles and other release groups of an artist",
    description: "A release group is an album or single with all its releases.",
    sources: [musicBrainz],
    input: z.strictObject({
      id: uuid("Artist"),
      type: z
        .enum(["album", "single", "ep", "broadcast", "other"])
        .optional()
        .describe("Only this type"),
      ...paging,
    }),
    data: z.array(mediaReleaseGroup),
    paginated: true,
    records: perPage,
    example: { id: sample, limit: 5 },
  }),
];

const releaseOperations = [
  operation({
    id: "media.release_groups.releases",
    method: "GET",
    path: "/media/release-groups/{id}/releases",
    summary: "Releases of a release group: by country, label and format",
    sources: [musicBrainz],
    input: z.strictObject({ id: uuid("Release group"), ...paging }),
    data: z.array(mediaRelease),
    paginated: true,
    records: perPage,
    example: { id: sample, limit: 5 },
  }),
  operation({
    id: "media.releases.search",
    method: "GET",
    path: "/media/releases/search",
    summary: "Releases of music by words of the title, or by barcode",
    description: "Give `q` or `barcode`.",
    sources: [musicBrainz],
    input: z.strictObject({
      q: q.optional(),
      artist: text(1, 300, "Name of the artist").optional(),
      barcode: z
        .string()
        .regex(/^[0-9]{8,14}$/, { message: "must be a barcode of 8 to 14 digits" })
        .optional()
        .describe("Barcode of 8 to 14 digits"),
      ...paging,
    }),
    data: z.array(mediaReleaseFound),
    paginated: true,
    records: perPage,
    example: { q: "night songs", limit: 5 },
  }),
  operation({
    id: "media.releases.get",
    method: "GET",
    path: "/media/releases/{id}",
    summary: "One release with its tracks",
    sources: [musicBrainz],
    input: z.strictObject({ id: uuid("Release") }),
    data: mediaReleaseDetails,
    records: { kind: "one" },
    example: { id: sample },
  }),
  operation({
    id: "media.recordings.search",
    method: "GET",
    path: "/media/recordings/search",
    summary: "Recordings by words of the title, or by ISRC",
    description: "Give `q` or `isrc`. A recording is what tracks of several releases share.",
    sources: [musicBrainz],
    input: z.strictObject({
      q: q.optional(),
      artist: text(1, 300, "Name of the artist").optional(),
      isrc: z
        .string()
        .regex(/^[A-Za-z]{2}[A-Za-z0-9]{3}[0-9]{7}$/, {
          message: "must be an ISRC of 12 characters",
        })
        .toUpperCase()
        .optional()
        .describe("ISRC of 12 characters, without hyphens"),
      ...paging,
    }),
    data: z.array(mediaRecordingFound),
    paginated: true,
    records: perPage,
    example: { q: "night song", limit: 5 },
  }),
  operation({
    id: "media.recordings.get",
    method: "GET",
    path: "/media/recordings/{id}",
    summary: "One recording with its releases",
    description: "At most 25 releases are shown.",
    sources: [musicBrainz],
    input: z.strictObject({ id: uuid("Recording") }),
    data: mediaRecording,
    records: { kind: "one" },
    example: { id: sample },
  }),
];

const storeOperations = [
  operation({
    id: "media.apps.search",
    method: "GET",
    path: "/media/apps/search",
    summary: "Apps of the App Store by words",
    sources: [apple],
    input: z.strictObject({
      q,
      country,
      device: z.enum(["iphone", "ipad", "mac"]).default("iphone").describe("Apps for this device"),
      limit,
    }),
    data: z.array(mediaApp),
    records: list,
    example: { q: "notes", limit: 3 },
  }),
  operation({
    id: "media.apps.get",
    method: "GET",
    path: "/media/apps/{id}",
    summary: "One app of the App Store",
    sources: [apple],
    input: z.strictObject({ id: storeId("App"), country }),
    data: mediaApp,
    records: { kind: "one" },
    example: { id: "1000000001" },
  }),
  operation({
    id: "media.podcasts.search",
    method: "GET",
    path: "/media/podcasts/search",
    summary: "Podcasts by words",
    description: "`/web/feed` reads the episodes at `feed_url`.",
    sources: [apple],
    input: z.strictObject({ q, country, limit }),
    data: z.array(mediaPodcast),
    records: list,
    example: { q: "lighthouses", limit: 3 },
  }),
  operation({
    id: "media.podcasts.get",
    method: "GET",
    path: "/media/podcasts/{id}",
    summary: "One podcast",
    sources: [apple],
    input: z.strictObject({ id: storeId("Podcast"), country }),
    data: mediaPodcast,
    records: { kind: "one" },
    example: { id: "1000000002" },
  }),
];

export const media = area({
  name: "media",
  summary: "Artists, releases and recordings of music, apps, podcasts, and embed codes of videos",
  pool: "social",
  operations: [...artistOperations, ...releaseOperations, ...storeOperations, ...videoOperations],
});
