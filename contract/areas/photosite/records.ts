import * as z from "zod";
import { count, unixSeconds } from "../../fields.ts";

const pixels = z.int().min(0).optional().describe("Pixels");

export const photositeAuthor = z
  .object({
    id: z.string(),
    username: z.string().optional().describe("Absent where the upstream gives the number only"),
    display_name: z.string().optional(),
    avatar_url: z.string().optional(),
    is_verified: z.boolean().optional(),
  })
  .meta({ id: "PhotositeAuthor" });

/** A user as lists show it. */
export const photositeUser = z
  .object({
    id: z.string(),
    username: z.string().optional(),
    display_name: z.string().optional(),
    avatar_url: z.string().optional(),
    is_verified: z.boolean().optional(),
    is_private: z.boolean().optional(),
    url: z.string().optional().describe("Profile page"),
  })
  .meta({ id: "PhotositeUser" });

export const photositeProfile = photositeUser
  .extend({
    description: z.string().optional(),
    external_url: z.string().optional(),
    follower_count: count("Followers").optional(),
    following_count: count("Accounts followed").optional(),
    post_count: count("Posts").optional(),
    is_business: z.boolean().optional(),
    category: z.string().optional(),
  })
  .meta({ id: "PhotositeProfile" });

const mediaType = z.enum(["image", "video", "carousel"]);

export const photositeMedia = z
  .object({
    type: z.enum(["image", "video"]),
    url: z.string().describe("Signed; expires within hours"),
    width: pixels,
    height: pixels,
    duration: z.int().min(0).optional().describe("Seconds"),
  })
  .meta({ id: "PhotositeMedia" });

export const photositePost = z
  .object({
    id: z.string(),
    media_id: z.string().describe("The same as `id`"),
    shortcode: z.string(),
    url: z.string(),
    media_type: mediaType.optional(),
    is_reel: z.boolean().optional(),
    caption: z.string().describe("Empty where there is none"),
    create_time: unixSeconds("Time of publication").optional(),
    like_count: count("Likes; absent where the author hides them").optional(),
    comment_count: count("Comments").optional(),
    view_count: count("Plays of a reel, views of another video").optional(),
    play_count: count("Plays, repeats included").optional(),
    cover_image_url: z.string().optional(),
    media: z.array(photositeMedia).describe("The pictures and videos of the post, in order"),
    width: pixels,
    height: pixels,
    duration: z.int().min(0).optional().describe("Seconds"),
    author: photositeAuthor.optional(),
    hashtags: z.array(z.string()).describe("Read from the caption"),
    mentions: z.array(z.string()).describe("Read from the caption"),
    tagged_users: z.array(z.string()).optional().describe("Usernames"),
    location: z
      .object({
        id: z.string(),
        name: z.string().optional(),
        latitude: z.number().optional(),
        longitude: z.number().optional(),
      })
      .optional(),
    is_pinned: z.boolean().optional(),
    is_paid_partnership: z.boolean().optional(),
    music: z
      .object({
        id: z.string().optional(),
        title: z.string().optional(),
        author: z.string().optional(),
      })
      .optional(),
    accessibility_caption: z.string().optional(),
  })
  .meta({ id: "PhotositePost" });

export const photositeComment = z
  .object({
    id: z.string(),
    text: z.string(),
    create_time: unixSeconds("Time of writing").optional(),
    like_count: count("Likes").optional(),
    reply_count: count("Replies").optional(),
    author: photositeAuthor.optional(),
    shortcode: z.string().describe("The post"),
  })
  .meta({ id: "PhotositeComment" });

export const photositeReply = photositeComment
  .extend({ parent_id: z.string().optional().describe("The comment that this one answers") })
  .meta({ id: "PhotositeReply" });

export const photositeLocation = z
  .object({
    id: z.string(),
    name: z.string().optional(),
    address: z.string().optional(),
    city: z.string().optional(),
    latitude: z.number().optional(),
    longitude: z.number().optional(),
    category: z.string().optional(),
    post_count: count("Posts there").optional(),
    website: z.string().optional(),
    phone: z.string().optional(),
    slug: z.string().optional(),
  })
  .meta({ id: "PhotositeLocation" });

