import { vary } from "../../../sandbox/vary.ts";

/** Sample records of the short-clip platform in its own dialects; ids are beyond 2^53. */

const subjects = [
  "noodles",
  "sunrise run",
  "paper crane",
  "rescued kitten",
  "train window",
  "clay bowl",
];
const regions = ["US", "GB", "BR", "JP", "DE"];

export const image = (name: string) => ({
  uri: `sample/${name}`,
  url_list: [`https://images.example/${name}.webp`, `https://images.example/${name}.jpeg`],
  width: 720,
  height: 720,
});

/** A handle made from anything. */
export function handleOf(...seed: (string | number)[]): string {
  const token = vary("shortclip", "handle", ...seed).token("handle", 6);
  return `sample.${token.toLowerCase().replace(/[^a-z0-9]/g, "x")}`;
}

export function secUidOf(handle: string): string {
  return `MS4wLjABAAAA${vary("shortclip", "sec", handle).token("sec", 43)}`;
}

export function uidOf(handle: string): string {
  return vary("shortclip", "user", handle).digits("uid", 19);
}

/** 0 or 1 from all characters of a seed, to vary the kind of its samples. */
export function parity(seed: string): number {
  return Array.from(seed).reduce((sum, letter) => sum + (letter.codePointAt(0) as number), 0) % 2;
}

interface Marks {
  /** The caller's identifiers, in place of made-up values. */
  id?: string | undefined;
  author?: string | undefined;
  musicId?: string | undefined;
  tag?: string | undefined;
  photos?: boolean;
  promoted?: boolean;
  deleted?: boolean;
}

/** One video in the app's dialect; some are photo posts, some lack music. */
export function aweme(seed: string, index: number, marks: Marks = {}) {
  const v = vary("shortclip", seed, index);
  const videoId = marks.id ?? v.digits("id", 19);
  const handle = marks.author ?? handleOf(seed, index);
  const subject = v.pick("subject", subjects);
  const photos = marks.photos ?? index % 9 === 4;
  const tag = marks.tag ?? seed.replace(/\s+/g, "");
  return {
    aweme_id: videoId,
    desc: `${seed}: ${subject} no. ${index + 1}\n#${tag} #sample`,
    ...(index % 5 === 0 ? { item_title: `${subject} ${index + 1}` } : {}),
    create_time: 1_750_000_000 + v.int("time", 0, 20_000_000),
    region: v.pick("region", regions),
    aweme_type: photos ? 150 : 0,
    is_ads: marks.promoted ?? false,
    share_url: `https://www.tiktok.com/@${handle}/video/${videoId}?_r=1&u_code=sample`,
    author: {
      uid: uidOf(handle),
      unique_id: handle,
      nickname: `Sample ${v.token("name", 4)}`,
      avatar_larger: image(`avatar-${handle}`),
      avatar_thumb: image(`avatar-small-${handle}`),
    },
    video: {
      duration: photos ? 0 : v.int("duration", 4000, 180_000),
      width: 1080,
      height: v.pick("height", [1080, 1920]),
      cover: image(`cover-${videoId}`),
      origin_cover: image(`origin-${videoId}`),
      play_addr: { url_list: [`https://videos.example/${videoId}.mp4`] },
    },
    ...(photos
      ? {
          image_post_info: {
            images: [1, 2].map((n) => ({ display_image: image(`photo-${videoId}-${n}`) })),
          },
        }
      : {}),
    statistics: {
      digg_count: v.int("likes", 0, 900_000),
      comment_count: v.int("comments", 0, 9000),
      share_count: v.int("shares", 0, 5000),
      play_count: v.int("views", 0, 30_000_000),
      ...(index % 4 === 3 ? {} : { collect_count: v.int("saved", 0, 4000) }),
    },
    text_extra: [
      { type: 1, hashtag_name: tag },
      { type: 1, hashtag_name: "sample" },
      { type: 0, hashtag_name: "", user_id: v.digits("mentioned", 19) },
    ],
    music:
      index % 7 === 6
        ? null
        : {
            mid: marks.musicId ?? v.digits("music", 19),
            title: `original sound - ${handle}`,
            author: handle,
            is_original_sound: index % 2 === 0,
          },
    status: { is_delete: marks.deleted ?? false, is_prohibited: false },
  };
}

