import type { Sample } from "../sandbox.ts";
import { slice, vary } from "./vary.ts";
import { wrapped } from "./wrapped.ts";

const app = "/api/v1/tiktok/app/v3";
const pageSize = 20;
/** Videos that a sample search finds; a second page needs more than the largest `limit`. */
const found = { usual: 34, long: 120 };

const subjects = [
  "noodles",
  "sunrise run",
  "paper crane",
  "rescued kitten",
  "train window",
  "clay bowl",
];
const regions = ["US", "GB", "BR", "JP", "DE"];

const image = (name: string) => ({
  uri: `sample/${name}`,
  url_list: [`https://images.example/${name}.webp`, `https://images.example/${name}.jpeg`],
  width: 720,
  height: 720,
});

/** One video in the app's dialect; some are photo posts, some lack music, all ids are beyond 2^53. */
function aweme(seed: string, index: number) {
  const v = vary("shortclip", seed, index);
  const videoId = v.digits("id", 19);
  const user = `sample.${v
    .token("user", 6)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "x")}`;
  const subject = v.pick("subject", subjects);
  const photos = index % 9 === 4;
  return {
    aweme_id: videoId,
    desc: `${seed}: ${subject} no. ${index + 1}\n#${seed.replace(/\s+/g, "")} #sample`,
    ...(index % 5 === 0 ? { item_title: `${subject} ${index + 1}` } : {}),
    create_time: 1_750_000_000 + v.int("time", 0, 20_000_000),
    region: v.pick("region", regions),
    aweme_type: photos ? 150 : 0,
    is_ads: false,
    share_url: `https://www.tiktok.com/@${user}/video/${videoId}?_r=1&u_code=sample`,
    author: {
      uid: v.digits("uid", 19),
      unique_id: user,
      nickname: `Sample ${v.token("name", 4)}`,
      avatar_larger: image(`avatar-${user}`),
      avatar_thumb: image(`avatar-small-${user}`),
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
    },
    text_extra: [
      { type: 1, hashtag_name: seed.replace(/\s+/g, "") },
      { type: 1, hashtag_name: "sample" },
      { type: 0, hashtag_name: "", user_id: v.digits("mentioned", 19) },
    ],
    music:
      index % 7 === 6
        ? null
        : {
            mid: v.digits("music", 19),
            title: `original sound - ${user}`,
            author: user,
            is_original_sound: index % 2 === 0,
          },
    status: { is_delete: false, is_prohibited: false },
  };
}

export const shortclip: Record<string, Sample> = {
  [`GET ${app}/fetch_video_search_result`]: ({ path, query, empty, secondPage }) => {
    const total = empty ? 0 : secondPage ? found.long : found.usual;
    const offset = Number(query?.offset ?? 0);
    const list = slice({ total, offset, count: pageSize }, (index) => ({
      aweme_info: aweme(String(query?.keyword), index),
    }));
    const cursor = offset + list.length;
    return wrapped(path, {
      status_code: 0,
      has_more: cursor < total ? 1 : 0,
      cursor,
      search_item_list: list,
    });
  },
};
