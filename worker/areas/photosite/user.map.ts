import type {
  PhotositeAuthor,
  PhotositeFormerUsername,
  PhotositeHighlight,
  PhotositeProfile,
  PhotositeReply,
} from "../../../contract/areas/photosite/records.ts";
import { type Wire, at, boolean, count, defined, id, need, object, text } from "#wire";

/** The number of a record: `pk`, else the part of `id` before `_`. */
export function numberOf(value: unknown): string | undefined {
  const whole = id(at(value, "pk")) ?? id(at(value, "pk_id")) ?? id(at(value, "id"));
  return text(whole?.split("_", 1)[0]);
}

/** A user of either dialect; fields of profiles are absent in lists. */
export function user(row: Wire): PhotositeProfile {
  const username = text(row.username);
  return defined({
    id: need(numberOf(row), "user.pk"),
    username,
    display_name: text(row.full_name),
    avatar_url: avatar(row),
    is_verified: boolean(row.is_verified),
    is_private: boolean(row.is_private),
    url: username && `https://www.instagram.com/${username}/`,
    description: text(row.biography),
    external_url: text(row.external_url),
    follower_count: count(at(row, "edge_followed_by", "count")) ?? count(row.follower_count),
    following_count: count(at(row, "edge_follow", "count")) ?? count(row.following_count),
    post_count: count(at(row, "edge_owner_to_timeline_media", "count")) ?? count(row.media_count),
    is_business: boolean(row.is_business_account) ?? boolean(row.is_business),
    category: text(row.category_name) ?? text(row.category),
  });
}

/** The user of a list's entry: the entry itself, or one level deeper. */
export function listedUser(row: Wire): PhotositeProfile {
  return user(object(row.user) ?? object(row.node) ?? row);
}

export function author(value: unknown): PhotositeAuthor | undefined {
  const row = object(value);
  const number = numberOf(row);
  if (!row || number === undefined) return undefined;
  return defined({
    id: number,
    username: text(row.username),
    display_name: text(row.full_name),
    avatar_url: avatar(row),
    is_verified: boolean(row.is_verified),
  });
}

/** A comment or a reply of either dialect on the post with this shortcode. */
export function comment(row: Wire, shortcode: string): PhotositeReply {
  const inner = object(row.node) ?? row;
  return defined({
    id: need(numberOf(inner), "comment.pk"),
    text: text(inner.text) ?? "",
    create_time: count(inner.created_at) ?? count(inner.created_at_utc),
    like_count: count(inner.comment_like_count) ?? count(at(inner, "edge_liked_by", "count")),
    reply_count:
      count(inner.child_comment_count) ?? count(at(inner, "edge_threaded_comments", "count")),
    author: author(inner.user) ?? author(inner.owner),
    shortcode,
    parent_id: id(inner.parent_comment_id),
  });
}

export function highlight(row: Wire): PhotositeHighlight {
  const inner = object(row.node) ?? row;
  return defined({
    id: need(text(id(inner.id)?.replace(/^highlight:/, "")), "highlight.id"),
    title: text(inner.title),
    cover_image_url:
      text(at(inner, "cover_media_cropped_thumbnail", "url")) ??
      text(at(inner, "cover_media", "cropped_image_version", "url")) ??
      text(at(inner, "cover_media", "thumbnail_src")),
    item_count: count(inner.media_count),
  });
}

/** A former handle, as an object or a bare text. */
export function formerUsername(entry: unknown): PhotositeFormerUsername {
  const bare = text(entry);
  if (bare !== undefined) return { username: bare };
  const username = text(at(entry, "username")) ?? text(at(entry, "former_username"));
  return defined({
    username: need(username, "former_usernames[].username"),
    changed_time:
      count(at(entry, "changed_time")) ??
      count(at(entry, "changed_at")) ??
      count(at(entry, "timestamp")),
  });
}

function avatar(row: Wire): string | undefined {
  return (
    text(row.profile_pic_url_hd) ??
    text(at(row, "hd_profile_pic_url_info", "url")) ??
    text(row.profile_pic_url)
  );
}
