import type { ShortclipVideo } from "../../../contract/areas/shortclip/records.ts";
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

const titleLength = 100;

/** A video in the app's or the web's dialect; undefined when deleted or hidden. */
export function video(row: Wire): ShortclipVideo | undefined {
  if (at(row, "status", "is_delete") === true || at(row, "status", "is_prohibited") === true) {
    return undefined;
  }
  return row.aweme_id === undefined ? webVideo(row) : appVideo(row);
}

/**
 * The video of a search hit: in one of two members, or the entry itself. Hits of other kinds, such as
 * users, have none.
 */
export function videoHit(row: Wire): Wire | undefined {
  return (
    object(row.aweme_info) ??
    object(row.item) ??
    (row.aweme_id === undefined && at(row, "video") === undefined ? undefined : row)
  );
}

/** True for promoted videos, which stay out of search results. */
export function isAdvert(row: Wire): boolean {
  return boolean(row.is_ads) === true || boolean(row.isAd) === true;
}

function appVideo(row: Wire): ShortclipVideo {
  const videoId = need(id(row.aweme_id), "aweme_id");
  const description = text(row.desc) ?? "";
  const username = text(at(row, "author", "unique_id")) ?? "";
  const statistics = object(row.statistics);
  const images = array(at(row, "image_post_info", "images")) ?? array(row.image_infos) ?? [];
  const isImages =
    object(row.image_post_info) !== undefined || row.aweme_type === 150 || images.length > 0;
  const tags = each(row.text_extra, (entry) =>
    integer(at(entry, "type")) === 1 ? text(at(entry, "hashtag_name")) : undefined,
  );
  return {
    id: videoId,
    title: text(row.item_title) ?? firstLine(description),
    video_description: description,
    // A photo post is shown by its first picture, whatever cover its `video` has beside it.
    cover_image_url:
      pictureOf(images[0]) ??
      firstUrl(at(row, "video", "origin_cover")) ??
      firstUrl(at(row, "video", "cover")) ??
      "",
    share_url: shareUrl(username, videoId, text(row.share_url)),
    embed_link: `https://www.tiktok.com/player/v1/${videoId}`,
    region: text(row.region) ?? "",
    play_url: isImages ? "" : (firstUrl(at(row, "video", "play_addr")) ?? ""),
    create_time: count(row.create_time) ?? 0,
    // Milliseconds in this dialect.
    duration: Math.round((count(at(row, "video", "duration")) ?? 0) / 1000),
    width: count(at(row, "video", "width")) ?? 0,
    height: count(at(row, "video", "height")) ?? 0,
    like_count: count(statistics?.digg_count) ?? 0,
    comment_count: count(statistics?.comment_count) ?? 0,
    share_count: count(statistics?.share_count) ?? 0,
    view_count: count(statistics?.play_count) ?? 0,
    author: {
      id: id(at(row, "author", "uid")) ?? "",
      username,
      display_name: text(at(row, "author", "nickname")) ?? "",
      avatar_url:
        firstUrl(at(row, "author", "avatar_larger")) ??
        firstUrl(at(row, "author", "avatar_medium")) ??
        firstUrl(at(row, "author", "avatar_thumb")) ??
        "",
    },
    hashtags: distinct(
      tags.length > 0 ? tags : each(row.cha_list, (entry) => text(at(entry, "cha_name"))),
    ),
    music: {
      // The number `music.id` may be beyond 2^53; the text fields beside it are exact.
      id:
        text(at(row, "music", "mid")) ??
        text(at(row, "music", "id_str")) ??
        id(at(row, "music", "id")) ??
        "",
      title: text(at(row, "music", "title")) ?? "",
      author: text(at(row, "music", "author")) ?? "",
      is_original:
        boolean(at(row, "music", "is_original_sound")) ??
        boolean(at(row, "music", "is_original")) ??
        false,
    },
    is_image_post: isImages,
    ...defined({
      favorite_count: count(statistics?.collect_count),
      images: some(each(images, pictureOf)),
      is_ad: boolean(row.is_ads),
    }),
  };
}

function webVideo(row: Wire): ShortclipVideo {
  const videoId = need(id(row.id), "id");
  const description = text(row.desc) ?? "";
  const username = text(at(row, "author", "uniqueId")) ?? "";
  const isImages = object(row.imagePost) !== undefined;
  const figure = (name: string) =>
    count(at(row, "stats", name)) ?? count(at(row, "statsV2", name)) ?? 0;
  const tags = each(row.textExtra, (entry) => text(at(entry, "hashtagName")));
  return {
    id: videoId,
    title: firstLine(description),
    video_description: description,
    cover_image_url:
      text(at(row, "video", "originCover")) ??
      text(at(row, "video", "cover")) ??
      text(at(row, "imagePost", "images", 0, "imageURL", "urlList", 0)) ??
      "",
    share_url: shareUrl(username, videoId, undefined),
    embed_link: `https://www.tiktok.com/player/v1/${videoId}`,
    region: text(row.locationCreated) ?? "",
    play_url: isImages ? "" : (text(at(row, "video", "playAddr")) ?? ""),
    create_time: count(row.createTime) ?? 0,
    duration: count(at(row, "video", "duration")) ?? 0,
    width: count(at(row, "video", "width")) ?? 0,
    height: count(at(row, "video", "height")) ?? 0,
    like_count: figure("diggCount"),
    comment_count: figure("commentCount"),
    share_count: figure("shareCount"),
    view_count: figure("playCount"),
    author: {
      id: id(at(row, "author", "id")) ?? "",
      username,
      display_name: text(at(row, "author", "nickname")) ?? "",
      avatar_url: text(at(row, "author", "avatarLarger")) ?? "",
    },
    hashtags: distinct(
      tags.length > 0 ? tags : each(row.challenges, (entry) => text(at(entry, "title"))),
    ),
    music: {
      id: id(at(row, "music", "id")) ?? "",
      title: text(at(row, "music", "title")) ?? "",
      author: text(at(row, "music", "authorName")) ?? "",
      is_original: boolean(at(row, "music", "original")) ?? false,
    },
    is_image_post: isImages,
    ...defined({
      favorite_count:
        count(at(row, "stats", "collectCount")) ?? count(at(row, "statsV2", "collectCount")),
      images: some(
        each(at(row, "imagePost", "images"), (image) => text(at(image, "imageURL", "urlList", 0))),
      ),
      is_ad: boolean(row.isAd),
    }),
  };
}

/** The list, unless it is empty. */
function some<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}

export function firstUrl(image: unknown): string | undefined {
  return text(at(image, "url_list", 0));
}

/** A picture of a photo post. */
function pictureOf(image: unknown): string | undefined {
  return firstUrl(at(image, "display_image")) ?? firstUrl(at(image, "label_large"));
}

function firstLine(description: string): string {
  return Array.from(description.split("\n", 1)[0] as string)
    .slice(0, titleLength)
    .join("")
    .trim();
}

/** The link of a video, built from the username: the platform's own link has tracking parameters. */
function shareUrl(username: string, videoId: string, given: string | undefined): string {
  if (username) return `https://www.tiktok.com/@${username}/video/${videoId}`;
  return given?.split("?", 1)[0] ?? "";
}

function distinct(names: string[]): string[] {
  return [...new Set(names)];
}
