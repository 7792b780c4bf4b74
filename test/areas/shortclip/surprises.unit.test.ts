import { expect, test } from "vitest";
import { user, userHit } from "../../../worker/areas/shortclip/people.map.ts";
import { liveRoom } from "../../../worker/areas/shortclip/hashtag-music-live.map.ts";
import { video } from "../../../worker/areas/shortclip/video.map.ts";
import type { SampleRequest } from "../../../worker/sandbox/sample.ts";
import { found } from "../tikhub-answers.ts";

test("shortclip surprise 9: tokens and cookies of a web reply reach no record", () => {
  const record = video({ id: "1", desc: "x", cookie: "ttwid=secret", tt_chain_token: "secret" });
  expect(JSON.stringify(record)).not.toContain("secret");
  expect(record?.id).toBe("1");
});

test("shortclip surprise 11: only a verification text marks a user as verified", () => {
  expect(user({ uid: "71", verification_type: 1, custom_verify: "" }).is_verified).not.toBe(true);
  expect(
    user({ uid: "71", verification_type: 0, custom_verify: "verified account" }).is_verified,
  ).toBe(true);
  expect(user({ uid: "71", enterprise_verify_reason: "verified account" }).is_verified).toBe(true);
});

test("shortclip surprise 12: a live search holds each room as JSON text", () => {
  const room = { id_str: "7123456789012345678", title: "kitchen", user_count: 12 };
  expect(liveRoom({ lives: { rawdata: JSON.stringify(room) } })).toMatchObject({
    id: "7123456789012345678",
    title: "kitchen",
    viewer_count: 12,
  });
  expect(() => liveRoom({ lives: { rawdata: "{" } })).toThrow("unexpected shape");
});

test("shortclip surprise 13: zeros of follower lists are omitted, zeros of profiles are kept", () => {
  const row = { uid: "71", follower_count: 0, aweme_count: 5 };
  expect(user(row, "list")).not.toHaveProperty("follower_count");
  expect(user(row, "list").video_count).toBe(5);
  expect(user(row).follower_count).toBe(0);
  expect(userHit({ user_info: { uid: "72", nickname: "n" } }).id).toBe("72");
});

test("shortclip surprise 5: pages of deleted videos do not end a list that claims more", async () => {
  const page = ({ query }: SampleRequest) => {
    const before = Number(query?.max_cursor);
    const max_cursor = before === 0 ? 1_611_080_207_000 : before - 1000;
    const isLast = max_cursor === 1_611_080_202_000;
    return {
      aweme_list: [{ aweme_id: String(max_cursor), status: { is_delete: !isLast } }],
      max_cursor,
      has_more: isLast ? 0 : 1,
    };
  };
  const input = { username: "MS4wLjABsample" };
  const path = "/api/v1/tiktok/app/v3/fetch_user_like_videos";
  const { played, requests } = await found("shortclip.users.likes", input, { [path]: page });
  expect(played).toMatchObject({
    data: [{ id: "1611080202000" }],
    pagination: { has_more: false },
  });
  expect(requests).toHaveLength(6);
});
