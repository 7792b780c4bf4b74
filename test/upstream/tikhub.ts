import type { Answer, Provider, Recorded } from "./simulator.ts";

const searchPath = "/api/v1/tiktok/app/v3/fetch_video_search_result";
const pageSize = 20;

/**
 * TikHub in its wire format. A search finds `total` videos, or the number in a keyword such as
 * "total:50"; every page holds 20 at most, whatever `count` is.
 */
export function tikhub(options: { total?: number; key?: string } = {}): Provider {
  const usualTotal = options.total ?? 60;
  return (simulator) => {
    simulator.on("GET", searchPath, (request) => {
      const refusal = refused(request, options.key);
      if (refusal) return refusal;
      const { keyword = "", offset = "0" } = request.query;
      if (!keyword || !/^\d+$/.test(offset)) return invalidParameters("keyword");
      const total = Number(/^total:(\d+)$/.exec(keyword)?.[1] ?? usualTotal);
      const start = Number(offset);
      const end = Math.min(total, start + pageSize);
      const found = Array.from({ length: Math.max(0, end - start) }, (_, at) => ({
        aweme_info: video(start + at, keyword),
      }));
      const body = wrap(request, {
        status_code: 0,
        search_item_list: found,
        cursor: end,
        has_more: end < total ? 1 : 0,
        extra: { now: 1_770_000_000_000, logid: "00000000000000000000" },
      });
      return { body: bigIntegers(body) };
    });
  };
}

function refused(request: Recorded, key: string | undefined): Answer | undefined {
  const given = /^Bearer (.+)$/.exec(request.headers["authorization"] ?? "")?.[1];
  if (given && (key === undefined || given === key)) return undefined;
  return { status: 401, body: { detail: { code: 401, message: "Invalid API Key" } } };
}

function invalidParameters(name: string): Answer {
  const detail = [{ loc: ["query", name], msg: "Field required", type: "missing" }];
  return { status: 422, body: { detail } };
}

/** The wrapper around every answer of this vendor. */
export function wrap(request: Recorded, data: unknown): Record<string, unknown> {
  return {
    code: 200,
    request_id: "3f1c0a52-6f0e-4d53-9d55-000000000001",
    message: "Request successful. This request will incur a charge.",
    message_zh: "请求成功，本次请求将被计费。",
    support: "Support channel",
    time: "2026-07-01 00:00:00",
    time_stamp: 1_782_864_000,
    time_zone: "America/Los_Angeles",
    docs: `https://api.example/#${request.path}`,
    cache_message: "This request will be cached.",
    cache_message_zh: "本次请求将被缓存。",
    cache_url: "https://cache.example/api/v1/cache/public/1",
    router: request.path,
    params: request.query,
    data,
  };
}

/** Digits of music ids, which the vendor sends as a JSON number beyond 2^53. */
const bigInteger = /"big:(\d+)"/g;

function bigIntegers(body: unknown): string {
  return JSON.stringify(body).replace(bigInteger, "$1");
}

const link = (name: string) => ({
  uri: name,
  url_list: [
    `https://media.example/${name}.webp?x-signature=s`,
    `https://media.example/${name}.jpeg`,
  ],
  width: 720,
  height: 720,
});

/** One video in the app's shape; all fields follow from its number. */
export function video(number: number, keyword: string): Record<string, unknown> {
  const id = String(7_400_000_000_000_000_000n + BigInt(number) * 1001n);
  const musicId = String(7_100_000_000_000_000_001n + BigInt(number) * 7n);
  const handle = `maker_${number % 7}`;
  return {
    aweme_id: id,
    desc: `Clip ${number} about ${keyword} #garden #diy`,
    create_time: 1_780_000_000 - number * 60,
    region: number % 5 === 0 ? "" : "US",
    aweme_type: 0,
    is_ads: false,
    author: {
      uid: String(6_900_000_000_000_000_000n + BigInt(number % 7)),
      unique_id: handle,
      nickname: `Maker ${number % 7}`,
      signature: "Small things, built slowly",
      avatar_larger: link(`avatar-${handle}`),
      avatar_thumb: link(`thumb-${handle}`),
      custom_verify: "",
      secret: 0,
      follower_count: 0,
      sec_uid: `MS4wLjABAAAA-made-up-${number % 7}`,
    },
    music: {
      id: `big:${musicId}`,
      id_str: musicId,
      mid: musicId,
      title: `original sound - ${handle}`,
      author: `Maker ${number % 7}`,
      duration: 15 + (number % 45),
      is_original: false,
      is_original_sound: true,
      play_url: link(`sound-${number}`),
    },
    video: {
      play_addr: { ...link(`clip-${number}`), url_list: [`https://media.example/${id}.mp4`] },
      cover: link(`cover-${number}`),
      origin_cover: link(`origin-${number}`),
      duration: 15_000 + number * 133,
      width: 576,
      height: 1024,
      ratio: "720p",
    },
    statistics: {
      aweme_id: id,
      digg_count: 1000 + number,
      comment_count: 10 + number,
      share_count: number,
      play_count: 50_000 + number * 11,
      collect_count: number % 13,
    },
    text_extra: [
      { start: 0, end: 7, hashtag_name: "garden", type: 1 },
      { start: 8, end: 12, hashtag_name: "diy", type: 1 },
    ],
    cha_list: null,
    image_post_info: null,
    share_url: `https://www.tiktok.com/@${handle}/video/${id}?_r=1&u_code=x`,
    share_info: { share_title: "", share_desc: "" },
    status: { is_delete: false, is_prohibited: false },
  };
}
