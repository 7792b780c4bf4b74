import * as z from "zod";
import { count, unixSeconds } from "../../fields.ts";

/** A user as named beside a post, list or article; only the id is certain. */
export const microblogAuthor = z
  .object({
    id: z.string(),
    username: z.string().optional().describe("Handle without @"),
    display_name: z.string().optional(),
    avatar_url: z.string().optional(),
  })
  .meta({ id: "MicroblogAuthor" });

export type MicroblogAuthor = z.output<typeof microblogAuthor>;

const media = z
  .object({
    type: z.string().describe("photo, video or gif"),
    url: z.string().optional().describe("The picture, or the video file with the highest bit rate"),
    preview_image_url: z.string().optional().describe("Still of a video or gif"),
    width: count("Pixels").optional(),
    height: count("Pixels").optional(),
    duration: count("Seconds").optional(),
    alt_text: z.string().optional(),
    view_count: count("Views of a video").optional(),
  })
  .meta({ id: "MicroblogMedia" });

const poll = z
  .object({
    id: z.string().optional(),
    options: z.array(z.object({ label: z.string(), vote_count: count("Votes so far").optional() })),
    end_time: unixSeconds("End of voting").optional(),
    is_open: z.boolean().optional(),
  })
  .meta({ id: "MicroblogPoll" });

export type MicroblogMedia = z.output<typeof media>;
export type MicroblogPoll = z.output<typeof poll>;

const figures = {
  like_count: count("Likes").optional(),
  reply_count: count("Replies").optional(),
  repost_count: count("Reposts").optional(),
  quote_count: count("Quotes").optional(),
  bookmark_count: count("Bookmarks").optional(),
  view_count: count("Views").optional(),
};

const postFields = {
  id: z.string(),
  text: z.string().optional().describe("Full text; of a repost cut as the platform cuts it"),
  lang: z.string().optional().describe("BCP 47, as the platform guessed it"),
  create_time: unixSeconds("Time of publication").optional(),
  author: microblogAuthor.optional(),
  share_url: z.string(),
  conversation_id: z.string().optional().describe("Id of the post that began the conversation"),
  is_reply: z.boolean(),
  is_repost: z.boolean(),
  is_quote: z.boolean(),
  in_reply_to_post_id: z.string().optional(),
  in_reply_to_user_id: z.string().optional(),
  quoted_post_id: z.string().optional(),
  community_id: z.string().optional(),
  ...figures,
  hashtags: z.array(z.string()).describe("Without #"),
  mentions: z.array(z.string()).describe("Handles without @"),
  urls: z
    .array(
      z.object({
        url: z.string(),
        expanded_url: z.string().optional(),
        display_url: z.string().optional(),
      }),
    )
    .describe("Links in the text but those of the post's own media"),
  media: z.array(media),
  poll: poll.optional(),
  has_article: z.boolean(),
  is_sensitive: z.boolean(),
  source: z.string().optional().describe("Client that the post was sent with"),
};

/** An embedded post has no further embedded post. */
const embeddedPost = z.object(postFields).meta({ id: "MicroblogEmbeddedPost" });

export const microblogPost = z
  .object({
    ...postFields,
    quoted_post: embeddedPost.optional(),
    reposted_post_id: z.string().optional(),
    reposted_post: embeddedPost.optional().describe("The original of a repost"),
  })
  .meta({ id: "MicroblogPost" });

export type MicroblogEmbeddedPost = z.output<typeof embeddedPost>;
export type MicroblogPost = z.output<typeof microblogPost>;

export const microblogUser = z
  .object({
    id: z.string(),
    username: z.string().optional().describe("Handle without @"),
    display_name: z.string().optional(),
    description: z.string().optional(),
    location: z.string().optional().describe("As written by the user"),
    url: z.string().optional(),
    avatar_url: z.string().optional(),
    banner_url: z.string().optional(),
    create_time: unixSeconds("Time of registration").optional(),
    is_verified: z.boolean().describe("Verified in any way, paid ones included"),
    verified_type: z.string().describe("none, blue, business or government"),
    is_protected: z.boolean(),
    follower_count: count("Followers").optional(),
    following_count: count("Users followed").optional(),
    post_count: count("Posts").optional(),
    media_count: count("Posts with media").optional(),
    like_count: count("Posts liked").optional(),
    listed_count: count("Lists that the user is on").optional(),
    pinned_post_id: z.string().optional(),
    share_url: z.string(),
  })
  .meta({ id: "MicroblogUser" });

export type MicroblogUser = z.output<typeof microblogUser>;

/** A user in a community. */
export const microblogCommunityMember = microblogUser
  .extend({ community_role: z.string().optional().describe("admin, moderator or member") })
  .meta({ id: "MicroblogCommunityMember" });

export type MicroblogCommunityMember = z.output<typeof microblogCommunityMember>;

