import * as z from "zod";
import { count, unixSeconds } from "../../fields.ts";

export const cnblogAuthor = z
  .object({
    id: z.string(),
    username: z.string().optional().describe("Name in the address of the user's page, if chosen"),
    display_name: z.string().optional(),
    avatar_url: z.string().optional(),
  })
  .meta({ id: "CnblogAuthor" });

const postShape = {
  id: z.string(),
  short_id: z.string().optional(),
  url: z.string().optional(),
  text: z.string().optional().describe("Plain text"),
  is_truncated: z
    .boolean()
    .optional()
    .describe("True where lists cut a long text; the single post has it whole"),
  create_time: unixSeconds("Time of publication").optional(),
  source: z.string().optional().describe("Name of the client"),
  region: z.string().optional().describe("Where the platform places the author"),
  like_count: count("Likes").optional(),
  comment_count: count("Comments").optional(),
  share_count: count("Reposts").optional(),
  author: cnblogAuthor.optional(),
  images: z
    .array(z.string())
    .optional()
    .describe("In order; the platform serves them to its own pages only"),
  video: z
    .object({
      url: z.string().optional().describe("Expires within hours"),
      cover_image_url: z.string().optional(),
      duration: z.int().min(0).optional().describe("Seconds"),
    })
    .optional(),
  link: z.object({ title: z.string().optional(), url: z.string() }).optional(),
  topics: z.array(z.string()).optional(),
  is_edited: z.boolean().optional(),
};

export const cnblogRepost = z.object(postShape).meta({ id: "CnblogRepost" });

export const cnblogPost = z
  .object({
    ...postShape,
    is_pinned: z
      .boolean()
      .optional()
      .describe("True where the user keeps it on top of the page; absent elsewhere"),
    repost: cnblogRepost
      .optional()
      .describe("The reposted post; absent where it was deleted or hidden"),
  })
  .meta({ id: "CnblogPost" });

export const cnblogUser = z
  .object({
    id: z.string(),
    username: z.string().optional().describe("Name in the address of the user's page, if chosen"),
    display_name: z.string().optional(),
    avatar_url: z.string().optional(),
    description: z.string().optional(),
    url: z.string().describe("Profile page"),
    follower_count: count("Followers, rounded where the platform rounds").optional(),
    following_count: count("Accounts followed").optional(),
    post_count: count("Posts").optional(),
    gender: z.enum(["m", "f"]).optional(),
    location: z.string().optional(),
    is_verified: z.boolean().optional(),
    verified_reason: z.string().optional(),
    verified_type: z.int().optional().describe("The platform's kind of verification; -1 is none"),
    cover_image_url: z.string().optional(),
  })
  .meta({ id: "CnblogUser" });

const commentShape = {
  id: z.string(),
  post_id: z.string(),
  text: z.string().describe("Plain text; empty where the comment is a picture"),
  create_time: unixSeconds("Time of writing").optional(),
  like_count: count("Likes").optional(),
  author: cnblogAuthor.optional(),
  region: z.string().optional().describe("Where the platform places the author"),
  floor: z.int().min(0).optional().describe("Number of the comment below the post"),
  images: z.array(z.string()).optional(),
  is_author_liked: z.boolean().optional().describe("Liked by the author of the post"),
};

export const cnblogReply = z.object(commentShape).meta({ id: "CnblogReply" });

export const cnblogComment = z
  .object({
    ...commentShape,
    reply_count: count("Replies").optional(),
    replies: z.array(cnblogReply).optional().describe("The few that come with the comment"),
  })
  .meta({ id: "CnblogComment" });

export const cnblogHotSearch = z
  .object({
    rank: z.int().min(0).describe("From 1; 0 for a pinned headline"),
    keyword: z.string(),
    title: z.string().optional(),
    heat_score: count("Heat as the platform counts it").optional(),
    label: z.string().optional().describe("One character: new 新, hot 热, boiling 沸, bursting 爆"),
    is_pinned: z.boolean(),
    url: z.string().describe("Search page"),
  })
  .meta({ id: "CnblogHotSearch" });

export type CnblogAuthor = z.output<typeof cnblogAuthor>;
export type CnblogRepost = z.output<typeof cnblogRepost>;
export type CnblogPost = z.output<typeof cnblogPost>;
export type CnblogUser = z.output<typeof cnblogUser>;
export type CnblogReply = z.output<typeof cnblogReply>;
export type CnblogComment = z.output<typeof cnblogComment>;
export type CnblogHotSearch = z.output<typeof cnblogHotSearch>;
