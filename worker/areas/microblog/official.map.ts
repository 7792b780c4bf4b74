import type {
  MicroblogArticle,
  MicroblogAuthor,
  MicroblogCommunity,
  MicroblogEmbeddedPost,
  MicroblogMedia,
  MicroblogPoll,
  MicroblogPost,
  MicroblogTrend,
  MicroblogUser,
} from "../../../contract/areas/microblog/records.ts";
import {
  type Wire,
  array,
  at,
  boolean,
  count,
  defined,
  each,
  found,
  id,
  need,
  object,
  rows,
  text,
} from "#wire";
import { avatar, distinct, postUrl, time, userUrl, verification, written } from "./value.map.ts";

/**
 * X API v2. Posts refer to authors, media and other posts by id; `includes` contains these, and missing
 * ones are normal. Field names of both versions of the API are read.
 */

const absentTypes = /\/(resource-not-found|not-authorized-for-resource)$/;

/** A single look-up; 200 with `errors` alone means unknown or private. */
function single(body: unknown, thing: string): Wire {
  const data = at(body, "data");
  if (data === undefined && isAbsent(body)) return found<never>(undefined, thing);
  return need(object(data), "data");
}

function isAbsent(body: unknown): boolean {
  return absentTypes.test(text(at(body, "errors", 0, "type")) ?? "");
}

export interface OfficialPage<Row> {
  rows: Row[];
  next: string | undefined;
}

function page<Row>(
  body: unknown,
  owner: string,
  read: (row: Wire, includes: Includes) => Row,
): OfficialPage<Row> {
  const data = at(body, "data");
  // An empty list has no `data` at all.
  const isEmpty = data === undefined && count(at(body, "meta", "result_count")) === 0;
  if (data === undefined && !isEmpty && isAbsent(body)) return found<never>(undefined, owner);
  const includes = includesOf(body);
  const meta = object(at(body, "meta"));
  return {
    rows: isEmpty ? [] : rows(data, "data", (row) => read(row, includes)),
    // The last page has `meta` as well, without a token.
    next: text((isEmpty ? meta : need(meta, "meta"))?.next_token),
  };
}

/** Records requested by ids or names; `errors` lists the unknown ones. */
function batch<Row>(body: unknown, read: (row: Wire, includes: Includes) => Row): Row[] {
  const data = at(body, "data");
  if (data === undefined && array(at(body, "errors")) !== undefined) return [];
  const includes = includesOf(body);
  return rows(data, "data", (row) => read(row, includes));
}

export const postPage = (body: unknown, owner: string) => page(body, owner, post);
export const userPage = (body: unknown, owner: string) => page(body, owner, user);
export const idPage = (body: unknown, owner: string) =>
  page(body, owner, (row) => need(id(row.id), "data[].id"));
export const postBatch = (body: unknown) => batch(body, post);
export const userBatch = (body: unknown) => batch(body, user);
export const onePost = (body: unknown) => post(single(body, "post"), includesOf(body));
export const oneUser = (body: unknown) => user(single(body, "user"));

interface Includes {
  users: Map<string, Wire>;
  posts: Map<string, Wire>;
  media: Map<string, Wire>;
  polls: Map<string, Wire>;
}

function includesOf(body: unknown): Includes {
  const index = (names: string[], key: string) =>
    new Map(
      names.flatMap((name) =>
        each(at(body, "includes", name), (entry) => {
          const thing = object(entry);
          const name = id(thing?.[key]);
          return thing && name !== undefined ? ([name, thing] as const) : undefined;
        }),
      ),
    );
  return {
    users: index(["users"], "id"),
    posts: index(["tweets", "posts"], "id"),
    media: index(["media"], "media_key"),
    polls: index(["polls"], "id"),
  };
}

function post(row: Wire, includes: Includes): MicroblogPost {
  const own = embeddedPost(row, includes);
  const repostedId = referenceOf(row, "retweeted").id;
  const inner = (postId: string | undefined) => {
    const included = postId === undefined ? undefined : includes.posts.get(postId);
    return included && embeddedPost(included, includes);
  };
  return defined({
    ...own,
    quoted_post: inner(own.quoted_post_id),
    reposted_post_id: repostedId,
    reposted_post: inner(repostedId),
  });
}

