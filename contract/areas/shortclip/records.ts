import * as z from "zod";
import { count, unixSeconds } from "../../fields.ts";

/**
 * The short-clip video record: every field up to `is_image_post` is always present; an unknown text is
 * "" and an unknown number 0.
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
    play_url: z.string().describe("Empty for photo posts; expires within hours"),
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
    favorite_count: count("Times the video was saved").optional(),
    images: z.array(z.string()).optional().describe("Pictures of a photo post, in order"),
    is_ad: z.boolean().optional().describe("Promoted; promoted videos are left out of searches"),
  })
  .meta({ id: "ShortclipVideo" });

export const shortclipUser = z
  .object({
    id: z.string(),
    username: z.string().optional(),
    display_name: z.string().optional(),
    avatar_url: z.string().optional(),
    description: z.string().optional(),
    url: z.string().optional().describe("Profile page"),
    follower_count: count("Followers").optional(),
    following_count: count("Accounts followed").optional(),
    like_count: count("Likes that the user's videos received").optional(),
    video_count: count("Public videos").optional(),
    is_verified: z.boolean().optional(),
    is_private: z.boolean().optional(),
    region: z.string().optional().describe("Country code"),
    sec_uid: z.string().optional().describe("The platform's second id of the user"),
    live_room_id: z.string().optional().describe("Present while the user is live"),
  })
  .meta({ id: "ShortclipUser" });

/** The author of a comment, host of a live room or owner of a sound. */
export const shortclipAuthor = z
  .object({
    id: z.string(),
    username: z.string().optional(),
    display_name: z.string().optional(),
    avatar_url: z.string().optional(),
  })
  .meta({ id: "ShortclipAuthor" });

export const shortclipComment = z
  .object({
    id: z.string(),
    video_id: z.string().optional(),
    text: z.string().describe("Empty where the comment is a picture"),
    create_time: unixSeconds("Time of writing").optional(),
    like_count: count("Likes").optional(),
    reply_count: count("Replies").optional(),
    author: shortclipAuthor.optional(),
    language: z.string().optional().describe("Language code"),
    images: z.array(z.string()).optional(),
    is_author_liked: z.boolean().optional().describe("Liked by the author of the video"),
    is_pinned: z.boolean().optional(),
  })
  .meta({ id: "ShortclipComment" });

export const shortclipReply = shortclipComment
  .extend({ parent_id: z.string().optional().describe("The comment that this one answers") })
  .meta({ id: "ShortclipReply" });

export const shortclipHashtag = z
  .object({
    id: z.string(),
    name: z.string().optional(),
    description: z.string().optional(),
    view_count: count("Views of its videos").optional(),
    video_count: count("Videos with it").optional(),
    user_count: count("Users who used it").optional(),
    is_commerce: z.boolean().optional(),
    cover_image_url: z.string().optional(),
  })
  .meta({ id: "ShortclipHashtag" });

export const shortclipMusic = z
  .object({
    id: z.string(),
    title: z.string().optional(),
    author: z.string().optional(),
    album: z.string().optional(),
    duration: z.int().min(0).optional().describe("Seconds"),
    user_count: count("Videos that use it").optional(),
    play_url: z.string().optional(),
    cover_image_url: z.string().optional(),
    is_original: z.boolean().optional().describe("Taken from a video of its author"),
    owner: shortclipAuthor.optional(),
  })
  .meta({ id: "ShortclipMusic" });

export const shortclipLiveRoom = z
  .object({
    id: z.string(),
    title: z.string().optional(),
    status: z.enum(["live", "ended"]).optional(),
    viewer_count: count("Viewers now").optional(),
    total_viewer_count: count("Viewers so far").optional(),
    like_count: count("Likes so far").optional(),
    cover_image_url: z.string().optional(),
    create_time: unixSeconds("Start of the broadcast").optional(),
    owner: shortclipAuthor.optional(),
    hashtag: z.string().optional(),
    stream_url: z.string().optional().describe("HLS playlist; expires within hours"),
  })
  .meta({ id: "ShortclipLiveRoom" });

export const shortclipVideoId = z.object({ video_id: z.string() }).meta({ id: "ShortclipVideoId" });

export const shortclipUserId = z
  .object({
    user_id: z.string(),
    sec_uid: z.string().optional(),
    username: z.string().optional(),
  })
  .meta({ id: "ShortclipUserId" });

export type ShortclipVideo = z.output<typeof shortclipVideo>;
export type ShortclipUser = z.output<typeof shortclipUser>;
export type ShortclipAuthor = z.output<typeof shortclipAuthor>;
export type ShortclipReply = z.output<typeof shortclipReply>;
export type ShortclipHashtag = z.output<typeof shortclipHashtag>;
export type ShortclipMusic = z.output<typeof shortclipMusic>;
export type ShortclipLiveRoom = z.output<typeof shortclipLiveRoom>;
export type ShortclipUserId = z.output<typeof shortclipUserId>;
