import { describe, expect, test } from "vitest";
import { hashtag, hits, location, section } from "../../../worker/areas/photosite/place.map.ts";
import { download, flatten, post, story } from "../../../worker/areas/photosite/post.map.ts";
import { mediaIdOf, shortcodeOf } from "../../../worker/upstreams/tikhub/shortcode.map.ts";
import {
  comment,
  formerUsername,
  highlight,
  user,
} from "../../../worker/areas/photosite/user.map.ts";
import { parseJson } from "../../../worker/mapping/json.ts";
import { ShapeError, type Wire } from "../../../worker/mapping/wire.ts";

describe("photosite shortcodes", () => {
  test("a code and its number, both ways", () => {
    expect(mediaIdOf("CAnqPB-Jzcj")).toBe("2317006284167526179");
    expect(shortcodeOf("2317006284167526179")).toBe("CAnqPB-Jzcj");
    expect(shortcodeOf("2317006284167526179_305701719")).toBe("CAnqPB-Jzcj");
  });

  test("the longer codes of private accounts count by their first 11 characters", () => {
    expect(mediaIdOf("CAnqPB-JzcjABCDEFGHIJ")).toBe("2317006284167526179");
  });

  test("64 bits are the bound", () => {
    expect(mediaIdOf(shortcodeOf("18446744073709551615") as string)).toBe("18446744073709551615");
    expect(shortcodeOf("18446744073709551616")).toBeUndefined();
    expect(mediaIdOf("___________")).toBeUndefined();
  });
});

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

  test("photosite surprise 3: nulls are as good as missing", () => {
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

  test("the app's, the web's and the renamed dialect are one record", () => {
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

  test("photosite surprise 4: a layout has up to three places for posts, in order", () => {
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

  test("a row that neither number nor code identifies does not fit", () => {
    expect(() => post({ caption: "x" })).toThrow(ShapeError);
    expect(() => post({ pk: 1.5, code: 7 })).toThrow(ShapeError);
  });

  test("files are named by code, place and kind", () => {
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

describe("photosite records", () => {
  test("profiles of either dialect; contact fields stay out", () => {
    const contact = {
      public_email: "a@b.example",
      public_phone_number: "1",
      business_email: "c@d.example",
    };
    const app = {
      pk: 5,
      username: "u",
      follower_count: 7,
      following_count: 8,
      media_count: 9,
      is_business: true,
      category: "c",
    };
    const web = {
      id: "5",
      username: "u",
      edge_followed_by: { count: 7 },
      edge_follow: { count: 8 },
      edge_owner_to_timeline_media: { count: 9 },
      is_business_account: true,
      category_name: "c",
    };
    expect(user({ ...web, ...contact })).toEqual(user({ ...app, ...contact }));
    expect(user(app)).toEqual({
      id: "5",
      username: "u",
      url: "https://www.instagram.com/u/",
      follower_count: 7,
      following_count: 8,
      post_count: 9,
      is_business: true,
      category: "c",
    });
    expect(user({ pk: "5" })).toEqual({ id: "5" });
  });

  test("comments of either dialect", () => {
    const app = {
      pk: 17950821812233924,
      text: "x",
      created_at: 5,
      comment_like_count: 1,
      child_comment_count: 2,
      user: { pk: 3 },
    };
    const web = {
      node: {
        id: "17950821812233924",
        text: "x",
        created_at: 5,
        edge_liked_by: { count: 1 },
        edge_threaded_comments: { count: 2 },
        owner: { id: "3" },
      },
    };
    expect(comment(web, "code")).toEqual(
      comment(parseJson(JSON.stringify({ ...app, pk: "17950821812233924" })) as Wire, "code"),
    );
    expect(comment({ pk: "1", parent_comment_id: "9", text: null }, "code")).toEqual({
      id: "1",
      text: "",
      shortcode: "code",
      parent_id: "9",
    });
  });

  test("a location's address may be JSON inside JSON, its facebook number is another's", () => {
    const address_json = JSON.stringify({
      street_address: "1 Sample Street",
      city_name: "Sampleton",
    });
    expect(
      location({
        id: "558750588",
        facebook_places_id: "99",
        address_json,
        lat: 40.5,
        lng: "-73.25",
      }),
    ).toEqual({
      id: "558750588",
      address: "1 Sample Street",
      city: "Sampleton",
      latitude: 40.5,
      longitude: -73.25,
    });
    expect(location({ id: "1", address_json: "{" })).toEqual({ id: "1" });
    expect(location({ place: { title: "T", location: { pk: 7 } } })).toEqual({
      id: "7",
      name: "T",
    });
    expect(() => location({ facebook_places_id: "99" })).toThrow(ShapeError);
    expect(location({ name: "n" }, "7")).toEqual({ id: "7", name: "n" });
  });

  test("highlights lose their prefix, stories know when they end, former handles may be bare", () => {
    expect(highlight({ node: { id: "highlight:18137590444014024", title: "t" } })).toEqual({
      id: "18137590444014024",
      title: "t",
    });
    expect(
      story({
        pk: "1",
        taken_at: 5,
        expiring_at: 86_405,
        image_versions2: { candidates: [{ url: "p" }] },
      }),
    ).toEqual({
      id: "1",
      media_type: "image",
      url: "p",
      cover_image_url: "p",
      create_time: 5,
      expire_time: 86_405,
      links: [],
    });
    expect(
      story({
        pk: "1",
        story_cta: [{ links: [{ webUri: "https://a.example" }] }],
        story_cta_url: "https://a.example",
      }).links,
    ).toEqual(["https://a.example"]);
    expect(formerUsername({ username: "old" })).toEqual({ username: "old" });
    expect(formerUsername("old")).toEqual({ username: "old" });
  });

  test("a general search mixes kinds, each hit with one object of its type's name", () => {
    const found = hits({
      users: [{ user: { pk: 1 } }],
      hashtags: [{ hashtag: { id: "2", name: "h" } }],
      places: [{ place: { location: { pk: 3 } } }],
      media_grid: {
        sections: [
          {
            layout_content: {
              medias: [
                { media: { code: "CAnqPB-Jzcj" } },
                { media: { code: "CAnqPB-Jzck", product_type: "clips" } },
              ],
            },
          },
        ],
      },
    });
    expect(found.map((hit) => Object.keys(hit))).toEqual([
      ["type", "user"],
      ["type", "hashtag"],
      ["type", "place"],
      ["type", "post"],
      ["type", "reel"],
    ]);
    expect(found.map(({ type }) => type)).toEqual(["user", "hashtag", "place", "post", "reel"]);
  });

  test("sections and hashtags", () => {
    expect(
      section({ id: "1", name: "n", subsections: [{ id: "2", name: "m" }, { name: "no number" }] }),
    ).toEqual({
      id: "1",
      name: "n",
      subsections: [{ id: "2", name: "m" }],
    });
    expect(section({ section_id: 1, subsections: null })).toEqual({ id: "1" });
    expect(hashtag({ id: "17841562894101784", name: "n", media_count: 5 })).toMatchObject({
      name: "n",
      post_count: 5,
    });
  });
});
