import { describe, expect, test } from "vitest";
import { download, flatten, post } from "../../../worker/areas/photosite/post.map.ts";
import { parseJson } from "../../../worker/mapping/json.ts";
import { ShapeError, type Wire } from "#wire";

describe("photosite posts", () => {
  test("photosite surprise 2: numbers beyond 2^53 survive beside their text twin", () => {
    const row = parseJson(
      '{"pk": 2947870371458837757, "id": "2947870371458837757_10", "code": "Cjo8Hv-s-z9"}',
    );
    expect(post(row as Wire)).toMatchObject({
      id: "2947870371458837757",
      media_id: "2947870371458837757",
    });
    expect(post({ id: "2947870371458837757_10" })).toMatchObject({ shortcode: "Cjo8Hv-s-z9" });
  });

  test("photosite surprise 3: nulls count as missing", () => {
    const nulls = {
      caption: null,
      location: null,
      usertags: null,
      video_versions: null,
      carousel_media: null,
      like_count: null,
    };
    expect(post({ code: "CAnqPB-Jzcj", ...nulls })).toEqual({
      id: "2317006284167526179",
      media_id: "2317006284167526179",
      shortcode: "CAnqPB-Jzcj",
      url: "https://www.instagram.com/p/CAnqPB-Jzcj/",
      caption: "",
      media: [],
      hashtags: [],
      mentions: [],
    });
  });

  test("photosite surprise 9: adverts and suggestions are dropped", () => {
    for (const mark of [{ is_ad: true }, { injected: { label: "x" } }, { ad_id: "5" }]) {
      expect(post({ code: "CAnqPB-Jzcj", ...mark })).toBeUndefined();
    }
    expect(post({ code: "CAnqPB-Jzcj", ad_id: null, injected: null, is_ad: false })).toBeDefined();
  });

  test("the app's, the web's and the renamed dialect map to one record", () => {
    const app = {
      pk: "2317006284167526179",
      code: "CAnqPB-Jzcj",
      media_type: 8,
      caption: { text: "Hi #a" },
      taken_at: 5,
    };
    const web = {
      __typename: "XDTGraphSidecar",
      id: "2317006284167526179",
      shortcode: "CAnqPB-Jzcj",
      edge_media_to_caption: { edges: [{ node: { text: "Hi #a" } }] },
      taken_at_timestamp: 5,
    };
    const renamed = {
      id: "2317006284167526179",
      code: "CAnqPB-Jzcj",
      media_type: 8,
      caption: "Hi #a",
      taken_at: 5,
    };
    expect(post(web)).toEqual(post(app));
    expect(post(renamed)).toEqual(post(app));
    for (const wrapped of [{ node: app }, { node: { media: app } }, { media: app }]) {
      expect(post(wrapped)).toEqual(post(app));
    }
  });

  test("hidden likes are absent, not a number", () => {
    const likes = (row: Wire) => post({ code: "CAnqPB-Jzcj", ...row })?.like_count;
    expect(likes({ like_count: -1 })).toBeUndefined();
    expect(likes({ like_count: 3, like_and_view_counts_disabled: true })).toBeUndefined();
    expect(likes({ edge_media_preview_like: { count: -1 } })).toBeUndefined();
    expect(likes({ like_count: 3 })).toBe(3);
    expect(likes({ edge_liked_by: { count: 0 } })).toBe(0);
  });

  test("a reel has its own address and counts plays as views", () => {
    expect(
      post({ code: "CAnqPB-Jzcj", product_type: "clips", play_count: 9, view_count: 4 }),
    ).toMatchObject({
      url: "https://www.instagram.com/reel/CAnqPB-Jzcj/",
      is_reel: true,
      view_count: 9,
      play_count: 9,
    });
    expect(post({ code: "CAnqPB-Jzcj", view_count: 4 })).toMatchObject({ view_count: 4 });
    expect(post({ code: "CAnqPB-Jzcj", view_count: 4 })).not.toHaveProperty("play_count");
  });

  test("a carousel's parts keep their order and kinds; the largest picture counts", () => {
    const picture = (url: string) => ({
      image_versions2: { candidates: [{ url, width: 10, height: 20 }, { url: "small" }] },
    });
    const record = post({
      code: "CAnqPB-Jzcj",
      carousel_media: [
        {
          ...picture("p1"),
          video_versions: [{ url: "v1", width: 7, height: 8 }],
          video_duration: 7.6,
        },
        picture("p2"),
        { image_versions: { items: [{ url: "p3" }] } },
      ],
    });
    expect(record?.media).toEqual([
      { type: "video", url: "v1", width: 7, height: 8, duration: 8 },
      { type: "image", url: "p2", width: 10, height: 20 },
      { type: "image", url: "p3" },
    ]);
    expect(record?.cover_image_url).toBe("p1");
  });

  test("hashtags and mentions are read from the caption once each; an address is no mention", () => {
    expect(
      post({ code: "CAnqPB-Jzcj", caption: "#über #a #a me@mail.example @ann.b. (@c_d)" }),
    ).toMatchObject({
      hashtags: ["über", "a"],
      mentions: ["ann.b", "c_d"],
    });
  });

  test("photosite surprise 4: a layout has up to three lists of posts, in order", () => {
    const rows = [
      { layout_content: { medias: [{ media: 1 }, { media: 2 }] } },
      {
        layout_content: {
          fill_items: [{ media: 3 }],
          one_by_two_item: { clips: { items: [{ media: 4 }] } },
        },
      },
      { media: 5 },
      { layout_content: null, media: 6 },
    ];
    expect(flatten(rows).map((row) => (row as { media: number }).media)).toEqual([
      1, 2, 3, 4, 5, 6,
    ]);
  });

  test("the music is a song or an original sound", () => {
    const song = {
      music_info: { music_asset_info: { audio_cluster_id: "1", title: "t", display_artist: "a" } },
    };
    const sound = {
      original_sound_info: {
        audio_asset_id: "2",
        original_audio_title: "o",
        ig_artist: { username: "u" },
      },
    };
    const music = (clips_metadata: unknown) => post({ code: "CAnqPB-Jzcj", clips_metadata })?.music;
    expect(music(song)).toEqual({ id: "1", title: "t", author: "a" });
    expect(music(sound)).toEqual({ id: "2", title: "o", author: "u" });
    expect(music({ music_info: null, original_sound_info: null })).toBeUndefined();
  });

  test("a row without number or code does not fit", () => {
    expect(() => post({ caption: "x" })).toThrow(ShapeError);
    expect(() => post({ pk: 1.5, code: 7 })).toThrow(ShapeError);
  });

  test("files are named by code, position and kind", () => {
    const part = (url: string) => ({ image_versions2: { candidates: [{ url }] } });
    const video = { ...part("c.jpg"), video_versions: [{ url: "https://x.example/v?sig=1" }] };
    expect(
      download({
        code: "CAnqPB-Jzcj",
        carousel_media: [part("https://x.example/a.webp?sig=1"), video],
      }),
    ).toEqual({
      shortcode: "CAnqPB-Jzcj",
      media: [
        { type: "image", url: "https://x.example/a.webp?sig=1", filename: "CAnqPB-Jzcj_1.webp" },
        { type: "video", url: "https://x.example/v?sig=1", filename: "CAnqPB-Jzcj_2.mp4" },
      ],
    });
  });
});
