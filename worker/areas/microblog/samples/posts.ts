import {
  englishDate,
  graphAuthor,
  type Layout,
  officialUser,
  type Person,
  person,
} from "./people.ts";
import { vary, type Vary } from "../../../sandbox/vary.ts";

/** Made-up posts in both wire formats. The content of a post follows from its id. */

export interface Traits {
  id: string;
  v: Vary;
  author: Person;
  words: string;
  created: Date;
  /** An embedded post has no further embedded post. */
  isInner: boolean;
  isLong: boolean;
  isReply: boolean;
  isQuote: boolean;
  isRepost: boolean;
  isSensitive: boolean;
  hasPoll: boolean;
  hasArticle: boolean;
  media: ("photo" | "video" | "animated_gif")[];
  isInCommunity: boolean;
  isBare: boolean;
}

interface Given {
  author?: Person | undefined;
  words?: string | undefined;
  community?: string | undefined;
}

/** Kind of a post: 0 bare, 1 a quote, 2 a repost, 3 a reply with a poll, 4 long with an article. */
function kindOf(id: string): number {
  return (Number(id[0]) + Number(id.at(-1))) % 5;
}

/** `digits` with one more digit, which selects the kind of post. */
export function idOfKind(digits: string, kind: number): string {
  return `${digits}${(kind + 10 - Number(digits[0])) % 5}`;
}

/** The account that all others quote and repost. */
const original = person("900000000000000001", "sample_original");

export function traits(id: string, given: Given = {}, isInner = false): Traits {
  const v = vary("microblog", "post", id);
  const kind = kindOf(id);
  const one = (wanted: number) => isInner || kind === wanted;
  return {
    id,
    v,
    author: isInner ? original : (given.author ?? person(v.digits("author", 18))),
    words: given.words ?? "kites",
    created: new Date((1_780_000_000 + 400 * placeOf(id) + v.int("created", 0, 399)) * 1000),
    isInner,
    isLong: one(4),
    isReply: one(3),
    isQuote: one(1),
    isRepost: !isInner && kind === 2,
    isSensitive: kind === 0,
    hasPoll: one(3),
    hasArticle: one(4),
    media: isInner
      ? ["video"]
      : kind === 1
        ? ["photo"]
        : kind === 4
          ? ["video"]
          : kind === 0
            ? ["animated_gif"]
            : [],
    isInCommunity: given.community !== undefined || one(1),
    isBare: kind === 0 && !isInner,
  };
}

/** Ids of a list count down before their last digit, and so do the times: the newest post comes first. */
const placeOf = (id: string) => Number(id.slice(-5, -1));

export function idOfPost(seed: string, index: number): string {
  const prefix = vary("microblog", "posts", seed).digits("prefix", 14);
  return idOfKind(`${prefix}${9999 - index}`, index % 5);
}

const quotedId = (post: Traits) => `${post.v.digits("quoted", 18)}6`;
const repostedId = (post: Traits) => `${post.v.digits("reposted", 18)}7`;
const repliedId = (post: Traits) => post.v.digits("replied", 19);
const replierId = (post: Traits) => post.v.digits("replier", 18);
const communityId = (post: Traits) => post.v.digits("community", 19);
const pollId = (post: Traits) => post.v.digits("poll", 19);
const mediaKey = (post: Traits, index: number) =>
  `${index + 3}_${post.v.digits(`media${index}`, 19)}`;
const image = (post: Traits, name: string) => `https://images.example/${post.id}-${name}.jpg`;
const clip = (post: Traits, rate: number) => `https://videos.example/${post.id}-${rate}.mp4`;

function textOf(post: Traits): string {
  if (post.isRepost) return `RT @sample_original: ${post.words}, cut he…`;
  return `${post.words}: note no. ${post.id} with @sample_friend #Sample https://t.co/link`;
}

const longText = (post: Traits) => `${textOf(post)}\n\nThis one goes on beyond the usual length.`;

const link = (post: Traits) => ({
  url: "https://t.co/link",
  expanded_url: `https://blog.example/${post.id}`,
  display_url: `blog.example/${post.id}`,
});

const figures = (post: Traits) => ({
  likes: post.v.int("likes", 0, 90_000),
  replies: post.v.int("replies", 0, 900),
  reposts: post.v.int("reposts", 0, 9000),
  quotes: post.v.int("quotes", 0, 900),
  bookmarks: post.v.int("bookmarks", 0, 900),
  views: post.v.int("views", 1000, 9_000_000),
});

/** `includes` of X's own API. */
export interface Includes {
  users: unknown[];
  tweets: unknown[];
  media: unknown[];
  polls: unknown[];
}

/** Each user occurs once, even the author of several posts. */
export const newIncludes = (): Includes => ({
  users: [officialUser(original)],
  tweets: [],
  media: [],
  polls: [],
});

