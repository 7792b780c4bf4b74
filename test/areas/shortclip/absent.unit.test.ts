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

  test.each([
    [{ liveRoom: {}, user: { id: "7", roomId: "9" } }],
    [{ liveRoom: { status: 4 }, user: { id: "7", roomId: "" } }],
    [{ user: { id: "7", uniqueId: "maker", roomId: "" } }],
    [{ data: { user: { id: "7", roomId: "0" } }, statusCode: 0 }],
  ])("a user without a room is not live: %j", async (data) => {
    const { played } = await found(
      "shortclip.users.live",
      { username: "maker" },
      { [`${web}/fetch_user_live_detail`]: data },
    );
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
    const { played } = await found(
      "shortclip.users.live",
      { username: "maker" },
      { [`${web}/fetch_user_live_detail`]: data },
    );
    expect(played).toMatchObject(answer);
  });
});
