import type {
  MicroblogAuthor,
  MicroblogCommunityMember,
  MicroblogEmbeddedPost,
  MicroblogMedia,
  MicroblogPoll,
  MicroblogPost,
  MicroblogUser,
} from "../../../contract/areas/microblog/records.ts";
import { type Wire, at, boolean, count, defined, each, id, need, object, text } from "#wire";
import {
  avatar,
  distinct,
  postUrl,
  time,
  userUrl,
  verification,
  written,
  writtenCount,
} from "./value.map.ts";

/**
 * The platform's own objects, as in its web interface. Users come in two layouts and keys in two styles,
 * even within one answer; every reader here accepts all of them.
 */

/** Type names of placeholders for deleted, withheld or private records. */
const gone = /^(TweetTombstone|TweetUnavailable|UserUnavailable|CommunityUnavailable)$/;

/** The record in a `…_results` wrapper; undefined where none is visible. */
export function resultOf(holder: unknown): Wire | undefined {
  const result = object(at(holder, "result"));
  if (!result || gone.test(text(result.__typename) ?? "")) return undefined;
  // Posts with limited actions lie one level deeper.
  const inner = object(result.tweet);
  const isWrapped =
    result.__typename === "TweetWithVisibilityResults" || result.rest_id === undefined;
  if (!inner || !isWrapped) return Object.keys(result).length === 0 ? undefined : result;
  return gone.test(text(inner.__typename) ?? "") ? undefined : inner;
}

/** The user in a wrapper; undefined when suspended or deleted. */
export function userIn(holder: unknown): MicroblogUser | undefined {
  const result = resultOf(holder);
  return result && user(result, at(holder, "rest_id"));
}

function user(row: Wire, outerId: unknown): MicroblogUser {
  const userId = need(id(row.rest_id) ?? id(outerId), "user.rest_id");
  const legacy = object(row.legacy);
  const named = names(row);
  const mark = object(row.verification);
  const isBlue = row.is_blue_verified === true || mark?.is_blue_verified === true;
  return defined({
    id: userId,
    ...named,
    description: text(at(row, "profile_bio", "description")) ?? text(legacy?.description),
    location: text(at(row, "location", "location")) ?? text(legacy?.location),
    url:
      text(at(row, "profile_bio", "entities", "url", "urls", 0, "expanded_url")) ??
      text(at(legacy, "entities", "url", "urls", 0, "expanded_url")) ??
      text(at(row, "website", "url")) ??
      text(legacy?.url),
    banner_url: text(at(row, "banner", "image_url")) ?? text(legacy?.profile_banner_url),
    create_time: time(at(row, "core", "created_at")) ?? time(legacy?.created_at),
    ...verification(
      mark?.verified_type ?? legacy?.verified_type,
      [mark?.verified, legacy?.verified],
      isBlue,
    ),
    is_protected: boolean(at(row, "privacy", "protected")) ?? boolean(legacy?.protected) ?? false,
    follower_count:
      count(at(row, "relationship_counts", "followers")) ?? count(legacy?.followers_count),
    following_count:
      count(at(row, "relationship_counts", "following")) ?? count(legacy?.friends_count),
    post_count: count(at(row, "tweet_counts", "tweets")) ?? count(legacy?.statuses_count),
    media_count: count(at(row, "tweet_counts", "media_tweets")) ?? count(legacy?.media_count),
    like_count:
      count(at(row, "action_counts", "favorites_count")) ?? count(legacy?.favourites_count),
    listed_count: count(legacy?.listed_count),
    pinned_post_id:
      id(at(row, "pinned_items", "tweet_ids_str", 0)) ?? id(at(legacy, "pinned_tweet_ids_str", 0)),
    share_url: userUrl(named.username, userId),
  });
}

function names(row: Wire) {
  return defined({
    username: text(at(row, "core", "screen_name")) ?? text(at(row, "legacy", "screen_name")),
    display_name: text(at(row, "core", "name")) ?? text(at(row, "legacy", "name")),
    avatar_url:
      avatar(at(row, "avatar", "image_url")) ??
      avatar(at(row, "legacy", "profile_image_url_https")),
  });
}

/** A member of a community: a user beside the role, or a relationship that contains both. */
export function memberIn(holder: unknown): MicroblogCommunityMember | undefined {
  const outer = object(at(holder, "result"));
  const relationship = object(outer?.community_relationship) ?? object(holder);
  const inner = object(relationship?.user_results);
  const member = inner ? userIn(inner) : userIn(holder);
  const role = text(inner ? relationship?.role : outer?.community_role)?.toLowerCase();
  return member && defined({ ...member, community_role: role });
}

/** The post in a wrapper; undefined when deleted, withheld or private. */
export function postIn(holder: unknown): MicroblogPost | undefined {
  const row = resultOf(holder);
  if (!row) return undefined;
  const inner = (held: unknown) => {
    const result = resultOf(held);
    return result && id(result.rest_id) !== undefined ? embeddedPost(result, undefined) : undefined;
  };
  return defined({
    ...embeddedPost(row, at(holder, "rest_id")),
    quoted_post: inner(quotedIn(row)),
    reposted_post_id: idIn(repostedIn(row)),
    reposted_post: inner(repostedIn(row)),
  });
}

const quotedIn = (row: Wire) =>
  object(row.quoted_tweet_results) ?? object(row.quoted_status_result);
const repostedIn = (row: Wire) =>
  object(at(row, "legacy", "retweeted_status_results")) ??
  object(at(row, "legacy", "retweeted_status_result"));

const idIn = (holder: unknown) => id(resultOf(holder)?.rest_id) ?? id(at(holder, "rest_id"));