export function officialPost(post: Traits, includes: Includes): unknown {
  const n = figures(post);
  const references = [
    ...(post.isReply ? [{ type: "replied_to", id: repliedId(post) }] : []),
    ...(post.isQuote ? [{ type: "quoted", id: quotedId(post) }] : []),
    ...(post.isRepost ? [{ type: "retweeted", id: repostedId(post) }] : []),
  ];
  // A suspended author is missing from the includes.
  if (!post.isBare && !post.isInner) includes.users.push(officialUser(post.author));
  if (!post.isInner) {
    for (const id of [
      ...(post.isQuote ? [quotedId(post)] : []),
      ...(post.isRepost ? [repostedId(post)] : []),
    ]) {
      includes.tweets.push(officialPost(traits(id, {}, true), includes));
    }
  }
  includes.media.push(...post.media.map((type, index) => officialMedia(post, type, index)));
  if (post.hasPoll) includes.polls.push(officialPoll(post));
  const attachments = {
    ...(post.media.length > 0 ? { media_keys: post.media.map((_, i) => mediaKey(post, i)) } : {}),
    ...(post.hasPoll ? { poll_ids: [pollId(post)] } : {}),
  };
  const tags = { hashtags: [{ start: 0, end: 7, tag: "Sample" }] };
  return {
    id: post.id,
    edit_history_tweet_ids: [post.id],
    text: textOf(post),
    author_id: post.author.id,
    conversation_id: post.isReply ? repliedId(post) : post.id,
    created_at: post.created.toISOString(),
    possibly_sensitive: post.isSensitive,
    public_metrics: {
      retweet_count: n.reposts,
      reply_count: n.replies,
      like_count: n.likes,
      quote_count: n.quotes,
      bookmark_count: n.bookmarks,
      impression_count: n.views,
    },
    ...(post.isBare
      ? {}
      : {
          lang: "en",
          source: "Sample Web App",
          entities: {
            ...tags,
            mentions: [{ start: 0, end: 9, username: "sample_friend" }],
            urls: [
              { start: 0, end: 17, ...link(post) },
              ...post.media.map((_, index) => ({
                url: "https://t.co/media",
                expanded_url: `https://x.com/i/status/${post.id}/photo/1`,
                display_url: "pic.x.com/sample",
                media_key: mediaKey(post, index),
              })),
            ],
          },
        }),
    ...(references.length > 0 ? { referenced_tweets: references } : {}),
    ...(post.isReply ? { in_reply_to_user_id: replierId(post) } : {}),
    ...(Object.keys(attachments).length > 0 ? { attachments } : {}),
    ...(post.isInCommunity ? { community_id: communityId(post) } : {}),
    ...(post.isLong ? { note_tweet: { text: longText(post) } } : {}),
    ...(post.hasArticle ? { article: { title: `Notes ${post.id}` } } : {}),
  };
}

function officialMedia(post: Traits, type: string, index: number): unknown {
  const base = {
    media_key: mediaKey(post, index),
    type,
    width: 1280,
    height: post.v.pick(`height${index}`, [720, 960]),
  };
  if (type === "photo") {
    return { ...base, url: image(post, "photo"), alt_text: `A photo to post ${post.id}` };
  }
  return {
    ...base,
    preview_image_url: image(post, "preview"),
    duration_ms: post.v.int("duration", 2000, 90_000),
    variants: [
      { content_type: "application/x-mpegURL", url: `https://videos.example/${post.id}.m3u8` },
      { bit_rate: 2_176_000, content_type: "video/mp4", url: clip(post, 2176) },
      { bit_rate: 256_000, content_type: "video/mp4", url: clip(post, 256) },
    ],
    ...(post.isInner ? { alt_text: `A video to post ${post.id}` } : {}),
    public_metrics: { view_count: post.v.int("plays", 100, 90_000) },
  };
}

function officialPoll(post: Traits): unknown {
  const isOpen = post.v.int("open", 0, 1) === 1;
  return {
    id: pollId(post),
    voting_status: isOpen ? "open" : "closed",
    duration_minutes: 1440,
    end_datetime: new Date(post.created.getTime() + 86_400_000).toISOString(),
    options: ["Red", "Blue"].map((label, index) => ({
      position: index + 1,
      label,
      votes: post.v.int(`votes${index}`, 0, 500),
    })),
  };
}

/** Posts come in every style; the kind of a post decides its style. */
const layoutOfKind: readonly Layout[] = ["legacy", "snake", "camel", "legacy", "snake"];