const communityFields = {
  id: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  create_time: unixSeconds("Time of foundation").optional(),
  member_count: count("Members").optional(),
  join_policy: z
    .string()
    .optional()
    .describe("Open, RestrictedJoinRequestsRequireModeratorApproval or Closed"),
  share_url: z.string(),
};

export const microblogCommunity = z
  .object({ ...communityFields, access: z.string().optional().describe("Public or Closed") })
  .meta({ id: "MicroblogCommunity" });

export type MicroblogCommunity = z.output<typeof microblogCommunity>;

const communityDetails = {
  ...communityFields,
  moderator_count: count("Moderators").optional(),
  invites_policy: z.string().optional(),
  topic: z.string().optional(),
  is_sensitive: z.boolean(),
  banner_url: z.string().optional(),
};

/** A community as search finds it. */
export const microblogFoundCommunity = z
  .object(communityDetails)
  .meta({ id: "MicroblogFoundCommunity" });

export type MicroblogFoundCommunity = z.output<typeof microblogFoundCommunity>;

/** A community with its rules and the people who run it. */
export const microblogCommunityAbout = z
  .object({
    ...communityDetails,
    rules: z.array(
      z.object({
        id: z.string().optional(),
        name: z.string(),
        description: z.string().optional(),
      }),
    ),
    creator: microblogUser.optional(),
    admin: microblogUser.optional(),
    moderators: z.array(microblogCommunityMember).optional().describe("The first of them"),
    member_preview: z.array(microblogUser),
  })
  .meta({ id: "MicroblogCommunityAbout" });

export type MicroblogCommunityAbout = z.output<typeof microblogCommunityAbout>;

export const microblogList = z
  .object({
    id: z.string(),
    name: z.string().optional(),
    description: z.string().optional(),
    share_url: z.string(),
    banner_url: z.string().optional(),
    follower_count: count("Followers, rounded by the platform").optional(),
  })
  .meta({ id: "MicroblogList" });

export type MicroblogList = z.output<typeof microblogList>;

export const microblogTrend = z
  .object({
    name: z.string(),
    rank: z.int().min(1),
    query: z.string().describe("Words to search for"),
    post_count: count("Posts about it").optional(),
    post_count_is_approximate: z.boolean().optional(),
    share_url: z.string(),
  })
  .meta({ id: "MicroblogTrend" });

export type MicroblogTrend = z.output<typeof microblogTrend>;

export const microblogArticle = z
  .object({
    id: z.string().optional(),
    post_id: z.string(),
    title: z.string().optional(),
    preview_text: z.string().optional(),
    cover_image_url: z.string().optional(),
    create_time: unixSeconds("Time of publication").optional(),
    update_time: unixSeconds("Time of the last change").optional(),
    author: microblogAuthor.optional(),
    text: z.string().optional().describe("All blocks, a line each"),
    blocks: z.array(
      z.object({
        type: z
          .string()
          .describe("unstyled, header-one, unordered-list-item, blockquote, atomic and others"),
        text: z.string(),
      }),
    ),
    links: z.array(z.string()),
    images: z.array(z.string()),
    share_url: z.string(),
    ...figures,
  })
  .meta({ id: "MicroblogArticle" });

export type MicroblogArticle = z.output<typeof microblogArticle>;

const translation = {
  source_language: z.string().optional(),
  target_language: z.string(),
  translated_text: z.string(),
  provider: z.string().optional().describe("Translation service"),
};

export const microblogTranslation = z
  .object({ post_id: z.string(), ...translation })
  .meta({ id: "MicroblogTranslation" });

export type MicroblogTranslation = z.output<typeof microblogTranslation>;

export const microblogProfileTranslation = z
  .object({ user_id: z.string(), ...translation })
  .meta({ id: "MicroblogProfileTranslation" });

export type MicroblogProfileTranslation = z.output<typeof microblogProfileTranslation>;

const party = z.object({ id: z.string(), username: z.string().optional() });

export const microblogFriendship = z
  .object({
    source: party,
    target: party.describe("The second of the two users"),
    source_follows_target: z.boolean(),
    target_follows_source: z.boolean(),
  })
  .meta({ id: "MicroblogFriendship" });

export const microblogSuggestions = z
  .object({
    query: z.string(),
    users: z.array(
      z
        .object({
          id: z.string(),
          username: z.string().optional(),
          display_name: z.string().optional(),
          avatar_url: z.string().optional(),
          location: z.string().optional(),
          is_verified: z.boolean(),
          verified_type: z.string().describe("none, blue, business or government"),
          is_protected: z.boolean(),
        })
        .meta({ id: "MicroblogSuggestedUser" }),
    ),
    topics: z.array(z.string()),
    hashtags: z.array(z.string()).describe("Without #"),
    cashtags: z.array(z.string()).describe("Without $"),
  })
  .meta({ id: "MicroblogSuggestions" });

export type MicroblogSuggestions = z.output<typeof microblogSuggestions>;
