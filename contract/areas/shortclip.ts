import * as z from "zod";
import { page, text, unixSeconds } from "../fields.ts";
import { area, operation } from "../operation.ts";

/**
 * The short-clip video record is complete: every field is always there, an unknown text is "" and an
 * unknown number 0.
 */
export const shortclipVideo = z
  .object({
    id: z.string(),
    title: z.string(),
    video_description: z.string(),
    cover_image_url: z.string(),
    share_url: z.string(),
    embed_link: z.string(),
    region: z.string().describe("Country code"),
    play_url: z.string(),
    create_time: unixSeconds("Time of publication"),
    duration: z.int().min(0).describe("Seconds"),
    width: z.int().min(0).describe("Pixels of the file"),
    height: z.int().min(0).describe("Pixels of the file"),
    like_count: z.int().min(0),
    comment_count: z.int().min(0),
    share_count: z.int().min(0),
    view_count: z.int().min(0),
    author: z.object({
      id: z.string(),
      username: z.string(),
      display_name: z.string(),
      avatar_url: z.string(),
    }),
    hashtags: z.array(z.string()),
    music: z.object({
      id: z.string(),
      title: z.string(),
      author: z.string(),
      is_original: z.boolean(),
    }),
    is_image_post: z.boolean(),
  })
  .meta({ id: "ShortclipVideo" });

export type ShortclipVideo = z.output<typeof shortclipVideo>;

export const shortclip = area({
  name: "shortclip",
  summary: "Short videos, users, comments, music, hashtags and live rooms",
  pool: "social",
  operations: [
    operation({
      id: "shortclip.search",
      method: "GET",
      path: "/shortclip/search",
      summary: "Short videos for a keyword",
      input: z.strictObject({
        q: text(1, 500, "Keyword"),
        ...page({ most: 50, usual: 20 }),
      }),
      data: z.array(shortclipVideo),
      paginated: true,
      minimum: 1,
      records: {
        kind: "list",
        rows: (data) => data,
        most: (input) => input.limit,
      },
      example: { q: "street food", limit: 5 },
    }),
  ],
});
