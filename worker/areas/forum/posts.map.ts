import type * as z from "zod";
import type { forumPost } from "../../../contract/areas/forum/records.ts";
import {
  type Wire,
  array,
  at,
  boolean,
  count,
  defined,
  each,
  integer,
  need,
  number,
  object,
  text,
} from "#wire";
import { author, communityOf, fullName, onSite, seconds } from "./thing.map.ts";

type Post = z.output<typeof forumPost>;

export function isAdvert(row: Wire): boolean {
  return boolean(row.promoted) === true;
}

export function post(row: Wire): Post {
  const media = mediaType(row);
  return defined({
    id: need(fullName(row, "t3"), "data.name"),
    title: text(row.title),
    text: text(row.selftext) ?? "",
    text_html: text(row.selftext_html),
    url: onSite(row.url_overridden_by_dest) ?? onSite(row.url),
    share_url: onSite(row.permalink),
    domain: text(row.domain),
    create_time: seconds(row.created_utc),
    edit_time: seconds(row.edited),
    author: author(row),
    community: communityOf(row),
    score: integer(row.score),
    upvote_ratio: ratio(row.upvote_ratio),
    comment_count: count(row.num_comments),
    crosspost_count: count(row.num_crossposts),
    award_count: count(row.total_awards_received),
    flair: text(row.link_flair_text),
    media_type: media,
    images: media === "gallery" ? gallery(row) : media === "image" ? [picture(row)].flat() : [],
    video:
      video(at(row, "secure_media", "reddit_video")) ?? video(at(row, "media", "reddit_video")),
    thumbnail_url: httpUrl(row.thumbnail),
    crosspost_parent_id: text(row.crosspost_parent),
    is_nsfw: boolean(row.over_18),
    is_spoiler: boolean(row.spoiler),
    is_locked: boolean(row.locked),
    is_stickied: boolean(row.stickied),
    is_archived: boolean(row.archived),
    is_original_content: boolean(row.is_original_content),
    removed_by: text(row.removed_by_category),
  });
}

function mediaType(row: Wire): Post["media_type"] {
  if (boolean(row.is_gallery) === true) return "gallery";
  if (object(row.poll_data)) return "poll";
  if ((array(row.crosspost_parent_list) ?? []).length > 0) return "crosspost";
  if (boolean(row.is_video) === true) return "video";
  const hint = text(row.post_hint);
  if (hint === "image") return "image";
  if (hint === "hosted:video" || hint === "rich:video") return "video";
  const isSelf = boolean(row.is_self);
  if (isSelf === undefined) return undefined;
  return isSelf ? "text" : "link";
}

/** Pictures in the order of the gallery; those that are not processed yet are left out. */
function gallery(row: Wire): Post["images"] {
  return each(at(row, "gallery_data", "items"), (item) => {
    const media = text(at(item, "media_id"));
    const source = media === undefined ? undefined : at(row, "media_metadata", media, "s");
    const url = text(at(source, "u")) ?? text(at(source, "gif"));
    if (url === undefined) return undefined;
    return defined({
      url,
      width: count(at(source, "x")),
      height: count(at(source, "y")),
      caption: text(at(item, "caption")),
    });
  });
}

function picture(row: Wire): Post["images"] {
  const source = at(row, "preview", "images", 0, "source");
  const url = text(at(source, "url"));
  if (url !== undefined) {
    return [
      defined({ url, width: count(at(source, "width")), height: count(at(source, "height")) }),
    ];
  }
  const linked = httpUrl(row.url);
  return linked === undefined ? [] : [{ url: linked }];
}

function video(value: unknown): Post["video"] {
  const url = text(at(value, "fallback_url"));
  if (url === undefined) return undefined;
  return defined({
    url,
    hls_url: text(at(value, "hls_url")),
    width: count(at(value, "width")),
    height: count(at(value, "height")),
    duration: seconds(at(value, "duration")),
  });
}

function ratio(value: unknown): number | undefined {
  const known = number(value);
  return known !== undefined && known >= 0 && known <= 1 ? known : undefined;
}

/** The URL of a thumbnail; words such as `self` and `default` mean none. */
function httpUrl(value: unknown): string | undefined {
  const known = text(value);
  return known !== undefined && /^https?:/.test(known) ? known : undefined;
}
