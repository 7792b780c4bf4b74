import type {
  ShortclipHashtag,
  ShortclipLiveRoom,
  ShortclipMusic,
} from "../../../contract/areas/shortclip/records.ts";
import {
  type Wire,
  at,
  boolean,
  count,
  defined,
  id,
  integer,
  json,
  need,
  object,
  text,
} from "#wire";
import { author, identifier } from "./people.map.ts";
import { firstUrl } from "./video.map.ts";

/** A hashtag of the app (`cha_name`) or of the web (`challenge` beside `stats`). */
export function hashtag(row: Wire): ShortclipHashtag {
  const web = object(row.challenge);
  return web ? webHashtag(web, row) : appHashtag(object(row.challenge_info) ?? row);
}

function appHashtag(row: Wire): ShortclipHashtag {
  return defined({
    id: need(identifier(row.cid), "cid"),
    name: text(row.cha_name),
    description: text(row.desc),
    view_count: count(row.view_count),
    video_count: count(row.use_count),
    user_count: count(row.user_count),
    is_commerce: boolean(row.is_commerce),
    cover_image_url: text(row.hashtag_profile),
  });
}

function webHashtag(row: Wire, beside: Wire): ShortclipHashtag {
  const figure = (name: string) =>
    count(at(beside, "stats", name)) ??
    count(at(beside, "statsV2", name)) ??
    count(at(row, "stats", name));
  return defined({
    id: need(id(row.id), "challenge.id"),
    name: text(row.title),
    description: text(row.desc),
    view_count: figure("viewCount"),
    video_count: figure("videoCount"),
    is_commerce: boolean(row.isCommerce),
    cover_image_url: text(row.profileLarger) ?? text(row.coverLarger),
  });
}

export function music(row: Wire): ShortclipMusic {
  const owner = identifier(row.owner_id);
  return defined({
    // The number `id` is beyond 2^53; the text fields beside it are exact.
    id: need(identifier(row.mid) ?? identifier(row.id_str) ?? identifier(row.id), "mid"),
    title: text(row.title),
    author: text(row.author),
    album: text(row.album),
    duration: count(row.duration),
    user_count: count(row.user_count),
    play_url: firstUrl(row.play_url),
    cover_image_url:
      firstUrl(row.cover_large) ?? firstUrl(row.cover_medium) ?? firstUrl(row.cover_thumb),
    is_original: boolean(row.is_original_sound) ?? boolean(row.is_original),
    owner:
      owner === undefined
        ? undefined
        : defined({
            id: owner,
            username: text(row.owner_handle),
            display_name: text(row.owner_nickname),
            avatar_url: firstUrl(row.avatar_large) ?? firstUrl(row.avatar_medium),
          }),
  });
}

/**
 * A live room: the app's form, or the web's, which has `liveRoom` beside `user`. A search hit contains the
 * app's form as JSON text.
 */
export function liveRoom(row: Wire): ShortclipLiveRoom {
  const web = object(row.liveRoom);
  if (web) return webRoom(web, row.user);
  const hit = object(row.lives) ?? object(row.live_info);
  if (hit === undefined) return appRoom(row);
  const inside = object(json(hit.rawdata)) ?? object(json(hit.raw_data));
  return appRoom(need(inside ?? object(hit.room_info), "lives.rawdata"));
}

function appRoom(row: Wire): ShortclipLiveRoom {
  return defined({
    id: need(identifier(row.id_str) ?? identifier(row.id), "id_str"),
    title: text(row.title),
    status: status(row.status),
    viewer_count: count(row.user_count),
    total_viewer_count: count(at(row, "stats", "total_user")),
    like_count: count(row.like_count) ?? count(at(row, "stats", "like_count")),
    cover_image_url: firstUrl(row.cover),
    create_time: count(row.create_time),
    owner: author(row.owner),
    hashtag: text(at(row, "hashtag", "title")),
    stream_url: text(at(row, "stream_url", "hls_pull_url")),
  });
}

function webRoom(room: Wire, user: unknown): ShortclipLiveRoom {
  const owner = identifier(at(user, "id"));
  return defined({
    id: need(identifier(at(user, "roomId")) ?? identifier(room.id), "user.roomId"),
    title: text(room.title),
    status: status(room.status),
    viewer_count: count(at(room, "liveRoomStats", "userCount")),
    total_viewer_count: count(at(room, "liveRoomStats", "enterCount")),
    cover_image_url: text(room.coverUrl),
    create_time: count(room.startTime),
    owner:
      owner === undefined
        ? undefined
        : defined({
            id: owner,
            username: text(at(user, "uniqueId")),
            display_name: text(at(user, "nickname")),
            avatar_url: text(at(user, "avatarLarger")),
          }),
  });
}

function status(value: unknown): "live" | "ended" | undefined {
  const found = integer(value);
  return found === 2 ? "live" : found === 4 ? "ended" : undefined;
}
