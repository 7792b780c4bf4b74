import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { vary } from "../../../sandbox/vary.ts";

function embed(request: SampleRequest) {
  const url = String(request.query?.url);
  const v = vary("oembed", url);
  const name = v.pick("author", words);
  return {
    version: "1.0",
    type: "video",
    title: `${v.pick("title", words)} at dawn`,
    author_name: `${name} films`,
    html: `<iframe width="200" height="113" src="https://video.example/${v.digits("id", 9)}"></iframe>`,
    width: Number(request.query?.maxwidth ?? 200),
    height: 113,
    thumbnail_url: `https://images.example/${v.digits("picture", 9)}.jpg`,
    thumbnail_width: 480,
    thumbnail_height: 360,
  };
}

const youtube = (request: SampleRequest) => ({
  ...embed(request),
  author_url: "/user/sample",
  provider_name: "YouTube",
  provider_url: "https://www.youtube.com/",
});

const vimeo = (request: SampleRequest) => ({
  ...embed(request),
  author_url: "https://vimeo.com/sample",
  provider_name: "Vimeo",
  provider_url: "https://vimeo.com/",
  is_plus: "0",
  description: "A harbour in the morning.",
  duration: vary("vimeo", request.path).int("duration", 10, 900),
  upload_date: "2026-02-25 10:36:56",
  video_id: 100_000_001,
  uri: "/videos/100000001",
});

const dailymotion = (request: SampleRequest) => ({
  ...embed(request),
  author_url: "https://www.dailymotion.com/sample",
  provider_name: "Dailymotion",
  provider_url: "https://www.dailymotion.com",
  description: "",
});

const tiktok = (request: SampleRequest) => ({
  ...embed(request),
  author_url: "https://www.tiktok.com/@sample",
  author_unique_id: "sample",
  provider_name: "TikTok",
  provider_url: "https://www.tiktok.com",
  width: "100%",
  height: "100%",
  embed_product_id: "6800000000000000001",
  embed_type: "video",
});

const faults: Samples["faults"] = {
  not_found: { status: 404, body: undefined },
  // 400 is a video that is not there at some of the sites.
  upstream_error: { status: 405, body: undefined },
  upstream_unavailable: { status: 503, body: undefined },
};

/** Sample answers of video sites to oEmbed requests, written for this project. */
export const youtubeOembed: Samples = {
  upstream: "youtube-oembed",
  answers: { "GET /oembed": youtube },
  faults,
};

export const vimeoOembed: Samples = {
  upstream: "vimeo-oembed",
  answers: { "GET /api/oembed.json": vimeo },
  faults,
};

export const dailymotionOembed: Samples = {
  upstream: "dailymotion-oembed",
  answers: { "GET /services/oembed": dailymotion },
  faults,
};

export const tiktokOembed: Samples = {
  upstream: "tiktok-oembed",
  answers: { "GET /oembed": tiktok },
  faults,
};
