import * as z from "zod";
import { count, unixSeconds } from "../../fields.ts";

/** Fields that the site shows only as English text ("3 days ago"). */
const published = z.string().optional().describe('Age as the site shows it, "3 days ago"');

export const videositeAuthor = z
  .object({
    id: z.string().optional().describe("Channel id"),
    username: z.string().optional().describe("Handle without @"),
    display_name: z.string().optional(),
    avatar_url: z.string().optional(),
  })
  .meta({ id: "VideositeAuthor" });

export type VideositeAuthor = z.output<typeof videositeAuthor>;

/** A video as lists show it: counts may be rounded, and no list has a time of publication. */
export const videositeListedVideo = z
  .object({
    id: z.string(),
    title: z.string().optional(),
    url: z.string(),
    thumbnail_url: z.string().optional(),
    channel_id: z.string().optional(),
    author: videositeAuthor.optional(),
    duration: count("Seconds; absent while live or upcoming").optional(),
    view_count: count("Rounded in most lists").optional(),
    published_text: published,
    description: z.string().optional().describe("Beginning of the description"),
    is_live: z.boolean(),
    is_upcoming: z.boolean(),
    is_short: z.boolean(),
  })
  .meta({ id: "VideositeListedVideo" });

export type VideositeListedVideo = z.output<typeof videositeListedVideo>;

export const videositePlaylistVideo = videositeListedVideo
  .omit({ description: true })
  .extend({
    position: z.int().min(1).optional().describe("Place in the playlist, from 1"),
    is_playable: z.boolean().optional().describe("False for private videos"),
  })
  .meta({ id: "VideositePlaylistVideo" });

export type VideositePlaylistVideo = z.output<typeof videositePlaylistVideo>;

export const videositeTrendingVideo = videositeListedVideo
  .omit({ description: true })
  .extend({
    rank: z.int().min(1).describe("Place in the list, from 1"),
    section: z.enum(["music", "gaming", "movies"]),
    create_time: unixSeconds("Date of publication; music and movies only").optional(),
  })
  .meta({ id: "VideositeTrendingVideo" });

export type VideositeTrendingVideo = z.output<typeof videositeTrendingVideo>;

export const videositeVideo = videositeListedVideo
  .extend({
    description: z.string().optional(),
    like_count: count("Likes").optional(),
    comment_count: count("May be rounded").optional(),
    create_time: unixSeconds("Time of publication").optional(),
    category: z.string().optional(),
    tags: z.array(z.string()).optional(),
    is_family_safe: z.boolean().optional(),
    is_unlisted: z.boolean().optional(),
    is_playable: z.boolean().optional(),
    captions: z.array(z.string()).optional().describe("Languages of the caption tracks"),
  })
  .meta({ id: "VideositeVideo" });

export type VideositeVideo = z.output<typeof videositeVideo>;

/** A channel as search shows it. */
export const videositeListedChannel = z
  .object({
    id: z.string(),
    title: z.string().optional(),
    url: z.string(),
    username: z.string().optional().describe("Handle without @"),
    avatar_url: z.string().optional(),
    description: z.string().optional(),
    subscriber_count: count("Rounded").optional(),
    is_verified: z.boolean().optional(),
  })
  .meta({ id: "VideositeListedChannel" });

export type VideositeListedChannel = z.output<typeof videositeListedChannel>;

export const videositeChannel = videositeListedChannel
  .extend({
    banner_url: z.string().optional(),
    video_count: count("Videos").optional(),
    view_count: count("Views of all videos").optional(),
    create_time: unixSeconds("Day the channel was opened, at 00:00 UTC").optional(),
    country: z.string().optional().describe("Name in English"),
    links: z
      .array(z.object({ title: z.string().optional(), url: z.string() }))
      .optional()
      .describe("Links that the owner shows"),
    keywords: z.array(z.string()).optional(),
    is_family_safe: z.boolean().optional(),
  })
  .meta({ id: "VideositeChannel" });

export type VideositeChannel = z.output<typeof videositeChannel>;

export const videositeListedPlaylist = z
  .object({
    id: z.string(),
    title: z.string().optional(),
    url: z.string(),
    thumbnail_url: z.string().optional(),
    updated_text: z.string().optional().describe('"Updated yesterday"'),
    video_count: count("Videos").optional(),
    author: videositeAuthor.optional().describe("Absent for lists that the site itself made"),
  })
  .meta({ id: "VideositeListedPlaylist" });

export type VideositeListedPlaylist = z.output<typeof videositeListedPlaylist>;

export const videositePlaylist = videositeListedPlaylist
  .extend({
    description: z.string().optional(),
    view_count: count("Views of the playlist").optional(),
  })
  .meta({ id: "VideositePlaylist" });

export type VideositePlaylist = z.output<typeof videositePlaylist>;

export const videositeSharedPost = z
  .object({
    id: z.string(),
    text: z.string().optional(),
    url: z.string(),
    author: videositeAuthor.optional(),
    published_text: published,
    like_count: count("Rounded").optional(),
    comment_count: count("Rounded").optional(),
    images: z.array(z.string()),
    video: videositeListedVideo.optional(),
    poll: z
      .object({
        choices: z.array(
          z.object({ text: z.string(), votes: count("Votes, where shown").optional() }),
        ),
        total_votes: count("Rounded").optional(),
      })
      .optional(),
  })
  .meta({ id: "VideositeSharedPost" });

export type VideositeSharedPost = z.output<typeof videositeSharedPost>;

export const videositePost = videositeSharedPost
  .extend({ shared_post: videositeSharedPost.optional().describe("The post that this one shares") })
  .meta({ id: "VideositePost" });

export type VideositePost = z.output<typeof videositePost>;

export const videositeComment = z
  .object({
    id: z.string(),
    text: z.string().optional(),
    author: videositeAuthor.optional(),
    published_text: published,
    like_count: count("Rounded").optional(),
    reply_count: count("Rounded").optional(),
    parent_id: z.string().optional().describe("The comment that this one replies to"),
    replies_cursor: z
      .string()
      .optional()
      .describe("Give it as `replies_cursor` on the same path to list the replies"),
    is_pinned: z.boolean(),
    is_hearted: z.boolean(),
    is_author_owner: z.boolean().describe("Written by the owner of the video"),
    is_edited: z.boolean(),
  })
  .meta({ id: "VideositeComment" });

export type VideositeComment = z.output<typeof videositeComment>;

export const videositeCaptionTrack = z
  .object({
    language: z.string().describe("BCP 47"),
    name: z.string().optional().describe("Name in English"),
    is_auto_generated: z.boolean(),
    is_translatable: z.boolean(),
  })
  .meta({ id: "VideositeCaptionTrack" });

export type VideositeCaptionTrack = z.output<typeof videositeCaptionTrack>;

export const videositeTranscript = z
  .object({
    video_id: z.string(),
    language: z.string().describe("BCP 47"),
    is_auto_generated: z.boolean(),
    text: z.string(),
    segments: z.array(
      z.object({
        start: z.number().describe("Seconds from the beginning"),
        duration: z.number().optional().describe("Seconds"),
        text: z.string(),
      }),
    ),
  })
  .meta({ id: "VideositeTranscript" });

export type VideositeTranscript = z.output<typeof videositeTranscript>;

export const videositeChannelId = z
  .object({
    channel_id: z.string(),
    url: z.string(),
    username: z.string().optional().describe("Handle without @"),
  })
  .meta({ id: "VideositeChannelId" });