function embeddedPost(row: Wire, outerId: unknown): MicroblogEmbeddedPost {
  const postId = need(id(row.rest_id) ?? id(outerId), "tweet.rest_id");
  const legacy = object(row.legacy);
  const author = authorIn(row);
  const note = object(at(row, "note_tweet", "note_tweet_results", "result"));
  const entities = object(note?.entity_set) ?? legacy?.entities;
  const replyTo = id(legacy?.in_reply_to_status_id_str);
  return defined({
    id: postId,
    // Only the short text is escaped: the note beside it has the same signs as they were typed.
    text: text(note?.text) ?? written(legacy?.full_text),
    lang: text(legacy?.lang),
    create_time: time(legacy?.created_at),
    author,
    share_url: postUrl(author?.username, postId),
    conversation_id: id(legacy?.conversation_id_str),
    is_reply: replyTo !== undefined,
    is_repost: repostedIn(row) !== undefined,
    is_quote: boolean(legacy?.is_quote_status) ?? false,
    in_reply_to_post_id: replyTo,
    in_reply_to_user_id: id(legacy?.in_reply_to_user_id_str),
    quoted_post_id: idIn(quotedIn(row)) ?? id(legacy?.quoted_status_id_str),
    community_id:
      id(at(row, "community_results", "result", "id_str")) ??
      id(at(row, "community_results", "result", "rest_id")) ??
      id(at(row, "community_membership", "rest_id")),
    ...figuresIn(row),
    hashtags: distinct(each(at(entities, "hashtags"), (entry) => text(at(entry, "text")))),
    mentions: distinct(
      each(at(entities, "user_mentions"), (entry) => text(at(entry, "screen_name"))),
    ),
    urls: each(at(entities, "urls"), (entry) => {
      const url = text(at(entry, "url"));
      return url === undefined
        ? undefined
        : defined({
            url,
            expanded_url: text(at(entry, "expanded_url")),
            display_url: text(at(entry, "display_url")),
          });
    }),
    media: each(at(legacy, "extended_entities", "media") ?? at(legacy, "entities", "media"), media),
    poll: pollIn(row.card),
    has_article: object(row.article) !== undefined,
    is_sensitive: boolean(legacy?.possibly_sensitive) ?? false,
    source: text(text(row.source)?.replace(/<[^<>]{0,500}>/g, "")),
  });
}

/** The counts of a post, also shown by an article. */
export function figuresIn(row: Wire) {
  const legacy = row.legacy;
  return defined({
    like_count: count(at(legacy, "favorite_count")),
    reply_count: count(at(legacy, "reply_count")),
    repost_count: count(at(legacy, "retweet_count")),
    quote_count: count(at(legacy, "quote_count")),
    bookmark_count: count(at(legacy, "bookmark_count")),
    view_count:
      writtenCount(at(row, "views", "count")) ?? writtenCount(at(row, "view_count_info", "count")),
  });
}

export function authorIn(row: Wire): MicroblogAuthor | undefined {
  const holder = at(row, "core", "user_results");
  const result = resultOf(holder);
  const authorId =
    id(result?.rest_id) ?? id(at(holder, "rest_id")) ?? id(at(row, "legacy", "user_id_str"));
  if (authorId === undefined) return undefined;
  return { id: authorId, ...(result ? names(result) : {}) };
}

function media(entry: unknown): MicroblogMedia | undefined {
  const item = object(entry);
  const type = text(item?.type);
  if (!item || type === undefined) return undefined;
  const picture = text(item.media_url_https);
  const isPhoto = type === "photo";
  const duration = count(at(item, "video_info", "duration_millis"));
  return defined({
    type: type === "animated_gif" ? "gif" : type,
    url: isPhoto ? picture : bestVariant(at(item, "video_info", "variants")),
    preview_image_url: isPhoto ? undefined : picture,
    width: count(at(item, "original_info", "width")),
    height: count(at(item, "original_info", "height")),
    duration: duration === undefined ? undefined : Math.round(duration / 1000),
    alt_text: text(item.ext_alt_text),
    view_count:
      writtenCount(at(item, "mediaStats", "viewCount")) ??
      writtenCount(at(item, "media_stats", "view_count")),
  });
}

function bestVariant(variants: unknown): string | undefined {
  const files = each(variants, (entry) => {
    const url = text(at(entry, "url"));
    return url === undefined ? undefined : { url, rate: count(at(entry, "bitrate")) ?? -1 };
  });
  return files.sort((a, b) => b.rate - a.rate)[0]?.url;
}

/** A poll, which is a card with a list of keys and values; all values but one are texts. */
function pollIn(card: unknown): MicroblogPoll | undefined {
  const name = text(at(card, "legacy", "name"));
  if (name === undefined || !/^poll\dchoice_/.test(name)) return undefined;
  const values = new Map(
    each(at(card, "legacy", "binding_values"), (entry) => {
      const key = text(at(entry, "key"));
      return key === undefined ? undefined : ([key, at(entry, "value")] as const);
    }),
  );
  const valueOf = (key: string) => text(at(values.get(key), "string_value"));
  const isFinal = boolean(at(values.get("counts_are_final"), "boolean_value"));
  return defined({
    id: /^card:\/\/(\d+)$/.exec(
      text(at(card, "rest_id")) ?? text(at(card, "legacy", "url")) ?? "",
    )?.[1],
    options: [1, 2, 3, 4].flatMap((n) => {
      const label = written(valueOf(`choice${n}_label`));
      const votes = writtenCount(valueOf(`choice${n}_count`));
      return label === undefined ? [] : [defined({ label, vote_count: votes })];
    }),
    end_time: time(valueOf("end_datetime_utc")),
    is_open: isFinal === undefined ? undefined : !isFinal,
  });
}
