import type {
  ShortclipAuthor,
  ShortclipReply,
  ShortclipUser,
  ShortclipUserId,
} from "../../../contract/areas/shortclip/records.ts";
import { type Wire, at, boolean, count, defined, each, id, need, object, text } from "#wire";
import { firstUrl } from "./video.map.ts";

/** A user; `list` is the short form of follower lists, where 0 means an unknown count. */
export function user(row: Wire, form: "profile" | "list" = "profile"): ShortclipUser {
  const username = text(row.unique_id);
  const readCount = form === "list" ? positive : count;
  return defined({
    id: need(identifier(row.uid), "uid"),
    username,
    display_name: text(row.nickname),
    avatar_url: avatar(row),
    description: text(row.signature),
    url: username && `https://www.tiktok.com/@${username}`,
    follower_count: readCount(row.follower_count),
    following_count: readCount(row.following_count),
    like_count: readCount(row.total_favorited),
    video_count: readCount(row.aweme_count),
    is_verified: verified(row),
    is_private: boolean(row.secret),
    region: text(row.region),
    sec_uid: text(row.sec_uid),
    live_room_id: identifier(row.room_id_str) ?? identifier(row.room_id),
  });
}

/** Entries of a user search wrap the user once more. */
export function userHit(row: Wire): ShortclipUser {
  return user(object(row.user_info) ?? row);
}

export function author(value: unknown): ShortclipAuthor | undefined {
  const uid = identifier(at(value, "uid")) ?? identifier(at(value, "id_str"));
  return uid === undefined
    ? undefined
    : defined({
        id: uid,
        username: text(at(value, "unique_id")) ?? text(at(value, "display_id")),
        display_name: text(at(value, "nickname")),
        avatar_url: avatar(value),
      });
}

/** A comment, or a reply to one. */
export function comment(row: Wire): ShortclipReply {
  const stick = count(row.stick_position);
  const pinned = boolean(row.author_pin);
  const images = each(row.image_list, (image) => firstUrl(at(image, "origin_url")));
  return defined({
    id: need(identifier(row.cid), "cid"),
    video_id: identifier(row.aweme_id),
    text: text(row.text) ?? "",
    create_time: count(row.create_time),
    like_count: count(row.digg_count),
    reply_count: count(row.reply_comment_total),
    author: author(row.user),
    // "un" stands for an undetermined language.
    language: row.comment_language === "un" ? undefined : text(row.comment_language),
    parent_id: identifier(row.reply_id),
    images: images.length > 0 ? images : undefined,
    is_author_liked: boolean(row.is_author_digged),
    is_pinned: pinned === true || (stick ?? 0) > 0 ? true : pinned,
  });
}

/** Ids of a user, from a look-up by handle or from a profile. */
export function userId(row: Wire): ShortclipUserId {
  return defined({
    user_id: need(identifier(row.user_id) ?? identifier(row.uid) ?? identifier(row.id), "user_id"),
    sec_uid: secUid(row),
    username: text(row.unique_id) ?? text(row.username) ?? text(row.uniqueId),
  });
}

export function secUid(row: Wire): string | undefined {
  return text(row.sec_user_id) ?? text(row.sec_uid) ?? text(row.secUid);
}

/** A value for which the platform writes 0 when it has none. */
export function identifier(value: unknown): string | undefined {
  const found = id(value);
  return found === "0" ? undefined : found;
}

function positive(value: unknown): number | undefined {
  const found = count(value);
  return found === 0 ? undefined : found;
}

function avatar(value: unknown): string | undefined {
  return (
    firstUrl(at(value, "avatar_larger")) ??
    firstUrl(at(value, "avatar_large")) ??
    firstUrl(at(value, "avatar_medium")) ??
    firstUrl(at(value, "avatar_thumb"))
  );
}

/** `verification_type` is 1 for ordinary accounts as well; a verified one has a text that says so. */
function verified(row: Wire): boolean | undefined {
  const reasons = [row.custom_verify, row.enterprise_verify_reason];
  if (reasons.some((reason) => text(reason) !== undefined)) return true;
  return reasons.some((reason) => reason === "") ? false : undefined;
}
