import type {
  PhotositeDownload,
  PhotositeMedia,
  PhotositePost,
  PhotositeStory,
} from "../../../contract/areas/photosite/records.ts";
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
  number,
  object,
  text,
} from "#wire";
import { mediaIdOf, shortcodeOf } from "../../upstreams/tikhub/shortcode.map.ts";
import { author, numberOf } from "./user.map.ts";

const tagRule = /#([\p{L}\p{N}\p{M}_]+)/gu;
/** A mention: a handle ends in no dot, and characters before "@" would make it an e-mail address. */
const mentionRule = /(?<![\w.])@([A-Za-z0-9_.]{0,29}[A-Za-z0-9_])/g;

/** A post of a list; undefined for adverts and suggestions, which nobody asked for. */
export function post(entry: Wire): PhotositePost | undefined {
  return isAdvert(postOf(entry)) ? undefined : onePost(entry);
}

/**
 * A post in any of three dialects: the app's (`pk`, `code`, `taken_at`), the web's (`shortcode`,
 * `edge_…`) and the app's with slight renames.
 */
export function onePost(entry: Wire): PhotositePost {
  const row = postOf(entry);
  const code = text(row.code) ?? text(row.shortcode);
  const pk = numberOf(row) ?? (code === undefined ? undefined : mediaIdOf(code));
  const shortcode = need(code ?? (pk === undefined ? undefined : shortcodeOf(pk)), "code");
  const caption = captionOf(row);
  const isReel = text(row.product_type) === undefined ? undefined : row.product_type === "clips";
  const pinned = array(row.timeline_pinned_user_ids);
  const plays = count(row.play_count) ?? count(row.ig_play_count) ?? count(row.video_play_count);
  return defined({
    id: need(pk, "pk"),
    media_id: need(pk, "pk"),
    shortcode,
    url: `https://www.instagram.com/${isReel === true ? "reel" : "p"}/${shortcode}/`,
    media_type: mediaType(row),
    is_reel: isReel,
    caption,
    create_time: count(row.taken_at) ?? count(row.taken_at_timestamp),
    like_count: likes(row),
    comment_count:
      count(row.comment_count) ??
      count(at(row, "edge_media_to_comment", "count")) ??
      count(at(row, "edge_media_to_parent_comment", "count")),
    view_count: plays ?? count(row.view_count) ?? count(row.video_view_count),
    play_count: plays,
    cover_image_url: coverOf(row) ?? coverOf(childrenOf(row)[0] ?? {}),
    media: mediaOf(row),
    width: count(row.original_width) ?? count(at(row, "dimensions", "width")),
    height: count(row.original_height) ?? count(at(row, "dimensions", "height")),
    duration: seconds(row.video_duration),
    author: author(row.user) ?? author(row.owner),
    hashtags: found(caption, tagRule),
    mentions: found(caption, mentionRule),
    tagged_users: taggedUsers(row),
    location: locationOf(row.location),
    is_pinned: pinned && pinned.length > 0,
    is_paid_partnership: boolean(row.is_paid_partnership),
    music: musicOf(row),
    accessibility_caption: text(row.accessibility_caption),
  });
}

/** The links of a post's files. */
export function download(row: Wire): PhotositeDownload {
  const code = text(row.code) ?? text(row.shortcode);
  const pk = numberOf(row);
  const shortcode = need(code ?? (pk === undefined ? undefined : shortcodeOf(pk)), "code");
  return {
    shortcode,
    media: mediaOf(row).map(({ type, url, width, height }, index) =>
      defined({
        type,
        url,
        width,
        height,
        filename: `${shortcode}_${index + 1}.${extension(url, type)}`,
      }),
    ),
  };
}

/** A story of either dialect. */
export function story(row: Wire): PhotositeStory {
  const [media] = mediaOf(row);
  return defined({
    id: need(numberOf(row), "story.pk"),
    media_type: media?.type,
    url: media?.url,
    cover_image_url: coverOf(row),
    create_time: count(row.taken_at) ?? count(row.taken_at_timestamp),
    expire_time: count(row.expiring_at) ?? count(row.expiring_at_timestamp),
    duration: seconds(row.video_duration),
    links: distinct([
      ...each(row.story_cta, (cta) => text(at(cta, "links", 0, "webUri"))),
      ...each(row.story_link_stickers, (sticker) => text(at(sticker, "story_link", "url"))),
      ...[text(row.story_cta_url)].filter((link) => link !== undefined),
    ]),
    author: author(row.user) ?? author(row.owner),
  });
}

/**
 * The posts of a list that may be a layout: an entry contains a post one or two levels deep, or a row of
 * the explore page with up to three posts. The order is kept.
 */
export function flatten(list: readonly unknown[]): unknown[] {
  return list.flatMap((entry) => {
    const content = object(at(entry, "layout_content"));
    if (!content) return [entry];
    return [
      ...(array(content.medias) ?? []),
      ...(array(content.fill_items) ?? []),
      ...(array(at(content, "one_by_two_item", "clips", "items")) ?? []),
    ];
  });
}

