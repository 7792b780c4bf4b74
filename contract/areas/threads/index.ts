import * as z from "zod";
import { count, id, page, perPage, text, unixSeconds } from "../../fields.ts";
import { area, operation } from "../../operation.ts";

const pixels = z.int().min(0).optional().describe("Pixels");
const signedUrl = z.string().describe("Signed; expires within days");

const threadsAuthor = z
  .object({
    id: z.string(),
    username: z.string().optional(),
    display_name: z.string().optional(),
    avatar_url: signedUrl.optional(),
  })
  .meta({ id: "ThreadsAuthor" });

const threadsImage = z
  .object({
    url: signedUrl,
    width: pixels,
    height: pixels,
    alt_text: z.string().optional(),
  })
  .meta({ id: "ThreadsImage" });

const threadsVideo = z
  .object({ url: signedUrl, width: pixels, height: pixels })
  .meta({ id: "ThreadsVideo" });

/** A post embedded in another. */
export const threadsInnerPost = z
  .object({
    id: z.string(),
    code: z.string().optional().describe("Short code of the post's address"),
    share_url: z.string().optional(),
    text: z.string(),
    create_time: unixSeconds("Time of publication").optional(),
    author: threadsAuthor.optional(),
    author_is_verified: z.boolean().optional(),
    like_count: count("Absent where the author hides it").optional(),
    reply_count: count("Direct replies").optional(),
    repost_count: count("Reposts").optional(),
    quote_count: count("Quotes").optional(),
    share_count: count("Times the post was sent on").optional(),
    view_count: count("Views, where the platform shows them").optional(),
    media_type: z.enum(["text", "image", "video", "carousel", "audio"]).optional(),
    images: z.array(threadsImage).describe("Covers of videos included"),
    videos: z.array(threadsVideo),
    hashtags: z.array(z.string()),
    mentions: z.array(z.string()).describe("Handles"),
    links: z.array(z.string()),
    is_reply: z.boolean().optional(),
    reply_to_username: z.string().optional(),
    is_pinned: z.boolean().optional().describe("Pinned to the author's profile"),
    is_edited: z.boolean().optional(),
    reply_control: z.string().optional().describe("Users who may reply, in the platform's words"),
  })
  .meta({ id: "ThreadsInnerPost" });

export const threadsPost = threadsInnerPost
  .extend({
    quoted_post: threadsInnerPost.optional(),
    reposted_post: threadsInnerPost.optional(),
  })
  .meta({ id: "ThreadsPost" });

export const threadsReply = threadsPost
  .extend({ reply_to_post_id: z.string().optional().describe("Number of the post replied to") })
  .meta({ id: "ThreadsReply" });

export const threadsRepost = threadsPost
  .extend({ reposted_by_username: z.string() })
  .meta({ id: "ThreadsRepost" });

export const threadsListedUser = z
  .object({
    id: z.string(),
    username: z.string().optional(),
    display_name: z.string().optional(),
    avatar_url: signedUrl.optional(),
    is_verified: z.boolean().optional(),
    share_url: z.string().optional().describe("Profile page"),
  })
  .meta({ id: "ThreadsListedUser" });

export const threadsUser = threadsListedUser
  .extend({
    description: z.string().optional(),
    follower_count: count("Followers").optional(),
    is_private: z.boolean().optional(),
    links: z.array(z.string()).optional().describe("Links of the profile"),
  })
  .meta({ id: "ThreadsUser" });

const username = id(
  /^[a-z0-9._]{1,30}$/,
  "Handle",
  "1 to 30 letters of a to z, digits, `_` or `.`, with or without `@`",
  (given) => given.replace(/^@/, "").toLowerCase(),
);
const postId = id(
  /^(?:[0-9]{15,20}|[A-Za-z0-9_-]{11})$/,
  "Post",
  "a number of 15 to 20 digits, or the 11 letters, digits, `_` or `-` of its address",
  (given) => given.replace(/^([0-9]{15,20})_[0-9]{1,25}$/, "$1"),
);
const query = text(1, 200, "Words to look for");
const paging = page({ most: 50, default: 20 });

export const threads = area({
  name: "threads",
  summary: "Posts, replies and users of the text platform",
  pool: "social",
  operations: [
    operation({
      id: "threads.users.get",
      method: "GET",
      path: "/threads/users/{username}",
      summary: "One user",
      input: z.strictObject({ username }),
      data: threadsUser,
      records: { kind: "one" },
      example: { username: "sample.writer" },
    }),
    operation({
      id: "threads.users.posts",
      method: "GET",
      path: "/threads/users/{username}/posts",
      summary: "Posts of a user",
      description: "A post that its author continues is followed by what continues it.",
      input: z.strictObject({ username, ...paging }),
      data: z.array(threadsPost),
      paginated: true,
      records: perPage,
      example: { username: "sample.writer", limit: 5 },
    }),
    operation({
      id: "threads.users.replies",
      method: "GET",
      path: "/threads/users/{username}/replies",
      summary: "Replies that a user wrote",
      input: z.strictObject({ username, ...paging }),
      data: z.array(threadsReply),
      paginated: true,
      records: perPage,
      example: { username: "sample.writer", limit: 5 },
    }),
    operation({
      id: "threads.users.reposts",
      method: "GET",
      path: "/threads/users/{username}/reposts",
      summary: "Posts that a user reposted",
      input: z.strictObject({ username, ...paging }),
      data: z.array(threadsRepost),
      paginated: true,
      records: perPage,
      example: { username: "sample.writer", limit: 5 },
    }),
    operation({
      id: "threads.posts.get",
      method: "GET",
      path: "/threads/posts/{post_id}",
      summary: "One post",
      input: z.strictObject({ post_id: postId }),
      data: threadsPost,
      records: { kind: "one" },
      example: { post_id: "3877000000000000004" },
    }),
    operation({
      id: "threads.posts.replies",
      method: "GET",
      path: "/threads/posts/{post_id}/replies",
      summary: "Replies to a post",
      description: "Each reply is followed by the replies below it that the platform shows.",
      input: z.strictObject({ post_id: postId, ...paging }),
      data: z.array(threadsReply),
      paginated: true,
      records: perPage,
      example: { post_id: "3877000000000000004", limit: 5 },
    }),
    operation({
      id: "threads.search.top",
      method: "GET",
      path: "/threads/search/top",
      summary: "Posts for a query, the most relevant first",
      input: z.strictObject({ q: query, ...paging }),
      data: z.array(threadsPost),
      paginated: true,
      records: perPage,
      example: { q: "sourdough", limit: 5 },
    }),
    operation({
      id: "threads.search.recent",
      method: "GET",
      path: "/threads/search/recent",
      summary: "Posts for a query, the newest first",
      input: z.strictObject({ q: query, ...paging }),
      data: z.array(threadsPost),
      paginated: true,
      records: perPage,
      example: { q: "sourdough", limit: 5 },
    }),
    operation({
      id: "threads.search.profiles",
      method: "GET",
      path: "/threads/search/profiles",
      summary: "Users for a query",
      description: "The platform shows about ten; there are no further pages.",
      input: z.strictObject({
        q: text(1, 100, "Name or handle to look for"),
        limit: paging.limit,
      }),
      data: z.array(threadsListedUser),
      records: perPage,
      example: { q: "sourdough", limit: 5 },
    }),
  ],
});
