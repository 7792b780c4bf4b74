import { expect, test } from "vitest";
import { videoSiteOf } from "../../../contract/areas/media/videos.ts";
import { embed } from "../../../worker/areas/media/oembed.map.ts";
import { vimeoOembed as bundled } from "../../../worker/areas/media/samples/oembed.ts";
import type { SampleRequest } from "../../../worker/sandbox/sample.ts";
import {
  dailymotionOembed,
  tiktokOembed,
  vimeoOembed,
  youtubeOembed,
} from "../../../worker/upstreams/oembed/client.ts";
import { ShapeError } from "#wire";
import { issues } from "../input.ts";
import { play } from "../play.ts";

const id = "media.videos.embed";
const page = "https://vimeo.com/1";
const video = { version: "1.0", type: "video" };

test("a page of a video leads to the service of its site", async () => {
  const sites = {
    youtube: [
      "https://www.youtube.com/watch?v=abcdefghijk",
      "https://youtu.be/abcdefghijk",
      "https://m.youtube.com/shorts/abcdefghijk",
    ],
    vimeo: [page, "https://vimeo.com/channels/staff/1", "https://player.vimeo.com/video/1"],
    dailymotion: ["https://www.dailymotion.com/video/x7tgad0"],
    tiktok: ["https://www.tiktok.com/@sample.name/video/6800000000000000001?lang=en"],
  };
  for (const [site, urls] of Object.entries(sites)) {
    for (const url of urls) {
      expect(videoSiteOf(url), url).toBe(site);
      const played = await play(id, { url, max_width: 640 });
      expect(played, url).toMatchObject({ ok: true, data: { site, url } });
    }
  }
  for (const url of [
    "http://vimeo.com/1",
    "https://vimeo.com.example/1",
    "https://vimeo.com@example.com/1",
    "https://example.com/?https://youtu.be/abc",
    "https://www.tiktok.com/@sample",
    "https://vm.tiktok.com/abc",
    "https://www.youtube.com/",
  ]) {
    expect(issues(id, { url }), url).toEqual(["url"]);
  }
});

test("the request carries the page and the sizes", async () => {
  const requests: SampleRequest[] = [];
  const answers = {
    "GET /api/oembed.json": (request: SampleRequest) => {
      requests.push(request);
      return video;
    },
  };
  const samples = [{ ...bundled, answers }];
  await play(id, { url: page, max_width: 640, max_height: 360 }, { samples });
  expect(requests).toMatchObject([
    {
      path: "/api/oembed.json",
      query: { url: page, format: "json", maxwidth: 640, maxheight: 360 },
    },
  ]);
});

test("the names of TikTok", async () => {
  const url = "https://www.tiktok.com/@sample/video/6800000000000000001";
  const played = await play(id, { url });
  const names = { author_username: "sample", video_id: "6800000000000000001" };
  expect(played).toMatchObject({ ok: true, data: names });
});

test("media surprise 9: widths may be texts, and relative ones are absent", () => {
  const sized = (width: unknown) => embed("tiktok", page, { ...video, width }).width;
  expect([640, "1920", "100%", null].map(sized)).toEqual([640, 1920, undefined, undefined]);
});

test("media surprise 10: an author's address may be relative to the site", () => {
  const author = (author_url: string, provider_url?: string) =>
    embed("youtube", page, { ...video, author_url, provider_url }).author_url;
  expect(author("/user/sample", "https://www.youtube.com/")).toBe(
    "https://www.youtube.com/user/sample",
  );
  expect(author("https://vimeo.com/sample")).toBe("https://vimeo.com/sample");
  expect(author("/user/sample")).toBeUndefined();
});

test("media surprise 11: a restricted video has less, and 401 is a page that is not public", () => {
  expect(embed("vimeo", page, { ...video, upload_date: "soon", video_id: 7 })).toEqual({
    site: "vimeo",
    url: page,
    embed_type: "video",
    video_id: "7",
  });
  expect(() => embed("vimeo", page, { version: "1.0" })).toThrow(ShapeError);
  for (const upstream of [youtubeOembed, vimeoOembed, dailymotionOembed, tiktokOembed]) {
    const judged = (status: number) => upstream.judge({ status, headers: {}, body: {} });
    expect(judged(401), upstream.name).toMatchObject({ type: "not_found" });
    expect(judged(404)).toMatchObject({ type: "not_found" });
    const isStrict = upstream === youtubeOembed || upstream === tiktokOembed;
    const malformed = isStrict ? "not_found" : "upstream_error";
    expect(judged(400), upstream.name).toMatchObject({ type: malformed });
    const forbidden = upstream === vimeoOembed ? "not_found" : "upstream_unavailable";
    expect(judged(403), upstream.name).toMatchObject({ type: forbidden });
    expect(judged(429)).toMatchObject({ type: "upstream_unavailable", retry: true });
  }
});