/** One video in the web's dialect. */
export function webItem(seed: string, index: number) {
  const v = vary("shortclip", "web", seed, index);
  const handle = handleOf("web", seed, index);
  const videoId = v.digits("id", 19);
  const figures = {
    diggCount: v.int("likes", 0, 90_000),
    commentCount: v.int("comments", 0, 900),
    shareCount: v.int("shares", 0, 500),
    playCount: v.int("views", 0, 3_000_000),
    collectCount: v.int("saved", 0, 400),
  };
  return {
    id: videoId,
    desc: `${seed} on the web #sample`,
    createTime: String(1_750_000_000 + v.int("time", 0, 20_000_000)),
    locationCreated: v.pick("region", regions),
    video: {
      duration: v.int("duration", 4, 180),
      width: 576,
      height: 1024,
      cover: `https://images.example/cover-${videoId}.jpeg`,
      originCover: `https://images.example/origin-${videoId}.jpeg`,
      playAddr: `https://videos.example/${videoId}.mp4`,
    },
    author: {
      id: uidOf(handle),
      uniqueId: handle,
      nickname: `Sample ${v.token("name", 4)}`,
      avatarLarger: `https://images.example/avatar-${handle}.jpeg`,
    },
    music: {
      id: v.digits("music", 19),
      title: "original sound",
      authorName: handle,
      original: true,
    },
    stats: figures,
    textExtra: [{ type: 1, hashtagName: "sample" }],
    challenges: [{ id: "1000001", title: "sample" }],
    isAd: false,
  };
}

/** A user in the form of profiles, searches and follower lists. */
export function person(handle: string, kind: number) {
  const v = vary("shortclip", "user", handle);
  return {
    uid: uidOf(handle),
    unique_id: handle,
    nickname: `Sample ${v.token("name", 4)}`,
    signature: kind % 3 === 2 ? "" : `Makes ${v.pick("subject", subjects)}`,
    avatar_larger: image(`avatar-${handle}`),
    avatar_thumb: image(`avatar-small-${handle}`),
    follower_count: kind % 4 === 3 ? 0 : v.int("followers", 1, 900_000),
    following_count: kind % 4 === 3 ? 0 : v.int("following", 1, 900),
    total_favorited: kind % 4 === 3 ? 0 : v.int("likes", 1, 9_000_000),
    aweme_count: kind % 4 === 3 ? 0 : v.int("videos", 1, 900),
    custom_verify: kind % 2 === 0 ? "Sample account" : "",
    enterprise_verify_reason: "",
    verification_type: 1,
    secret: kind % 5 === 4 ? 1 : 0,
    ...(kind % 3 === 1 ? {} : { region: v.pick("region", regions) }),
    sec_uid: secUidOf(handle),
    room_id: kind % 2 === 0 ? v.digits("room", 19) : 0,
    bind_phone: "",
    birthday: "1900-01-01",
  };
}

export function remark(seed: string, index: number, marks: { video: string; parent?: string }) {
  const v = vary("shortclip", "comment", seed, index);
  const handle = handleOf("comment", seed, index);
  const picture = index % 6 === 2;
  return {
    cid: v.digits("cid", 19),
    aweme_id: marks.video,
    text: picture ? "" : `Sample comment ${index + 1} on ${v.pick("subject", subjects)}`,
    create_time: 1_760_000_000 + v.int("time", 0, 9_000_000),
    digg_count: v.int("likes", 0, 5000),
    reply_comment_total: marks.parent === undefined ? v.int("replies", 0, 40) : 0,
    user: index % 8 === 7 ? null : person(handle, index),
    comment_language: v.pick("language", ["en", "pt", "ja", "un"]),
    reply_id: marks.parent ?? "0",
    image_list: picture ? [{ origin_url: image(`comment-${v.token("image", 6)}`) }] : null,
    is_author_digged: index % 4 === 0,
    author_pin: index === 0,
    stick_position: index === 0 ? 1 : 0,
  };
}