export const photositeCity = z
  .object({
    id: z.string(),
    name: z.string().optional(),
    slug: z.string().optional(),
  })
  .meta({ id: "PhotositeCity" });

export const photositeHashtag = z
  .object({
    id: z.string(),
    name: z.string().optional(),
    post_count: count("Posts with it").optional(),
  })
  .meta({ id: "PhotositeHashtag" });

export const photositeSection = z
  .object({
    id: z.string(),
    name: z.string().optional(),
    subsections: z.array(z.object({ id: z.string(), name: z.string().optional() })).optional(),
  })
  .meta({ id: "PhotositeSection" });

export const photositeHighlight = z
  .object({
    id: z.string(),
    title: z.string().optional(),
    cover_image_url: z.string().optional(),
    item_count: count("Stories in it").optional(),
  })
  .meta({ id: "PhotositeHighlight" });

export const photositeStory = z
  .object({
    id: z.string(),
    media_type: z.enum(["image", "video"]).optional(),
    url: z.string().optional().describe("Signed; expires within hours"),
    cover_image_url: z.string().optional(),
    create_time: unixSeconds("Time of publication").optional(),
    expire_time: unixSeconds("When it disappears").optional(),
    duration: z.int().min(0).optional().describe("Seconds"),
    links: z.array(z.string()),
    author: photositeAuthor.optional(),
  })
  .meta({ id: "PhotositeStory" });

export const photositeFormerUsername = z
  .object({
    username: z.string(),
    changed_time: unixSeconds("When it was given up").optional(),
  })
  .meta({ id: "PhotositeFormerUsername" });

export const photositeSearchHit = z
  .object({
    type: z
      .enum(["user", "hashtag", "place", "post", "reel"])
      .describe("Name of the one field beside it"),
    user: photositeUser.optional(),
    hashtag: photositeHashtag.optional(),
    place: photositeLocation.optional(),
    post: photositePost.optional(),
    reel: photositePost.optional(),
  })
  .meta({ id: "PhotositeSearchHit" });

export const photositeDownload = z
  .object({
    shortcode: z.string(),
    media: z.array(
      z.object({
        type: z.enum(["image", "video"]),
        url: z.string().describe("Signed; expires within hours"),
        width: pixels,
        height: pixels,
        filename: z.string(),
      }),
    ),
  })
  .meta({ id: "PhotositeDownload" });

export const photositeMediaId = z
  .object({ shortcode: z.string(), media_id: z.string() })
  .meta({ id: "PhotositeMediaId" });

export const photositeShortcode = z
  .object({ url: z.string(), shortcode: z.string() })
  .meta({ id: "PhotositeShortcode" });

export const photositeUserId = z
  .object({ username: z.string(), user_id: z.string() })
  .meta({ id: "PhotositeUserId" });

export type PhotositeAuthor = z.output<typeof photositeAuthor>;
export type PhotositeProfile = z.output<typeof photositeProfile>;
export type PhotositeMedia = z.output<typeof photositeMedia>;
export type PhotositePost = z.output<typeof photositePost>;
export type PhotositeReply = z.output<typeof photositeReply>;
export type PhotositeLocation = z.output<typeof photositeLocation>;
export type PhotositeCity = z.output<typeof photositeCity>;
export type PhotositeHashtag = z.output<typeof photositeHashtag>;
export type PhotositeSection = z.output<typeof photositeSection>;
export type PhotositeHighlight = z.output<typeof photositeHighlight>;
export type PhotositeStory = z.output<typeof photositeStory>;
export type PhotositeFormerUsername = z.output<typeof photositeFormerUsername>;
export type PhotositeSearchHit = z.output<typeof photositeSearchHit>;
export type PhotositeDownload = z.output<typeof photositeDownload>;
