import * as z from "zod";
import { count, integer, unixSeconds } from "../../fields.ts";
import { networks } from "./networks.ts";

/** Records of open social networks, in one vocabulary over all of them. */

const network = z.enum(networks).describe("Network of the record");
const account = {
  id: z.string().describe("Id at the network: a DID at Bluesky, else the instance's number"),
  username: z.string().describe("Name with its host: `name.bsky.social`, `name@host`"),
  display_name: z.string().optional(),
  avatar_url: z.string().optional(),
};

const author = z.object(account).meta({ id: "OpenSocialAuthor" });

export const openSocialUser = z
  .object({
    network,
    ...account,
    description: z.string().optional().describe("Plain text; Markdown at Lemmy"),
    banner_url: z.string().optional(),
    create_time: unixSeconds("Time of registration").optional(),
    follower_count: count("Followers").optional(),
    following_count: count("Accounts followed").optional(),
    post_count: count("Posts").optional(),
    comment_count: count("Comments").optional(),
    is_verified: z
      .boolean()
      .optional()
      .describe("Whether Bluesky or its verifiers checked who it is"),
    is_bot: z.boolean().optional().describe("Whether a program posts"),
    is_protected: z.boolean().optional(),
    website_url: z.string().optional(),
    share_url: z.string().optional(),
  })
  .meta({ id: "OpenSocialUser" });

/** An account among the followers of another. */
export const openSocialFollower = openSocialUser
  .omit({ comment_count: true })
  .meta({ id: "OpenSocialFollower" });

const media = z
  .object({
    type: z.enum(["image", "video", "gif", "audio"]),
    url: z.string().describe("The medium; a playlist for Bluesky's videos"),
    preview_image_url: z.string().optional().describe("Small picture of it"),
    alt_text: z.string().optional(),
    width: count("Pixels").optional(),
    height: count("Pixels").optional(),
  })
  .meta({ id: "OpenSocialMedia" });

const card = z
  .object({
    url: z.string(),
    title: z.string().optional(),
    description: z.string().optional(),
    image_url: z.string().optional(),
  })
  .meta({ id: "OpenSocialCard" });

export const openSocialPost = z
  .object({
    network,
    id: z
      .string()
      .describe("At:// address at Bluesky, else the instance's number, `c` before a comment's"),
    title: z.string().optional().describe("Title; Lemmy only"),
    text: z.string().describe("Plain text; Markdown at Lemmy"),
    text_html: z.string().optional(),
    lang: z.string().optional(),
    create_time: unixSeconds("Time of publication").optional(),
    edit_time: unixSeconds("Time of the last edit, where there was one").optional(),
    author: author.optional(),
    share_url: z.string().optional(),
    community: z.string().optional().describe("Community with its host, `name@host`; Lemmy only"),
    is_reply: z.boolean(),
    in_reply_to_post_id: z.string().optional(),
    quoted_post_id: z.string().optional(),
    reposted_by_username: z.string().optional(),
    like_count: count("Likes; votes in favour at Lemmy").optional(),
    dislike_count: count("Votes against; Lemmy only").optional(),
    reply_count: count("Replies").optional(),
    repost_count: count("Reposts").optional(),
    quote_count: count("Quotes").optional(),
    media: z.array(media),
    card: card.optional().describe("The page that it links to"),
    hashtags: z.array(z.string()).describe("Without #"),
    mentions: z.array(z.string()).describe("Accounts that it names: DIDs at Bluesky, else names"),
    content_warning: z.string().optional().describe("Warning that the author put before it"),
    is_sensitive: z.boolean(),
  })
  .meta({ id: "OpenSocialPost" });

/** Posts of Mastodon alone have no members of Lemmy, and the other way round. */
export const mastodonPost = openSocialPost
  .omit({ title: true, community: true, dislike_count: true, reposted_by_username: true })
  .meta({ id: "OpenSocialMastodonPost" });

export const lemmyPost = openSocialPost
  .omit({
    text_html: true,
    lang: true,
    in_reply_to_post_id: true,
    quoted_post_id: true,
    reposted_by_username: true,
    repost_count: true,
    quote_count: true,
    content_warning: true,
  })
  .extend({ media: z.array(media.omit({ width: true, height: true })) })
  .meta({ id: "OpenSocialLemmyPost" });

export const openSocialThreadPost = openSocialPost
  .omit({ title: true, reposted_by_username: true })
  .extend({
    depth: integer(
      "1 for a reply to the post, 2 for a reply to that; -1 for what the post answers",
    ),
  })
  .meta({ id: "OpenSocialThreadPost" });

export const openSocialTopic = z
  .object({
    name: z.string(),
    post_count: count("Posts about it; today's at Mastodon").optional(),
    user_count: count("Accounts that posted about it today").optional(),
    start_time: unixSeconds("Since when it is a trend").optional(),
    share_url: z.string().optional(),
  })
  .meta({ id: "OpenSocialTopic" });

export const openSocialLink = z
  .object({
    url: z.string(),
    title: z.string().optional(),
    description: z.string().optional(),
    publisher: z.string().optional().describe("Site that published it"),
    lang: z.string().optional(),
    image_url: z.string().optional(),
    post_count: count("Posts with it today").optional(),
    user_count: count("Accounts that posted it today").optional(),
  })
  .meta({ id: "OpenSocialLink" });

export const openSocialInstance = z
  .object({
    network,
    domain: z.string().describe("Host name of the instance"),
    title: z.string().optional(),
    description: z.string().optional(),
    version: z.string().optional().describe("Version of its software"),
    user_count: count("Accounts; Lemmy only").optional(),
    active_user_count: count("Accounts active within a month").optional(),
    post_count: count("Posts; Lemmy only").optional(),
    comment_count: count("Comments; Lemmy only").optional(),
    community_count: count("Communities; Lemmy only").optional(),
    languages: z.array(z.string()).describe("Codes of its languages"),
    rules: z.array(z.string()).describe("Rules, in their order; Mastodon only"),
    is_open: z.boolean().describe("Whether new accounts can register"),
    needs_approval: z.boolean().describe("Whether a moderator must approve a new account"),
    image_url: z.string().optional(),
  })
  .meta({ id: "OpenSocialInstance" });

export type OpenSocialUser = z.output<typeof openSocialUser>;
export type OpenSocialPost = z.output<typeof openSocialPost>;
export type OpenSocialThreadPost = z.output<typeof openSocialThreadPost>;
export type OpenSocialTopic = z.output<typeof openSocialTopic>;
export type OpenSocialLink = z.output<typeof openSocialLink>;
export type OpenSocialInstance = z.output<typeof openSocialInstance>;