export function challenge(seed: string, index: number, name = `${seed}${index || ""}`) {
  const v = vary("shortclip", "hashtag", seed, index);
  return {
    cid: v.digits("cid", 10),
    cha_name: name.replace(/\s+/g, ""),
    desc: index % 3 === 1 ? "" : `All about ${seed}`,
    view_count: v.int("views", 1000, 900_000_000),
    user_count: v.int("users", 10, 90_000),
    ...(index % 2 === 0 ? { use_count: v.int("videos", 10, 90_000) } : {}),
    is_commerce: index % 4 === 0,
    hashtag_profile: index % 3 === 2 ? "" : `https://images.example/tag-${v.token("tag", 6)}.webp`,
  };
}

export function sound(seed: string, index: number, id?: string) {
  const v = vary("shortclip", "music", seed, index);
  const handle = handleOf("music", seed, index);
  const original = index % 2 === 0;
  return {
    mid: id ?? v.digits("mid", 19),
    title: `${seed} ${v.pick("subject", subjects)}`,
    author: `Sample ${v.token("author", 4)}`,
    album: index % 3 === 2 ? "" : `Album ${v.token("album", 4)}`,
    duration: v.int("duration", 5, 240),
    user_count: v.int("users", 0, 900_000),
    play_url: { uri: "", url_list: [`https://sounds.example/${v.token("file", 8)}.mp3`] },
    cover_large: image(`sound-${v.token("cover", 6)}`),
    is_original_sound: original,
    ...(original
      ? {
          owner_id: uidOf(handle),
          owner_handle: handle,
          owner_nickname: `Sample ${v.token("name", 4)}`,
          avatar_large: image(`avatar-${handle}`),
        }
      : { owner_handle: "", owner_nickname: "" }),
  };
}

/** A live room in the app's dialect. */
export function room(seed: string, index: number, marks: { id?: string; owner?: string } = {}) {
  const v = vary("shortclip", "live", seed, index);
  const handle = marks.owner ?? handleOf("live", seed, index);
  return {
    id_str: marks.id ?? v.digits("id", 19),
    title: `${seed} live no. ${index + 1}`,
    status: 2,
    user_count: v.int("viewers", 1, 9000),
    like_count: v.int("likes", 1, 90_000),
    stats: { total_user: v.int("total", 9000, 90_000) },
    cover: image(`live-${v.token("cover", 6)}`),
    create_time: 1_780_000_000 + v.int("time", 0, 900_000),
    owner: {
      id_str: uidOf(handle),
      display_id: handle,
      nickname: `Sample ${v.token("name", 4)}`,
      avatar_large: image(`avatar-${handle}`),
    },
    ...(index % 3 === 2 ? {} : { hashtag: { title: "sample" } }),
    stream_url: { hls_pull_url: `https://live.example/${v.token("stream", 8)}/playlist.m3u8` },
  };
}

/** A live room in the web's dialect, beside its user. */
export function webRoom(handle: string) {
  const v = vary("shortclip", "live", handle);
  return {
    liveRoom: {
      title: `${handle} is live`,
      status: 2,
      startTime: 1_780_000_000 + v.int("time", 0, 900_000),
      coverUrl: `https://images.example/live-${v.token("cover", 6)}.webp`,
      liveRoomStats: {
        userCount: v.int("viewers", 1, 9000),
        enterCount: v.int("total", 9000, 90_000),
      },
    },
    user: {
      id: uidOf(handle),
      uniqueId: handle,
      nickname: `Sample ${v.token("name", 4)}`,
      avatarLarger: `https://images.example/avatar-${handle}.webp`,
      roomId: v.digits("room", 19),
    },
  };
}
