import * as z from "zod";
import { count, integer, unixSeconds } from "../../fields.ts";

const pixels = z.int().min(0).optional().describe("Pixels");

const forumAuthor = z
  .object({
    id: z.string().optional().describe("Absent for deleted accounts"),
    username: z.string().describe("`[deleted]` where the account or the text is gone"),
    display_name: z.string(),
  })
  .meta({ id: "ForumAuthor" });

const forumPlace = z
  .object({ id: z.string().optional(), name: z.string(), display_name: z.string() })
  .meta({ id: "ForumPlace" });

const forumImage = z
  .object({ url: z.string(), width: pixels, height: pixels, caption: z.string().optional() })
  .meta({ id: "ForumImage" });

const forumVideo = z
  .object({
    url: z.string(),
    hls_url: z.string().optional(),
    width: pixels,
    height: pixels,
    duration: z.int().min(0).optional().describe("Seconds"),
  })
  .meta({ id: "ForumVideo" });

const createTime = unixSeconds("Time of publication").optional();
const editTime = unixSeconds("Time of the last edit, where there was one").optional();
const score = integer("Votes for less votes against, blurred by the platform").optional();

export const forumPost = z
  .object({
    id: z.string().describe("`t3_` and the short id"),
    title: z.string().optional(),
    text: z
      .string()
      .describe("Markdown; empty for links, `[removed]` or `[deleted]` where it is gone"),
    text_html: z.string().optional(),
    url: z.string().optional().describe("What the post links to, or the post itself"),
    share_url: z.string().optional(),
    domain: z.string().optional(),
    create_time: createTime,
    edit_time: editTime,
    author: forumAuthor.optional(),
    community: forumPlace.optional(),
    score,
    upvote_ratio: z.number().min(0).max(1).optional(),
    comment_count: count("Comments").optional(),
    crosspost_count: count("Times the post was posted on elsewhere").optional(),
    award_count: count("Awards").optional(),
    flair: z.string().optional(),
    media_type: z
      .enum(["text", "link", "image", "gallery", "video", "poll", "crosspost"])
      .optional(),
    images: z.array(forumImage),
    video: forumVideo.optional().describe("Absent while it is processed and for foreign videos"),
    thumbnail_url: z.string().optional(),
    crosspost_parent_id: z.string().optional(),
    is_nsfw: z.boolean().optional(),
    is_spoiler: z.boolean().optional(),
    is_locked: z.boolean().optional(),
    is_stickied: z.boolean().optional(),
    is_archived: z.boolean().optional(),
    is_original_content: z.boolean().optional(),
    removed_by: z.string().optional().describe("Remover of the post, in the platform's words"),
  })
  .meta({ id: "ForumPost" });

const anyComment = z.object({
  id: z.string().describe("`t1_` and the short id"),
  post_id: z.string().optional(),
  parent_id: z.string().optional().describe("Comment or post above it"),
  text: z.string().describe("Markdown; `[removed]` or `[deleted]` where it is gone"),
  text_html: z.string().optional(),
  create_time: createTime,
  edit_time: editTime,
  author: forumAuthor.optional(),
  community: forumPlace.optional(),
  score,
  is_score_hidden: z.boolean().optional(),
  is_submitter: z.boolean().optional().describe("Written by the author of the post"),
  is_stickied: z.boolean().optional(),
  is_locked: z.boolean().optional(),
  distinguished: z.string().optional().describe("`moderator` or `admin`"),
  controversiality: integer("1 where votes are divided").optional(),
  share_url: z.string().optional(),
});

export const forumComment = anyComment
  .extend({
    depth: z.int().min(0).optional().describe("Steps below the first comment of its branch"),
    reply_count: count("Direct replies, those not loaded included"),
    has_more_replies: z
      .boolean()
      .describe("The branch goes on deeper than asked: ask for the replies of this comment"),
  })
  .meta({ id: "ForumComment" });

export const forumUserComment = anyComment
  .extend({ post_title: z.string().optional(), post_url: z.string().optional() })
  .meta({ id: "ForumUserComment" });

export const forumUser = z
  .object({
    id: z.string().optional().describe("`t2_` and the short id; absent for suspended accounts"),
    username: z.string(),
    display_name: z.string(),
    description: z.string().optional(),
    avatar_url: z.string().optional(),
    snoovatar_url: z.string().optional().describe("Drawn figure of the user"),
    banner_url: z.string().optional(),
    create_time: unixSeconds("Time of registration").optional(),
    total_karma: integer("Karma of all kinds").optional(),
    post_karma: integer("Karma of posts").optional(),
    comment_karma: integer("Karma of comments").optional(),
    awardee_karma: integer("Karma of awards received").optional(),
    awarder_karma: integer("Karma of awards given").optional(),
    is_employee: z.boolean().optional(),
    is_mod: z.boolean().optional(),
    is_gold: z.boolean().optional(),
    is_verified: z.boolean().optional().describe("Has a verified e-mail address"),
    is_suspended: z.boolean().optional(),
    is_nsfw: z.boolean().optional(),
    accept_followers: z.boolean().optional(),
    share_url: z.string(),
  })
  .meta({ id: "ForumUser" });

export const forumCommunity = z
  .object({
    id: z.string().describe("`t5_` and the short id"),
    name: z.string(),
    title: z.string().optional(),
    description: z.string().optional(),
    description_long: z.string().optional().describe("Side bar, in Markdown"),
    member_count: count("Members").optional(),
    active_count: count("Members here now, where the platform shows it").optional(),
    create_time: unixSeconds("Time of foundation").optional(),
    icon_url: z.string().optional(),
    banner_url: z.string().optional(),
    type: z.string().optional().describe("`public`, `restricted`, `private`, `user`, `archived` …"),
    lang: z.string().optional(),
    is_nsfw: z.boolean().optional(),
    is_quarantined: z.boolean().optional(),
    allow_images: z.boolean().optional(),
    allow_videos: z.boolean().optional(),
    allow_polls: z.boolean().optional(),
    submission_type: z
      .string()
      .optional()
      .describe("Permitted kinds of posts: `any`, `link` or `self`"),
    share_url: z.string(),
  })
  .meta({ id: "ForumCommunity" });

export const forumRule = z
  .object({
    name: z.string(),
    description: z.string().optional(),
    violation_reason: z.string().optional(),
    applies_to: z.string().optional().describe("`all`, `link` or `comment`"),
    priority: count("Place in the list, from 0").optional(),
    create_time: unixSeconds("Time it was made").optional(),
  })
  .meta({ id: "ForumRule" });

export const forumTrophy = z
  .object({
    name: z.string(),
    description: z.string().optional(),
    icon_url: z.string().optional(),
    award_id: z.string().optional(),
    granted_at: unixSeconds("Time it was given").optional(),
  })
  .meta({ id: "ForumTrophy" });