function referenceOf(row: Wire, type: string): { is: boolean; id: string | undefined } {
  const references = array(row.referenced_tweets) ?? array(row.referenced_posts) ?? [];
  const reference = references.find((entry) => at(entry, "type") === type);
  return { is: reference !== undefined, id: id(at(reference, "id")) };
}

function embeddedPost(row: Wire, includes: Includes): MicroblogEmbeddedPost {
  const postId = need(id(row.id), "data[].id");
  const author = authorOf(row, includes);
  const note = object(row.note_tweet) ?? object(row.note_post);
  const entities = object(note?.entities) ?? row.entities;
  const reply = referenceOf(row, "replied_to");
  const quote = referenceOf(row, "quoted");
  const figures = row.public_metrics;
  return defined({
    id: postId,
    text: written(note?.text) ?? written(row.text),
    lang: text(row.lang),
    create_time: time(row.created_at),
    author,
    share_url: postUrl(author?.username, postId),
    conversation_id: id(row.conversation_id),
    is_reply: reply.is,
    is_repost: referenceOf(row, "retweeted").is,
    is_quote: quote.is,
    in_reply_to_post_id: reply.id,
    in_reply_to_user_id: id(row.in_reply_to_user_id),
    quoted_post_id: quote.id,
    community_id: id(row.community_id),
    ...figuresOf(figures),
    hashtags: distinct(each(at(entities, "hashtags"), (entry) => text(at(entry, "tag")))),
    mentions: distinct(each(at(entities, "mentions"), (entry) => text(at(entry, "username")))),
    urls: each(at(entities, "urls"), link),
    media: each(at(row, "attachments", "media_keys"), (key) => {
      const item = includes.media.get(id(key) ?? "");
      return item && media(item);
    }),
    poll: pollOf(row, includes),
    has_article: object(row.article) !== undefined,
    is_sensitive: boolean(row.possibly_sensitive) ?? false,
    source: text(row.source),
  });
}

function figuresOf(figures: unknown) {
  return {
    like_count: count(at(figures, "like_count")),
    reply_count: count(at(figures, "reply_count")),
    repost_count: count(at(figures, "retweet_count")) ?? count(at(figures, "repost_count")),
    quote_count: count(at(figures, "quote_count")),
    bookmark_count: count(at(figures, "bookmark_count")),
    view_count: count(at(figures, "impression_count")),
  };
}

/** Suspended authors are missing from the includes. */
function authorOf(row: Wire, includes: Includes): MicroblogAuthor | undefined {
  const authorId = id(row.author_id);
  if (authorId === undefined) return undefined;
  const included = includes.users.get(authorId);
  return defined({
    id: authorId,
    username: text(included?.username),
    display_name: text(included?.name),
    avatar_url: avatar(included?.profile_image_url),
  });
}

