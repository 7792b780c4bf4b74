import * as z from "zod";
import { count } from "../../fields.ts";
import { operation } from "../../operation.ts";
import type { Source } from "../../source.ts";

/** Sites with an oEmbed service, and their pages of videos, by the schemes of https://oembed.com/providers.json. */
const pages = {
  youtube:
    /^https:\/\/(((www|m|music)\.)?youtube\.com\/(watch\?|shorts\/|live\/|embed\/|playlist\?)|youtu\.be\/)[!-~]+$/,
  vimeo:
    /^https:\/\/(player\.vimeo\.com\/video\/|(www\.)?vimeo\.com\/((channels|groups|album|ondemand|event)\/)?)[A-Za-z0-9][!-~]*$/,
  dailymotion: /^https:\/\/www\.dailymotion\.com\/video\/[!-~]+$/,
  tiktok: /^https:\/\/www\.tiktok\.com\/@[^/?#\s]+\/video\/[0-9]+([?#][!-~]*)?$/,
} as const;

export type VideoSite = keyof typeof pages;

/** The site of a video's page; undefined where none of them has such pages. */
export const videoSiteOf = (url: string): VideoSite | undefined =>
  (Object.keys(pages) as VideoSite[]).find((site) => pages[site].test(url));

const site = (name: string, url: string, terms: string): Source => ({
  name,
  url,
  licence: "terms of use",
  terms,
});

const size = (description: string) => z.int().min(100).max(8000).optional().describe(description);

export const mediaEmbed = z
  .object({
    site: z.string().describe("youtube, vimeo, dailymotion or tiktok"),
    url: z.string().describe("The page of the video, as requested"),
    embed_type: z.string().describe("video, rich, photo or link"),
    title: z.string().optional(),
    description: z.string().optional(),
    author: z.string().optional().describe("Name of who published the video"),
    author_username: z.string().optional().describe("Name in the address of the author, at TikTok"),
    author_url: z.string().optional().describe("Page of the author at the site"),
    html: z.string().optional().describe("Code that shows the video in another page, as HTML"),
    width: count("Width of the embedded video in pixels, where it is fixed").optional(),
    height: count("Height of the embedded video in pixels, where it is fixed").optional(),
    thumbnail_url: z.string().optional(),
    thumbnail_width: count("Width of the preview picture in pixels").optional(),
    thumbnail_height: count("Height of the preview picture in pixels").optional(),
    video_id: z.string().optional(),
    duration_seconds: count("Length of the video in seconds").optional(),
    published_at: z
      .string()
      .optional()
      .describe("When the video was published, without a time zone"),
  })
  .meta({ id: "MediaEmbed" });

export type MediaEmbed = z.output<typeof mediaEmbed>;

export const videoOperations = [
  operation({
    id: "media.videos.embed",
    method: "GET",
    path: "/media/videos/embed",
    summary: "Title, author, picture and embed code of a video page, by oEmbed",
    description:
      "For pages of YouTube, Vimeo, Dailymotion and TikTok. A video that its author hides from other sites has no title, or is `not_found`.",
    sources: [
      site("YouTube", "https://www.youtube.com", "https://www.youtube.com/t/terms"),
      site("Vimeo", "https://vimeo.com", "https://vimeo.com/terms"),
      site("Dailymotion", "https://www.dailymotion.com", "https://legal.dailymotion.com"),
      site("TikTok", "https://www.tiktok.com", "https://www.tiktok.com/legal/terms-of-service"),
    ],
    input: z.strictObject({
      url: z
        .string()
        .trim()
        .max(500)
        .refine((given) => videoSiteOf(given) !== undefined, {
          message: "must be the https address of a video at YouTube, Vimeo, Dailymotion or TikTok",
        })
        .describe("Page of the video"),
      max_width: size("Most width of the embedded video, in pixels"),
      max_height: size("Most height of the embedded video, in pixels"),
    }),
    data: mediaEmbed,
    records: { kind: "one" },
    example: { url: "https://vimeo.com/100000001" },
  }),
];
