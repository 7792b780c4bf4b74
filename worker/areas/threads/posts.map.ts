import type * as z from "zod";
import type { threadsInnerPost, threadsPost } from "../../../contract/areas/threads/index.ts";
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
import { shortcodeOf } from "../../upstreams/tikhub/shortcode.map.ts";

type InnerPost = z.output<typeof threadsInnerPost>;
export type Post = z.output<typeof threadsPost>;

/** Number of a post or user, without the owner's number that may follow `_`. */
export function numberOf(value: unknown): string | undefined {
  return text((id(at(value, "pk")) ?? id(at(value, "id")))?.split("_", 1)[0]);
}

export function isTombstone(post: Wire): boolean {
  return boolean(at(post, "text_post_app_info", "is_post_unavailable")) === true;
}

/** A post; undefined for the remains of an invisible one. */
export function post(row: Wire): Post | undefined {
  if (isTombstone(row)) return undefined;
  const shared = at(row, "text_post_app_info", "share_info");
  return {
    ...plain(row, need(numberOf(row), "post.pk")),
    ...defined({
      quoted_post: within(at(shared, "quoted_post")),
      reposted_post: within(at(shared, "reposted_post")),
    }),
  };
}

function within(value: unknown): InnerPost | undefined {
  const row = object(value);
  const number = numberOf(row);
  return row && number !== undefined && !isTombstone(row) ? plain(row, number) : undefined;
}

function plain(row: Wire, number: string): InnerPost {
  const info = object(row.text_post_app_info) ?? {};
  const code = text(row.code) ?? shortcodeOf(number);
  const username = text(at(row, "user", "username"));
  const fragments = array(at(info, "text_fragments", "fragments")) ?? [];
  const hidden = boolean(row.like_and_view_counts_disabled) === true;
  const media = mediaOf(row, info);
  return defined({
    id: number,
    code,
    share_url: username && code && `https://www.threads.com/@${username}/post/${code}`,
    text: text(at(row, "caption", "text")) ?? plainText(fragments),
    create_time: count(row.taken_at),
    author: author(row.user),
    author_is_verified: boolean(at(row, "user", "is_verified")),
    like_count: hidden ? undefined : count(row.like_count),
    reply_count: count(info.direct_reply_count),
    repost_count: count(info.repost_count),
    quote_count: count(info.quote_count),
    share_count: count(info.reshare_count),
    view_count: hidden ? undefined : (count(row.view_count) ?? count(info.view_count)),
    media_type: object(row.audio) ? ("audio" as const) : mediaTypes.get(integer(media.media_type)),
    images: each(partsOf(media), image),
    videos: each(partsOf(media), video),
    hashtags: distinct([text(at(info, "tag_header", "display_name")), ...each(fragments, tagOf)]),
    mentions: distinct(
      each(fragments, (part) => text(at(part, "mention_fragment", "mentioned_user", "username"))),
    ),
    links: distinct([
      ...each(fragments, (part) => text(at(part, "link_fragment", "uri"))),
      text(at(info, "link_preview_attachment", "url")),
    ]),
    is_reply: boolean(info.is_reply),
    reply_to_username: text(at(info, "reply_to_author", "username")),
    is_pinned: boolean(at(info, "pinned_post_info", "is_pinned_to_profile")),
    is_edited: boolean(row.caption_is_edited),
    reply_control: text(info.reply_control),
  });
}

const mediaTypes = new Map([
  [1, "image"],
  [2, "video"],
  [8, "carousel"],
  [19, "text"],
] as const) as ReadonlyMap<number | undefined, "image" | "video" | "carousel" | "text">;

/** The object with pictures and videos: a text post may have them in an attachment. */
function mediaOf(row: Wire, info: Wire): Wire {
  const inline = object(info.linked_inline_media);
  return inline && mediaTypes.get(integer(row.media_type)) === "text" ? inline : row;
}

function partsOf(media: Wire): readonly unknown[] {
  const parts = array(media.carousel_media) ?? [];
  return parts.length > 0 ? parts : [media];
}

function image(part: unknown) {
  const best = at(part, "image_versions2", "candidates", 0);
  const url = text(at(best, "url"));
  if (url === undefined) return undefined;
  return defined({
    url,
    width: count(at(best, "width")),
    height: count(at(best, "height")),
    alt_text: text(at(part, "accessibility_caption")),
  });
}

/** A video, which has no size itself. */
function video(part: unknown) {
  const url = text(at(part, "video_versions", 0, "url"));
  if (url === undefined) return undefined;
  return defined({
    url,
    width: count(at(part, "original_width")),
    height: count(at(part, "original_height")),
  });
}

export function plainText(fragments: readonly unknown[]): string {
  return each(fragments, (part) => text(at(part, "plaintext"))).join("");
}

function tagOf(fragment: unknown): string | undefined {
  if (at(fragment, "fragment_type") !== "tag") return undefined;
  return text(text(at(fragment, "plaintext"))?.replace(/^#/, ""));
}

function distinct(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.filter((value) => value !== undefined))];
}

function author(value: unknown): InnerPost["author"] {
  const row = object(value);
  const number = numberOf(row);
  if (!row || number === undefined) return undefined;
  return defined({
    id: number,
    username: text(row.username),
    display_name: text(row.full_name),
    avatar_url: text(row.profile_pic_url),
  });
}
