import { describe, expect, test } from "vitest";
import { found } from "../tikhub-answers.ts";

const app = "/api/v1/tiktok/app/v3";
const web = "/api/v1/tiktok/web";

describe("shortclip things that do not exist", () => {
  test.each([
    [
      "an empty object of the web beside a fault",
      "shortclip.hashtags.get",
      { tag: "nosuchtag" },
      `${web}/fetch_tag_detail`,
      { statusCode: 10205, challengeInfo: {} },
    ],
    [
      "an empty object of the app beside a fault",
      "shortclip.users.get",
      { username: "nobody" },
      `${app}/handler_user_profile`,
      { status_code: 8, user: {} },
    ],
    [
      "an empty video",
      "shortclip.videos.get",
      { video_id: "7300000000000000001" },
      `${app}/fetch_one_video`,
      { status_code: 0, aweme_detail: {} },
    ],
    [
      "an empty list of videos",
      "shortclip.videos.get",
      { video_id: "7300000000000000001", country: "GB" },
      `${app}/fetch_one_video_v3`,
      { status_code: 0, aweme_details: [] },
    ],
  ])("%s is not found", async (_name, id, input, path, data) => {
    const { played } = await found(id, input, { [path]: data });
    expect(played).toMatchObject({ ok: false, type: "not_found" });
  });

  const live = (data: object) =>
    found(
      "shortclip.users.live",
      { username: "maker" },
      { [`${web}/fetch_user_live_detail`]: data },
    );

  test.each([
    [{ liveRoom: null, user: null }],
    [{ liveRoom: { status: 4 }, user: { roomId: "9" } }],
    [{ statusCode: 19881007 }],
    [{ liveRoom: {}, user: { id: "7", roomId: "9" } }],
    [{ liveRoom: { status: 4 }, user: { id: "7", roomId: "" } }],
    [{ user: { id: "7", uniqueId: "maker", roomId: "" } }],
    [{ data: { user: { id: "7", roomId: "0" } }, statusCode: 0 }],
  ])("a user without a room is not live: %j", async (data) => {
    const { played } = await live(data);
    expect(played).toMatchObject({ ok: false, type: "not_found" });
  });

  test.each([
    [{ liveRoom: { id: "8", status: 2 }, user: { id: "7", roomId: "" } }, { ok: true }],
    [
      { liveRoom: { status: 2 }, user: { id: "7" } },
      { ok: false, type: "response_shape_error" },
    ],
    [{ user: { id: "7", roomId: "9" } }, { ok: false, type: "response_shape_error" }],
  ])("a room that cannot be read is no user without one: %j", async (data, answer) => {
    const { played } = await live(data);
    expect(played).toMatchObject(answer);
  });
});

describe("shortclip lists of a private account", () => {
  const username = "7486586574684881927";
  const profile = `${app}/handler_user_profile`;
  const ids = `${app}/get_user_id_and_sec_user_id_by_username`;
  const lists: [string, string, object][] = [
    ["shortclip.users.videos", "fetch_user_post_videos", { aweme_list: [], has_more: 0 }],
    ["shortclip.users.likes", "fetch_user_like_videos", { aweme_list: null, has_more: 0 }],
    ["shortclip.users.reposts", "fetch_user_repost_videos", { aweme_list: [] }],
    ["shortclip.users.followers", "fetch_user_follower_list", { followers: [], has_more: false }],
    ["shortclip.users.following", "fetch_user_following_list", { followings: [] }],
  ];
  test.each(lists)("%s is not found, of a public account it is empty", async (id, path, empty) => {
    for (const [secret, answer] of [
      [1, { ok: false, type: "not_found" }],
      [0, { ok: true, data: [] }],
    ] as const) {
      const { played } = await found(
        id,
        { username },
        {
          [`${app}/${path}`]: { status_code: 0, ...empty },
          [profile]: { user: { uid: username, sec_uid: "MS4wLjABAAAAmade-up_0123456789", secret } },
          [ids]: { user_id: username, sec_user_id: "MS4wLjABAAAAmade-up_0123456789" },
        },
      );
      expect(played).toMatchObject(answer);
    }
  });

  test("an empty list costs one look at the profile, another list none", async () => {
    const at = (followers: object[]) =>
      found(
        "shortclip.users.followers",
        { username },
        {
          [`${app}/fetch_user_follower_list`]: { followers, has_more: false },
          [profile]: { user: { uid: username } },
        },
      );
    expect((await at([])).requests).toHaveLength(2);
    expect((await at([{ uid: "7" }])).requests).toHaveLength(1);
  });
});
