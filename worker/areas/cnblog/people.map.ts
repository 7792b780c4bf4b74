import type {
  CnblogAuthor,
  CnblogComment,
  CnblogReply,
  CnblogUser,
} from "../../../contract/areas/cnblog/records.ts";
import {
  type Wire,
  array,
  at,
  boolean,
  count,
  defined,
  each,
  id,
  integer,
  need,
  object,
  text,
} from "#wire";
import { chineseCount } from "../../mapping/chinese-count.map.ts";
import { timeOf } from "./time.map.ts";
import { plain } from "../../mapping/markup.map.ts";

/** A user of either style: profile or entry of a list. */
export function user(row: Wire): CnblogUser {
  const uid = need(uidOf(row), "user.idstr");
  const gender: CnblogUser["gender"] =
    row.gender === "m" || row.gender === "f" ? row.gender : undefined;
  return defined({
    id: uid,
    username: text(row.domain),
    display_name: text(row.screen_name),
    avatar_url: avatar(row),
    description: text(row.description),
    url: `https://weibo.com/u/${uid}`,
    follower_count: chineseCount(row.followers_count),
    following_count: chineseCount(row.friends_count) ?? chineseCount(row.follow_count),
    post_count: chineseCount(row.statuses_count),
    gender,
    location: text(row.location),
    is_verified: boolean(row.verified),
    verified_reason: text(row.verified_reason),
    verified_type: integer(row.verified_type),
    cover_image_url: text(row.cover_image_phone),
  });
}

export function author(value: unknown): CnblogAuthor | undefined {
  const row = object(value);
  const uid = row && uidOf(row);
  if (!row || uid === undefined) return undefined;
  return defined({
    id: uid,
    username: text(row.domain),
    display_name: text(row.screen_name),
    avatar_url: avatar(row),
  });
}

export function uidOf(row: Wire): string | undefined {
  return text(row.idstr) ?? id(row.id);
}

function avatar(row: Wire): string | undefined {
  return text(row.avatar_hd) ?? text(row.avatar_large) ?? text(row.profile_image_url);
}

/** `now` in milliseconds, for relative times. */
export function comment(row: Wire, postId: string, now: number): CnblogComment {
  const replies = each(row.comments, (entry) => {
    const inner = object(entry);
    return inner && commentId(inner) !== undefined ? reply(inner, postId, now) : undefined;
  });
  return defined({
    ...reply(row, postId, now),
    reply_count: chineseCount(row.total_number),
    // `comments` is false where there are none.
    replies: replies.length > 0 ? replies : undefined,
  });
}

function reply(row: Wire, postId: string, now: number): CnblogReply {
  const written = text(row.text_raw) ?? (text(row.text) && plain(row.text as string)) ?? "";
  const images = pictures(row);
  return defined({
    id: need(commentId(row), "idstr"),
    post_id: postId,
    text: written.trim(),
    create_time: timeOf(row.created_at, now),
    like_count: chineseCount(row.like_counts) ?? chineseCount(row.like_count),
    author: author(row.user),
    region: text(text(row.source)?.replace(/^来自/, "")),
    floor: count(row.floor_number),
    images: images.length > 0 ? images : undefined,
    is_author_liked: boolean(row.isLikedByMblogAuthor),
  });
}

function commentId(row: Wire): string | undefined {
  return text(row.idstr) ?? id(row.id);
}

function pictures(row: Wire): string[] {
  const infos = array(row.pic_infos) ?? Object.values(object(row.pic_infos) ?? {});
  const found = each(infos, pictureUrl);
  return found.length > 0 ? found : each([row.pic], pictureUrl);
}

/** The largest size of a picture. */
export function pictureUrl(value: unknown): string | undefined {
  return (
    text(at(value, "largest", "url")) ??
    text(at(value, "large", "url")) ??
    text(at(value, "original", "url")) ??
    text(at(value, "url"))
  );
}
