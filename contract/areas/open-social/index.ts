import * as z from "zod";
import { page, perPage, text } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import {
  checkFeed,
  checkInstance,
  checkPost,
  instance,
  networks,
  networkWith,
  openSources,
  postId,
  username,
} from "./networks.ts";
import {
  lemmyPost,
  mastodonPost,
  openSocialFollower,
  openSocialInstance,
  openSocialLink,
  openSocialPost,
  openSocialThreadPost,
  openSocialTopic,
  openSocialUser,
} from "./records.ts";

const all = Object.values(openSources);
const { bluesky, mastodon, lemmy } = openSources;
const list = page({ most: 100, default: 20 });
const withFollowers = ["bluesky", "mastodon"] as const;
const ranked = {
  kind: "list",
  rows: (data: readonly unknown[]) => data,
  most: (input: { limit: number }) => input.limit,
} as const;
const limit = z.int().min(1).max(20).default(10).describe("Most records to return");

export const openSocial = area({
  name: "open-social",
  summary: "Accounts, posts, threads and trends of Bluesky, and of Mastodon and Lemmy instances",
  pool: "social",
  operations: [
    operation({
      id: "open_social.users.get",
      method: "GET",
      path: "/open-social/user",
      summary: "One account",
      input: z
        .strictObject({ network: networkWith("profiles", networks), instance, username })
        .superRefine(checkInstance),
      data: openSocialUser,
      records: { kind: "one" },
      sources: all,
      example: { network: "bluesky", username: "sample.bsky.social" },
    }),
    operation({
      id: "open_social.users.posts",
      method: "GET",
      path: "/open-social/user/posts",
      summary: "Posts and reposts of an account",
      input: z
        .strictObject({
          network: networkWith("posts", networks),
          instance,
          username,
          include_replies: z
            .boolean()
            .default(false)
            .describe("Whether replies to others are listed; Lemmy lists none"),
          ...list,
        })
        .superRefine(checkInstance),
      data: z.array(openSocialPost),
      paginated: true,
      records: perPage,
      sources: all,
      example: { network: "bluesky", username: "sample.bsky.social", limit: 5 },
    }),
    operation({
      id: "open_social.users.followers",
      method: "GET",
      path: "/open-social/user/followers",
      summary: "Accounts that follow an account",
      input: z
        .strictObject({
          network: networkWith("followers", withFollowers),
          instance,
          username,
          ...list,
        })
        .superRefine(checkInstance),
      data: z.array(openSocialFollower),
      paginated: true,
      records: perPage,
      sources: [bluesky, mastodon],
      example: { network: "bluesky", username: "sample.bsky.social", limit: 5 },
    }),
    operation({
      id: "open_social.users.following",
      method: "GET",
      path: "/open-social/user/following",
      summary: "Accounts that an account follows",
      input: z
        .strictObject({
          network: networkWith("followed accounts", withFollowers),
          instance,
          username,
          ...list,
        })
        .superRefine(checkInstance),
      data: z.array(openSocialFollower),
      paginated: true,
      records: perPage,
      sources: [bluesky, mastodon],
      example: { network: "bluesky", username: "sample.bsky.social", limit: 5 },
    }),
    operation({
      id: "open_social.posts.get",
      method: "GET",
      path: "/open-social/post",
      summary: "One post, or a comment of Lemmy",
      input: z
        .strictObject({ network: networkWith("posts", networks), instance, id: postId })
        .superRefine(checkPost),
      data: openSocialPost,
      records: { kind: "one" },
      sources: all,
      example: { network: "mastodon", id: "114000000000002" },
    }),
    operation({
      id: "open_social.posts.thread",
      method: "GET",
      path: "/open-social/post/thread",
      summary: "Posts that a post answers, and the replies to it, without the post itself",
      description:
        "In the order of reading. Mastodon shows 60 replies to callers without an account, Bluesky replies down to the tenth level.",
      input: z
        .strictObject({ network: networkWith("threads", networks), instance, id: postId, ...list })
        .superRefine(checkPost),
      data: z.array(openSocialThreadPost),
      paginated: true,
      records: perPage,
      sources: all,
      example: { network: "mastodon", id: "114000000000002", limit: 5 },
    }),
    operation({
      id: "open_social.feed",
      method: "GET",
      path: "/open-social/feed",
      summary: "The public feed of an instance, or a feed of Bluesky",
      description: "Some instances of Mastodon show their feed to members only.",
      input: z
        .strictObject({
          network: networkWith("feeds", networks),
          instance,
          feed: z
            .string()
            .trim()
            .max(500)
            .regex(/^at:\/\/[A-Za-z0-9_.:-]+\/app\.bsky\.feed\.generator\/[A-Za-z0-9_.~:-]+$/, {
              message: "must be an at:// address of a feed generator",
            })
            .optional()
            .describe("Feed of Bluesky by its at:// address; Discover where it is absent"),
          community: z
            .string()
            .trim()
            .regex(/^[A-Za-z0-9_]{1,255}(@[A-Za-z0-9.-]{1,253})?$/, {
              message: "must be `name` or `name@host`",
            })
            .optional()
            .describe("Only posts of this community of Lemmy, `name` or `name@host`"),
          scope: z
            .enum(["all", "local"])
            .default("all")
            .describe("Posts of all known instances, or of this one; not at Bluesky"),
          ...list,
        })
        .superRefine(checkFeed),
      data: z.array(openSocialPost),
      paginated: true,
      records: perPage,
      sources: all,
      example: { network: "bluesky", limit: 5 },
    }),
    operation({
      id: "open_social.hashtags.posts",
      method: "GET",
      path: "/open-social/hashtag/posts",
      summary: "Posts with a hashtag",
      input: z.strictObject({
        network: networkWith("posts by hashtag", ["mastodon"]).default("mastodon"),
        instance,
        hashtag: z
          .string()
          .trim()
          .overwrite((given) => given.replace(/^#/, ""))
          // Mastodon lets these signs stand between the words of a hashtag.
          .regex(/^#?[\p{L}\p{N}\p{M}_\u00b7\u30fb\u200c]{1,100}$/u, {
            message: "must be one word without spaces",
          })
          .describe("Hashtag, with or without #"),
        ...list,
      }),
      data: z.array(mastodonPost),
      paginated: true,
      records: perPage,
      sources: [mastodon],
      example: { hashtag: "harbour", limit: 5 },
    }),
    operation({
      id: "open_social.search.users",
      method: "GET",
      path: "/open-social/search/users",
      summary: "Accounts that match words",
      description: "Mastodon shows the first 40 to callers without an account.",
      input: z
        .strictObject({
          network: networkWith("search of accounts", networks),
          instance,
          query: text(1, 200, "Words in names and descriptions"),
          ...list,
        })
        .superRefine(checkInstance),
      data: z.array(openSocialUser),
      paginated: true,
      records: perPage,
      sources: all,
      example: { network: "bluesky", query: "harbour", limit: 5 },
    }),
    operation({
      id: "open_social.search.posts",
      method: "GET",
      path: "/open-social/search/posts",
      summary: "Posts that match words",
      description: "Bluesky and Mastodon search posts for members only.",
      input: z.strictObject({
        network: networkWith("search of posts", ["lemmy"]).default("lemmy"),
        instance,
        query: text(1, 200, "Words in titles and texts"),
        ...list,
      }),
      data: z.array(lemmyPost),
      paginated: true,
      records: perPage,
      sources: [lemmy],
      example: { query: "harbour", limit: 5 },
    }),
    operation({
      id: "open_social.trends.topics",
      method: "GET",
      path: "/open-social/trends/topics",
      summary: "Topics or hashtags that many post about",
      input: z
        .strictObject({ network: networkWith("trends", withFollowers), instance, limit })
        .superRefine(checkInstance),
      data: z.array(openSocialTopic),
      records: ranked,
      sources: [bluesky, mastodon],
      example: { network: "bluesky", limit: 5 },
    }),
    operation({
      id: "open_social.trends.links",
      method: "GET",
      path: "/open-social/trends/links",
      summary: "Pages that many accounts of an instance post",
      input: z.strictObject({
        network: networkWith("trending links", ["mastodon"]).default("mastodon"),
        instance,
        limit,
      }),
      data: z.array(openSocialLink),
      records: ranked,
      sources: [mastodon],
      example: { limit: 5 },
    }),
    operation({
      id: "open_social.instance",
      method: "GET",
      path: "/open-social/instance",
      summary: "One instance: its software, size, languages and rules",
      input: z.strictObject({ network: networkWith("instances", ["mastodon", "lemmy"]), instance }),
      data: openSocialInstance,
      records: { kind: "one" },
      sources: [mastodon, lemmy],
      example: { network: "mastodon" },
    }),
  ],
});
