import { describe, expect, test } from "vitest";
import { comment, user, userId } from "../../../worker/areas/shortclip/people.map.ts";
import {
  hashtag,
  liveRoom,
  music,
} from "../../../worker/areas/shortclip/hashtag-music-live.map.ts";
import { video } from "../../../worker/areas/shortclip/video.map.ts";
import { parseJson } from "../../../worker/mapping/json.ts";
import { ShapeError, type Wire } from "#wire";
import { refusal } from "../input.ts";

const aweme = (id: number | string, more: Wire = {}): Wire => ({
  aweme_id: String(id),
  desc: `clip ${id}`,
  author: { uid: "71", unique_id: "maker" },
  ...more,
});

describe("shortclip records", () => {
  test("shortclip surprise 3: durations are milliseconds in the app and seconds on the web", () => {
    expect(video(aweme(1, { video: { duration: 27_400 } }))?.duration).toBe(27);
    expect(video({ id: "1", video: { duration: 27 } })?.duration).toBe(27);
    expect(music({ mid: "1", duration: 27 }).duration).toBe(27);
  });

  test("shortclip surprise 4: null parts leave a complete video", () => {
    const record = video(
      aweme(1, {
        music: null,
        author: {},
        cha_list: null,
        text_extra: null,
        image_infos: null,
        video: null,
      }),
    );
    expect(record).toMatchObject({
      author: { id: "", username: "", display_name: "", avatar_url: "" },
      music: { id: "", title: "", author: "", is_original: false },
      hashtags: [],
      play_url: "",
      is_image_post: false,
    });
    expect(
      video(
        aweme(1, {
          author: { avatar_larger: { url_list: [] }, avatar_thumb: { url_list: ["u"] } },
        }),
      )?.author.avatar_url,
    ).toBe("u");
  });

  test("shortclip surprise 7: a video without statistics has counts of 0", () => {
    expect(video(aweme(1))).toMatchObject({ like_count: 0, view_count: 0 });
    expect(video({ id: "1", statsV2: { diggCount: "12" } })?.like_count).toBe(12);
  });

  test("shortclip surprise 10: a comment may be a picture without text; ids of zero are none", () => {
    const record = comment({
      cid: "7603301260598838032",
      text: "",
      reply_id: "0",
      comment_language: "un",
      image_list: [{ origin_url: { url_list: ["https://i.example/1"] } }],
      author_pin: false,
      stick_position: 1,
    });
    expect(record).toEqual({
      id: "7603301260598838032",
      text: "",
      images: ["https://i.example/1"],
      is_pinned: true,
    });
  });

  test("ids beyond 2^53 survive, as text and as numbers", () => {
    const row = parseJson('{"id": 6800370846696212482, "room_id": 7385461256746060575}') as Wire;
    expect(music(row).id).toBe("6800370846696212482");
    expect(user({ uid: "1", room_id: row.room_id }).live_room_id).toBe("7385461256746060575");
    expect(user({ uid: "1", room_id: 0 }).live_room_id).toBeUndefined();
  });

  test("contact and linkage fields are never copied, and verification_type alone verifies nobody", () => {
    const row = { uid: "1", bind_phone: "+1", google_account: "g", birthday: "1900-01-01" };
    expect(
      user({ ...row, verification_type: 1, custom_verify: "", enterprise_verify_reason: "" }),
    ).toEqual({
      id: "1",
      is_verified: false,
    });
    expect(user({ uid: "1", enterprise_verify_reason: "verified account" }).is_verified).toBe(true);
  });

  test("a photo post by any of its three marks has no play_url", () => {
    const images = [{ display_image: { url_list: ["p1"] } }, { display_image: { url_list: [] } }];
    const play_addr = { url_list: ["v"] };
    for (const mark of [
      { image_post_info: { images } },
      { aweme_type: 150 },
      { image_infos: images },
    ]) {
      expect(video(aweme(1, { ...mark, video: { play_addr } }))).toMatchObject({
        is_image_post: true,
        play_url: "",
      });
    }
    expect(video(aweme(1, { image_post_info: { images } }))).toMatchObject({
      images: ["p1"],
      cover_image_url: "p1",
    });
  });

  test("a photo post is shown by its first picture, another video by its cover", () => {
    const covered = { video: { origin_cover: { url_list: ["cover"] } } };
    const images = [{ display_image: { url_list: ["p1"] } }];
    const photos = video(aweme(1, { ...covered, image_post_info: { images } }));
    expect(photos?.cover_image_url).toBe("p1");
    for (const without of [{}, { image_post_info: { images: null } }]) {
      expect(video(aweme(1, { ...covered, ...without }))?.cover_image_url).toBe("cover");
    }
  });

  test("hashtags of the app, of a search and of the web, whose counts may be text", () => {
    expect(hashtag({ challenge_info: { cid: "7", cha_name: "a", user_count: 3 } })).toEqual({
      id: "7",
      name: "a",
      user_count: 3,
    });
    expect(hashtag({ challenge: { id: "7", title: "a" }, statsV2: { videoCount: "12" } })).toEqual({
      id: "7",
      name: "a",
      video_count: 12,
    });
    expect(() => hashtag({ cha_name: "a" })).toThrow(ShapeError);
  });

  test("live rooms of the app, of the web and as JSON text in a search", () => {
    expect(
      liveRoom({ id_str: "9", status: 4, owner: { id_str: "3", display_id: "maker" } }),
    ).toEqual({
      id: "9",
      status: "ended",
      owner: { id: "3", username: "maker" },
    });
    expect(
      liveRoom({
        liveRoom: { status: 2, liveRoomStats: { userCount: 5 } },
        user: { roomId: "9", id: "3" },
      }),
    ).toEqual({
      id: "9",
      status: "live",
      viewer_count: 5,
      owner: { id: "3" },
    });
    expect(liveRoom({ lives: { rawdata: '{"id": 7385461256746060575, "title": "t"}' } })).toEqual({
      id: "7385461256746060575",
      title: "t",
    });
    expect(() => liveRoom({ lives: { rawdata: "{" } })).toThrow(ShapeError);
  });

  test("ids of a user under either name", () => {
    expect(userId({ user_id: "5", sec_user_id: "MS4" })).toEqual({ user_id: "5", sec_uid: "MS4" });
    expect(userId({ uid: "5", sec_uid: "MS4", unique_id: "m" })).toEqual({
      user_id: "5",
      sec_uid: "MS4",
      username: "m",
    });
  });
});