/** A post as the platform's own object. */
export function graphPost(post: Traits, community?: string): unknown {
  const layout = post.isInner ? "legacy" : (layoutOfKind[kindOf(post.id)] as Layout);
  const isCamel = layout === "camel";
  const n = figures(post);
  const inner = (id: string) => ({ result: graphPost(traits(id, {}, true)) });
  const views = { count: String(n.views), state: "EnabledWithCount" };
  const inCommunity = community ?? communityId(post);
  const entities = {
    hashtags: [{ indices: [0, 7], text: "Sample" }],
    symbols: [],
    user_mentions: [
      { id_str: "1", name: "Friend", screen_name: "sample_friend", indices: [8, 22] },
    ],
    urls: [{ ...link(post), indices: [23, 46] }],
  };
  return {
    __typename: "Tweet",
    rest_id: post.id,
    core: { user_results: { result: graphAuthor(post.author, layout) } },
    ...(isCamel ? { views } : { view_count_info: views }),
    ...(post.isBare
      ? {}
      : { source: '<a href="https://app.example" rel="nofollow">Sample App</a>' }),
    ...(post.isLong
      ? {
          note_tweet: {
            is_expandable: true,
            note_tweet_results: { result: { entity_set: entities, text: longText(post) } },
          },
        }
      : {}),
    ...(post.isQuote
      ? { [isCamel ? "quoted_status_result" : "quoted_tweet_results"]: innerOrId(post, inner) }
      : {}),
    ...(post.isInCommunity
      ? isCamel
        ? { community_results: { result: { __typename: "Community", id_str: inCommunity } } }
        : { community_membership: { rest_id: inCommunity } }
      : {}),
    ...(post.hasPoll ? { card: graphPoll(post) } : {}),
    ...(post.hasArticle ? { article: { article_results: { result: { rest_id: "1" } } } } : {}),
    legacy: {
      id_str: post.id,
      user_id_str: post.author.id,
      full_text: textOf(post),
      created_at: englishDate(post.created),
      conversation_id_str: post.isReply ? repliedId(post) : post.id,
      is_quote_status: post.isQuote,
      favorite_count: n.likes,
      reply_count: n.replies,
      retweet_count: n.reposts,
      quote_count: n.quotes,
      bookmark_count: n.bookmarks,
      entities: post.isBare ? { hashtags: [], urls: [], user_mentions: [] } : entities,
      ...(post.isSensitive ? { possibly_sensitive: true } : {}),
      ...(post.isBare ? {} : { lang: "en" }),
      ...(post.isReply
        ? { in_reply_to_status_id_str: repliedId(post), in_reply_to_user_id_str: replierId(post) }
        : {}),
      ...(post.isQuote ? { quoted_status_id_str: quotedId(post) } : {}),
      ...(post.isRepost
        ? {
            [isCamel ? "retweeted_status_result" : "retweeted_status_results"]: inner(
              repostedId(post),
            ),
          }
        : {}),
      ...(post.media.length > 0
        ? {
            extended_entities: {
              media: post.media.map((type, index) => graphMedia(post, type, index)),
            },
          }
        : {}),
    },
  };
}

function innerOrId(post: Traits, inner: (id: string) => unknown): unknown {
  return post.isInner ? { rest_id: quotedId(post) } : inner(quotedId(post));
}

function graphMedia(post: Traits, type: string, index: number): unknown {
  const base = {
    type,
    id_str: mediaKey(post, index).slice(2),
    media_key: mediaKey(post, index),
    url: "https://t.co/media",
    media_url_https: image(post, type === "photo" ? "photo" : "preview"),
    original_info: { width: 1280, height: post.v.pick(`height${index}`, [720, 960]) },
  };
  if (type === "photo") return { ...base, ext_alt_text: `A photo to post ${post.id}` };
  return {
    ...base,
    ...(post.isInner ? { ext_alt_text: `A video to post ${post.id}` } : {}),
    mediaStats: { viewCount: String(post.v.int("plays", 100, 90_000)) },
    video_info: {
      aspect_ratio: [16, 9],
      duration_millis: post.v.int("duration", 2000, 90_000),
      variants: [
        { content_type: "application/x-mpegURL", url: `https://videos.example/${post.id}.m3u8` },
        { bitrate: 256_000, content_type: "video/mp4", url: clip(post, 256) },
        { bitrate: 2_176_000, content_type: "video/mp4", url: clip(post, 2176) },
      ],
    },
  };
}

function graphPoll(post: Traits): unknown {
  const text = (key: string, value: string) => ({
    key,
    value: { string_value: value, type: "STRING" },
  });
  const end = new Date(post.created.getTime() + 86_400_000);
  return {
    rest_id: `card://${pollId(post)}`,
    legacy: {
      name: "poll2choice_text_only",
      url: `card://${pollId(post)}`,
      binding_values: [
        text("choice1_label", "Red"),
        text("choice1_count", String(post.v.int("votes0", 0, 500))),
        text("choice2_label", "Blue"),
        text("choice2_count", String(post.v.int("votes1", 0, 500))),
        text("end_datetime_utc", end.toISOString().replace(".000", "")),
        text("duration_minutes", "1440"),
        {
          key: "counts_are_final",
          value: { boolean_value: post.v.int("open", 0, 1) === 0, type: "BOOLEAN" },
        },
      ],
    },
  };
}
