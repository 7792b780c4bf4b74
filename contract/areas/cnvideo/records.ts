import * as z from "zod";
import { count, unixSeconds } from "../../fields.ts";

export const cnvideoAuthor = z
  .object({
    id: z.string(),
    display_name: z.string().optional(),
    avatar_url: z.string().optional(),
  })
  .meta({ id: "CnvideoAuthor" });

export const cnvideoVideo = z
  .object({
    id: z.string().describe("BV id"),
    aid: z.string().optional().describe("The video's older number"),
    title: z.string().optional(),
    description: z.string().optional(),
    url: z.string(),
    cover_image_url: z.string().optional(),
    duration: z.int().min(0).optional().describe("Seconds, over all parts"),
    create_time: unixSeconds("Time of publication").optional(),
    view_count: count("Views; absent where they are hidden").optional(),
    danmaku_count: count("Comments that run over the picture").optional(),
    comment_count: count("Comments below the video").optional(),
    like_count: count("Likes").optional(),
    favorite_count: count("Times the video was saved").optional(),
    coin_count: count("Coins given").optional(),
    share_count: count("Shares").optional(),
    category: z.string().optional(),
    author: cnvideoAuthor.optional(),
    parts: z
      .array(
        z.object({
          cid: z.string(),
          title: z.string().optional().describe("Absent where the part has no name of its own"),
          duration: z.int().min(0).optional().describe("Seconds"),
          page: z.int().min(1).optional().describe("Place of the part, from 1"),
        }),
      )
      .optional(),
    width: z.int().min(0).optional().describe("Pixels as shown, after rotation"),
    height: z.int().min(0).optional().describe("Pixels as shown, after rotation"),
    is_original: z.boolean().optional().describe("Made by its author, not taken from elsewhere"),
  })
  .meta({ id: "CnvideoVideo" });

/** A video as search results show it. */
export const cnvideoVideoHit = cnvideoVideo
  .omit({
    coin_count: true,
    share_count: true,
    parts: true,
    width: true,
    height: true,
    is_original: true,
  })
  .extend({ tags: z.array(z.string()).optional() })
  .meta({ id: "CnvideoVideoHit" });

/** A video as the list of a user's videos shows it. */
export const cnvideoUserVideo = cnvideoVideo
  .omit({
    like_count: true,
    favorite_count: true,
    coin_count: true,
    share_count: true,
    category: true,
    author: true,
    parts: true,
    width: true,
    height: true,
  })
  .extend({ author: cnvideoAuthor.omit({ avatar_url: true }).optional() })
  .meta({ id: "CnvideoUserVideo" });

/** A video as a dynamic shows it. */
const cnvideoAttachedVideo = cnvideoVideo
  .pick({
    id: true,
    aid: true,
    title: true,
    description: true,
    url: true,
    cover_image_url: true,
    duration: true,
    view_count: true,
    danmaku_count: true,
  })
  .meta({ id: "CnvideoAttachedVideo" });

const dynamicShape = {
  id: z.string(),
  type: z
    .string()
    .optional()
    .describe("The platform's kind in lower case: av, draw, word, forward, article, live_rcmd …"),
  text: z.string().optional(),
  url: z.string(),
  create_time: unixSeconds("Time of publication").optional(),
  author: cnvideoAuthor.optional(),
  images: z.array(z.string()).optional(),
  video: cnvideoAttachedVideo.optional(),
  article: z.object({ id: z.string(), title: z.string().optional(), url: z.string() }).optional(),
  live: z
    .object({
      room_id: z.string(),
      title: z.string().optional(),
      cover_image_url: z.string().optional(),
      url: z.string(),
    })
    .optional(),
  like_count: count("Likes").optional(),
  comment_count: count("Comments").optional(),
  share_count: count("Forwards").optional(),
  topic: z.string().optional(),
};

export const cnvideoOriginal = z.object(dynamicShape).meta({ id: "CnvideoOriginal" });

export const cnvideoDynamic = z
  .object({
    ...dynamicShape,
    is_pinned: z
      .boolean()
      .optional()
      .describe(
        "True where the user keeps it on top of the page, whatever its date; absent elsewhere",
      ),
    original: cnvideoOriginal
      .optional()
      .describe("The forwarded post; absent where it was deleted"),
  })
  .meta({ id: "CnvideoDynamic" });

export const cnvideoRelationStat = z
  .object({
    uid: z.string(),
    following_count: count("Accounts followed").optional(),
    follower_count: count("Followers").optional(),
  })
  .meta({ id: "CnvideoRelationStat" });

export const cnvideoHotSearch = z
  .object({
    rank: z.int().min(1),
    keyword: z.string(),
    title: z.string().optional().describe("The keyword as the platform shows it"),
    icon_url: z.string().optional(),
    heat_score: count("Heat as the platform counts it").optional(),
    tag: z.enum(["new", "hot", "live", "meme", "topic", "exclusive"]).optional(),
    url: z.string().describe("Search page"),
  })
  .meta({ id: "CnvideoHotSearch" });

export type CnvideoAuthor = z.output<typeof cnvideoAuthor>;
export type CnvideoVideo = z.output<typeof cnvideoVideo>;
export type CnvideoVideoHit = z.output<typeof cnvideoVideoHit>;
export type CnvideoUserVideo = z.output<typeof cnvideoUserVideo>;
export type CnvideoOriginal = z.output<typeof cnvideoOriginal>;
export type CnvideoDynamic = z.output<typeof cnvideoDynamic>;
export type CnvideoRelationStat = z.output<typeof cnvideoRelationStat>;
export type CnvideoHotSearch = z.output<typeof cnvideoHotSearch>;