test.each([
  ["shortclip.videos.get", { video_id: "12345" }, "", "invalid_id"],
  ["shortclip.videos.get", { video_id: "730000000000000000012" }, "", "invalid_id"],
  ["shortclip.videos.get", { video_id: "7300000000000000001" }, "country=xyz", "validation_error"],
  ["shortclip.videos.get", { video_id: "7300000000000000001" }, "country=us", "ok"],
  ["shortclip.users.get", { username: "a b" }, "", "invalid_id"],
  ["shortclip.users.get", { username: "a".repeat(25) }, "", "invalid_id"],
  ["shortclip.users.get", { username: "@a_b.c" }, "", "ok"],
  ["shortclip.hashtags.get", { tag: "two words" }, "", "invalid_id"],
  ["shortclip.hashtags.get", { tag: "#" }, "", "invalid_id"],
  ["shortclip.hashtags.get", { tag: "#über" }, "", "ok"],
  ["shortclip.music.get", { music_id: "x" }, "", "invalid_id"],
  ["shortclip.live.get", { room_id: "" }, "", "invalid_id"],
  ["shortclip.users.resolve", {}, "", "validation_error"],
  ["shortclip.users.resolve", {}, "username=a&url=https://www.tiktok.com/@a", "validation_error"],
  [
    "shortclip.resolve.video_id",
    {},
    "url=https://other.example/video/7300000000000000001",
    "validation_error",
  ],
])("shortclip ids: %s %j %s is %s", (id, path, query, expected) => {
  expect(refusal(id, path, query)).toBe(expected);
});
