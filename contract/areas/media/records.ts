import * as z from "zod";
import { count } from "../../fields.ts";

const texts = z.array(z.string());
const artistId = z.string().describe("Id of the artist, a UUID");
const credits = z
  .array(z.object({ id: z.string().optional(), name: z.string() }))
  .describe("Artists in the order of the credit, with their names as credited");
const duration = count("Length in milliseconds").optional();
const date = (description: string) =>
  z
    .string()
    .optional()
    .describe(`${description}, as far as it is known: YYYY, YYYY-MM or YYYY-MM-DD`);

const artistFields = z.object({
  id: artistId,
  name: z.string(),
  sort_name: z.string().optional(),
  type: z.string().optional().describe("person, group, orchestra, choir, character or other"),
  disambiguation: z.string().optional(),
  gender: z.string().optional(),
  country_code: z.string().optional(),
  area: z.string().optional().describe("Country, region or city that the artist belongs to"),
  begin_area: z.string().optional(),
  begin_date: date("Birth or foundation"),
  end_date: date("Death or end"),
  has_ended: z.boolean().optional(),
  isnis: texts,
  aliases: texts,
});

export const mediaArtistFound = artistFields
  .extend({ score: count("How well it fits, 0 to 100").optional() })
  .meta({ id: "MediaArtistFound" });

export const mediaArtist = artistFields
  .extend({
    links: z.array(
      z.object({
        type: z.string().describe("official homepage, streaming, wikidata, …"),
        url: z.string(),
      }),
    ),
  })
  .meta({ id: "MediaArtist" });

export const mediaReleaseGroup = z
  .object({
    id: z.string().describe("Id of the release group, a UUID"),
    title: z.string(),
    type: z.string().optional().describe("album, single, ep, broadcast or other"),
    secondary_types: texts.describe("compilation, live, soundtrack, …"),
    disambiguation: z.string().optional(),
    first_release_date: date("First release"),
    artists: credits,
  })
  .meta({ id: "MediaReleaseGroup" });

const releaseFields = z.object({
  id: z.string().describe("Id of the release, a UUID"),
  title: z.string(),
  status: z.string().optional().describe("official, promotion, bootleg, pseudo-release, …"),
  disambiguation: z.string().optional(),
  artists: credits,
  release_group_id: z.string().optional(),
  type: z.string().optional().describe("album, single, ep, broadcast or other"),
  release_date: date("Release"),
  country_code: z.string().optional().describe("Country of the release, XW for the whole world"),
  language_code: z.string().optional().describe("Language of the titles, three letters"),
  barcode: z.string().optional(),
  packaging: z.string().optional(),
  labels: z.array(z.object({ name: z.string().optional(), catalog_number: z.string().optional() })),
  formats: texts.describe('Kind of each medium: CD, 12" Vinyl, Digital Media, …'),
  track_count: count("Tracks on all media").optional(),
});

export const mediaRelease = releaseFields.meta({ id: "MediaRelease" });

export const mediaReleaseFound = releaseFields
  .extend({ score: count("How well it fits, 0 to 100").optional() })
  .meta({ id: "MediaReleaseFound" });

export const mediaReleaseDetails = releaseFields
  .extend({
    cover_image_url: z.string().optional(),
    tracks: z.array(
      z.object({
        medium_position: z.int().optional().describe("Number of the medium"),
        position: z.int().optional().describe("Place on the medium, from 1"),
        number: z.string().optional().describe("Number as it is printed: 7, A2"),
        title: z.string(),
        duration_ms: duration,
        recording_id: z.string().optional(),
        artists: credits,
      }),
    ),
  })
  .meta({ id: "MediaReleaseDetails" });

const recordingFields = z.object({
  id: z.string().describe("Id of the recording, a UUID"),
  title: z.string(),
  disambiguation: z.string().optional(),
  artists: credits,
  duration_ms: duration,
  is_video: z.boolean().optional(),
  first_release_date: date("First release"),
  isrcs: texts,
  releases: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      status: z.string().optional(),
      release_date: date("Release"),
      country_code: z.string().optional(),
    }),
  ),
});

export const mediaRecording = recordingFields.meta({ id: "MediaRecording" });

export const mediaRecordingFound = recordingFields
  .extend({ score: count("How well it fits, 0 to 100").optional() })
  .meta({ id: "MediaRecordingFound" });

export const mediaApp = z
  .object({
    id: z.string().describe("Number of the app in the store"),
    bundle_id: z.string().optional(),
    name: z.string(),
    developer: z.string().optional(),
    developer_id: z.string().optional(),
    developer_url: z.string().optional(),
    seller: z.string().optional(),
    description: z.string().optional(),
    release_notes: z.string().optional(),
    version: z.string().optional(),
    category: z.string().optional(),
    categories: texts,
    price: z.number().optional(),
    price_text: z.string().optional(),
    currency: z.string().optional(),
    rating: z.number().optional().describe("Mean rating of all versions, 0 to 5"),
    rating_count: count("Ratings of all versions").optional(),
    current_version_rating: z.number().optional(),
    current_version_rating_count: count("Ratings of this version").optional(),
    content_rating: z.string().optional(),
    languages: texts.describe("Codes of two letters"),
    minimum_os_version: z.string().optional(),
    size_bytes: count("Size of the download in bytes").optional(),
    released_at: z.string().optional(),
    updated_at: z.string().optional(),
    icon_url: z.string().optional(),
    screenshot_urls: texts,
    website_url: z.string().optional(),
    url: z.string(),
  })
  .meta({ id: "MediaApp" });

export const mediaPodcast = z
  .object({
    id: z.string().describe("Number of the podcast in the directory"),
    title: z.string(),
    author: z.string().optional(),
    feed_url: z.string().optional(),
    category: z.string().optional(),
    categories: texts,
    episode_count: count("Episodes in the feed").optional(),
    latest_episode_at: z.string().optional(),
    country_code: z.string().optional().describe("Country of the store, three letters"),
    is_explicit: z.boolean().optional(),
    cover_image_url: z.string().optional(),
    url: z.string().optional(),
  })
  .meta({ id: "MediaPodcast" });

export type MediaArtist = z.output<typeof mediaArtist>;
export type MediaArtistFound = z.output<typeof mediaArtistFound>;
export type MediaReleaseGroup = z.output<typeof mediaReleaseGroup>;
export type MediaRelease = z.output<typeof mediaRelease>;
export type MediaReleaseFound = z.output<typeof mediaReleaseFound>;
export type MediaReleaseDetails = z.output<typeof mediaReleaseDetails>;
export type MediaRecording = z.output<typeof mediaRecording>;
export type MediaRecordingFound = z.output<typeof mediaRecordingFound>;
export type MediaApp = z.output<typeof mediaApp>;
export type MediaPodcast = z.output<typeof mediaPodcast>;