/** True for a link to the post's own media: it has a media key, or in old answers the platform's picture host. */
function link(entry: unknown) {
  const url = text(at(entry, "url"));
  const display = text(at(entry, "display_url"));
  if (url === undefined || at(entry, "media_key") !== undefined) return undefined;
  if (display !== undefined && /^pic\.(x|twitter)\.com\//.test(display)) return undefined;
  return defined({ url, expanded_url: text(at(entry, "expanded_url")), display_url: display });
}

function media(item: Wire): MicroblogMedia | undefined {
  const type = text(item.type);
  if (type === undefined) return undefined;
  const duration = count(item.duration_ms);
  return defined({
    type: type === "animated_gif" ? "gif" : type,
    // Videos have no URL, only variants.
    url: text(item.url) ?? bestVariant(item.variants),
    preview_image_url: text(item.preview_image_url),
    width: count(item.width),
    height: count(item.height),
    duration: duration === undefined ? undefined : Math.round(duration / 1000),
    alt_text: text(item.alt_text),
    view_count: count(at(item, "public_metrics", "view_count")),
  });
}

function bestVariant(variants: unknown): string | undefined {
  const files = each(variants, (entry) => {
    const url = text(at(entry, "url"));
    return url === undefined ? undefined : { url, rate: count(at(entry, "bit_rate")) ?? -1 };
  });
  return files.sort((a, b) => b.rate - a.rate)[0]?.url;
}

function pollOf(row: Wire, includes: Includes): MicroblogPoll | undefined {
  const pollId = id(at(row, "attachments", "poll_ids", 0));
  const item = pollId === undefined ? undefined : includes.polls.get(pollId);
  if (!item) return undefined;
  const status = text(item.voting_status);
  return defined({
    id: pollId,
    options: each(item.options, (entry) => {
      const label = written(at(entry, "label"));
      return label === undefined
        ? undefined
        : defined({ label, vote_count: count(at(entry, "votes")) });
    }),
    end_time: time(item.end_datetime),
    is_open: status === undefined ? undefined : status === "open",
  });
}

function user(row: Wire): MicroblogUser {
  const userId = need(id(row.id), "data[].id");
  const username = text(row.username);
  const figures = row.public_metrics;
  return defined({
    id: userId,
    username,
    display_name: text(row.name),
    description: text(row.description),
    location: text(row.location),
    url: text(at(row, "entities", "url", "urls", 0, "expanded_url")) ?? text(row.url),
    avatar_url: avatar(row.profile_image_url),
    banner_url: text(row.profile_banner_url),
    create_time: time(row.created_at),
    ...verification(row.verified_type, [row.verified], false),
    is_protected: boolean(row.protected) ?? false,
    follower_count: count(at(figures, "followers_count")),
    following_count: count(at(figures, "following_count")),
    post_count: count(at(figures, "tweet_count")) ?? count(at(figures, "post_count")),
    media_count: count(at(figures, "media_count")),
    like_count: count(at(figures, "like_count")),
    listed_count: count(at(figures, "listed_count")),
    pinned_post_id: id(row.pinned_tweet_id) ?? id(row.pinned_post_id),
    share_url: userUrl(username, userId),
  });
}

export function community(body: unknown): MicroblogCommunity {
  const row = single(body, "community");
  const communityId = need(id(row.id), "data.id");
  return defined({
    id: communityId,
    name: text(row.name),
    description: text(row.description),
    create_time: time(row.created_at),
    member_count: count(row.member_count),
    join_policy: text(row.join_policy),
    access: text(row.access),
    share_url: `https://x.com/i/communities/${communityId}`,
  });
}

/** Trends in rank order; the API does not number them. */
export function trends(body: unknown): MicroblogTrend[] {
  const data = at(body, "data");
  const isEmpty = data === undefined && object(at(body, "meta")) !== undefined;
  if (data === undefined && !isEmpty && isAbsent(body)) return found<never>(undefined, "place");
  const ranked = (isEmpty ? [] : need(array(data), "data")).map((row, index) => ({ row, index }));
  return rows(ranked, "data", ({ row, index }) => {
    const name = need(text(at(row, "trend_name")), "data[].trend_name");
    const posts = count(at(row, "tweet_count")) ?? count(at(row, "post_count"));
    return defined({
      name,
      rank: (index as number) + 1,
      query: name,
      post_count: posts,
      post_count_is_approximate: posts === undefined ? undefined : false,
      share_url: `https://x.com/search?q=${encodeURIComponent(name)}`,
    });
  });
}

/** An article. Its fields are undocumented: title, plain text and addresses were seen. */
export function article(body: unknown): MicroblogArticle {
  const row = single(body, "post");
  const postId = need(id(row.id), "data.id");
  const held = object(row.article) ?? {};
  if (Object.keys(held).length === 0) return found<never>(undefined, "article");
  const author = authorOf(row, includesOf(body));
  const plain = text(held.plain_text) ?? text(held.text);
  return defined({
    post_id: postId,
    title: text(held.title),
    preview_text: text(held.preview_text),
    create_time: time(row.created_at),
    author,
    text: plain,
    blocks: (plain ?? "")
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => ({ type: "unstyled", text: line })),
    links: distinct(each(at(held, "entities", "urls"), (entry) => text(at(entry, "expanded_url")))),
    images: [],
    share_url: postUrl(author?.username, postId),
    ...figuresOf(row.public_metrics),
  });
}