function postOf(entry: Wire): Wire {
  const node = object(entry.node) ?? entry;
  return object(node.media) ?? node;
}

function isAdvert(row: Wire): boolean {
  const injected = row.injected !== undefined && row.injected !== null && row.injected !== false;
  return row.is_ad === true || injected || id(row.ad_id) !== undefined;
}

function captionOf(row: Wire): string {
  return (
    text(row.caption) ??
    text(at(row, "caption", "text")) ??
    text(at(row, "edge_media_to_caption", "edges", 0, "node", "text")) ??
    ""
  );
}

function mediaType(row: Wire): PhotositePost["media_type"] {
  const kinds = { 1: "image", 2: "video", 8: "carousel" } as const;
  const byNumber = kinds[integer(row.media_type) as keyof typeof kinds];
  if (byNumber) return byNumber;
  const name = /(Image|Video|Sidecar)$/.exec(text(row.__typename) ?? "")?.[1];
  if (name) return name === "Sidecar" ? "carousel" : name === "Video" ? "video" : "image";
  const isVideo = boolean(row.is_video);
  return isVideo === undefined ? undefined : isVideo ? "video" : "image";
}

/** A count; hidden counts are -1, or 3 beside a flag. */
function likes(row: Wire): number | undefined {
  if (row.like_and_view_counts_disabled === true || row.like_count === -1) return undefined;
  return (
    count(row.like_count) ??
    count(at(row, "edge_media_preview_like", "count")) ??
    count(at(row, "edge_liked_by", "count"))
  );
}

function childrenOf(row: Wire): Wire[] {
  return [
    ...each(row.carousel_media, object),
    ...each(at(row, "edge_sidecar_to_children", "edges"), (edge) => object(at(edge, "node"))),
  ];
}

function mediaOf(row: Wire): PhotositeMedia[] {
  const children = childrenOf(row);
  return each(children.length > 0 ? children : [row], (entry) => fileOf(entry as Wire));
}

/** The video, else the largest picture. */
function fileOf(row: Wire): PhotositeMedia | undefined {
  const version = object(at(row, "video_versions", 0));
  const resource = object(array(row.video_resources)?.at(-1));
  const video = text(version?.url) ?? text(row.video_url) ?? text(resource?.src);
  const picture = pictureOf(row);
  const url = video ?? coverOf(row);
  if (url === undefined) return undefined;
  const size = video === undefined ? picture : version;
  return defined({
    type: video === undefined ? ("image" as const) : ("video" as const),
    url,
    width: count(size?.width) ?? count(row.original_width) ?? count(at(row, "dimensions", "width")),
    height:
      count(size?.height) ?? count(row.original_height) ?? count(at(row, "dimensions", "height")),
    duration: video === undefined ? undefined : seconds(row.video_duration),
  });
}

function pictureOf(row: Wire): Wire | undefined {
  return (
    object(at(row, "image_versions2", "candidates", 0)) ??
    object(at(row, "image_versions", "items", 0))
  );
}

function coverOf(row: Wire): string | undefined {
  return (
    text(pictureOf(row)?.url) ??
    text(row.display_url) ??
    text(row.thumbnail_url) ??
    text(row.thumbnail_src)
  );
}

function taggedUsers(row: Wire): string[] | undefined {
  const app = array(at(row, "usertags", "in"));
  if (app) return each(app, (entry) => text(at(entry, "user", "username")));
  const web = array(at(row, "edge_media_to_tagged_user", "edges"));
  return web && each(web, (entry) => text(at(entry, "node", "user", "username")));
}

function locationOf(value: unknown): PhotositePost["location"] {
  const id = numberOf(value);
  return id === undefined
    ? undefined
    : defined({
        id,
        name: text(at(value, "name")),
        latitude: number(at(value, "lat")),
        longitude: number(at(value, "lng")),
      });
}

function musicOf(row: Wire): PhotositePost["music"] {
  const holder = object(row.clips_metadata) ?? object(row.music_metadata);
  const song = object(at(holder, "music_info", "music_asset_info"));
  if (song) {
    return defined({
      id: id(song.audio_cluster_id) ?? id(song.audio_asset_id) ?? id(song.id),
      title: text(song.title),
      author: text(song.display_artist),
    });
  }
  const sound = object(holder?.original_sound_info);
  return (
    sound &&
    defined({
      id: id(sound.audio_asset_id),
      title: text(sound.original_audio_title),
      author: text(at(sound, "ig_artist", "username")),
    })
  );
}

function seconds(value: unknown): number | undefined {
  const found = number(value);
  return found === undefined || found < 0 ? undefined : Math.round(found);
}

function extension(url: string, type: "image" | "video"): string {
  const given = /\.(jpe?g|png|webp|heic|mp4|mov)(?:[?#]|$)/i.exec(url)?.[1];
  return given?.toLowerCase() ?? (type === "video" ? "mp4" : "jpg");
}

/** All matches of the rule's group, without duplicates. */
function found(caption: string, rule: RegExp): string[] {
  return distinct([...caption.matchAll(rule)].map((match) => match[1] as string));
}

function distinct(names: string[]): string[] {
  return [...new Set(names)];
}
