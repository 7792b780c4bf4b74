import { describe, expect, test } from "vitest";
import { refusal } from "../input.ts";
import { play } from "../play.ts";
import { found } from "../tikhub-answers.ts";

const v3 = "/api/v1/instagram/v3";

describe("photosite ids", () => {
  test.each([
    ["https://www.instagram.com/p/CAnqPB-Jzcj/?igsh=x", "CAnqPB-Jzcj"],
    ["https://instagram.com/reel/CAnqPB-Jzcj", "CAnqPB-Jzcj"],
    ["https://www.instagram.com/some.one/reels/CAnqPB-Jzcj/", "CAnqPB-Jzcj"],
    ["https://www.instagram.com/tv/CAnqPB-Jzcj/", "CAnqPB-Jzcj"],
  ])("%s is read without a call", async (url, shortcode) => {
    const { played, requests } = await found("photosite.resolve.shortcode", { url }, {});
    expect(played).toMatchObject({ ok: true, data: { url, shortcode } });
    expect(requests).toEqual([]);
  });

  test("a share link is resolved by a call, another address is the caller's fault", async () => {
    const url = "https://www.instagram.com/share/reel/BAsample";
    const { played } = await found(
      "photosite.resolve.shortcode",
      { url },
      {
        [`${v3}/extract_shortcode`]: { shortcode: "CAnqPB-Jzcj" },
      },
    );
    expect(played).toMatchObject({ ok: true, data: { shortcode: "CAnqPB-Jzcj" } });
    const other = await play("photosite.resolve.shortcode", {
      url: "https://www.instagram.com/explore/",
    });
    expect(other).toMatchObject({ ok: false, type: "validation_error" });
  });

  test("numbers and codes are computed; beyond 64 bits they are invalid", async () => {
    const code = await play("photosite.resolve.shortcode_from_media", {
      media_id: "2317006284167526179_1",
    });
    expect(code).toMatchObject({
      ok: true,
      data: { shortcode: "CAnqPB-Jzcj", media_id: "2317006284167526179_1" },
    });
    for (const [id, input] of [
      ["photosite.resolve.media_id", { shortcode: "___________" }],
      ["photosite.resolve.shortcode_from_media", { media_id: "9".repeat(25) }],
      ["photosite.comments.replies", { shortcode: "___________", commentId: "17900000000000001" }],
    ] as const) {
      expect(await play(id, input)).toMatchObject({ ok: false, type: "invalid_id" });
    }
  });

  test.each([
    [{ user_id: 58208242181 }],
    [{ data: { user_id: "58208242181" } }],
    [{ pk: "58208242181" }],
    ["58208242181"],
  ])("a user's number may come as %j", async (data) => {
    const { played } = await found(
      "photosite.resolve.user_id",
      { username: "ann" },
      { [`${v3}/get_user_id_by_username`]: data },
    );
    expect(played).toMatchObject({ ok: true, data: { username: "ann", user_id: "58208242181" } });
  });

  test.each([
    [null, "not_found"],
    [{ user_id: null }, "not_found"],
    [{ user_id: "" }, "not_found"],
    ["User not found", "response_shape_error"],
    [{ user_id: "User not found" }, "response_shape_error"],
    [{ status: "ok" }, "response_shape_error"],
  ])("a look-up that answers %j is %s, never a record", async (data, type) => {
    for (const [id, input, path] of [
      ["photosite.resolve.user_id", { username: "ann" }, "v3/get_user_id_by_username"],
      ["photosite.resolve.username", { user_id: "58208242181" }, "v2/user_id_to_username"],
    ] as const) {
      const renamed = JSON.parse(
        JSON.stringify(data).replace("user_id", id.split(".").at(-1) as string),
      ) as unknown;
      const { played } = await found(id, input, { [`/api/v1/instagram/${path}`]: renamed });
      expect(played).toMatchObject({ ok: false, type });
    }
  });
});

test.each([
  ["photosite.posts.get", { shortcode: "abc" }, "", "invalid_id"],
  ["photosite.posts.get", { shortcode: "a.b.c" }, "", "invalid_id"],
  ["photosite.users.get", { username: "A.B_c" }, "", "ok"],
  ["photosite.users.get", { username: "a-b" }, "", "invalid_id"],
  ["photosite.cities.places", { cityId: "c2791472" }, "", "ok"],
  ["photosite.cities.places", { cityId: "paris" }, "", "invalid_id"],
  ["photosite.countries.cities", { countryCode: "us" }, "", "ok"],
  ["photosite.countries.cities", { countryCode: "usa" }, "", "invalid_id"],
  ["photosite.hashtags.posts", { tag: "#sea" }, "", "ok"],
  ["photosite.hashtags.posts", { tag: "sea side" }, "", "invalid_id"],
  ["photosite.resolve.shortcode_from_media", {}, "media_id=123", "invalid_id"],
  ["photosite.locations.search", {}, "latitude=40.7&longitude=-74", "ok"],
  ["photosite.locations.search", {}, "latitude=90.1&longitude=0", "validation_error"],
  ["photosite.locations.search", {}, "latitude=0x10&longitude=0", "validation_error"],
  ["photosite.locations.search", {}, "latitude=1", "validation_error"],
  ["photosite.users.posts", { username: "a" }, "limit=1.0", "validation_error"],
  ["photosite.users.posts", { username: "a" }, "limit=51", "validation_error"],
  ["photosite.search", {}, `q=${"a".repeat(500)}`, "ok"],
  ["photosite.search.places", {}, `q=${"a".repeat(501)}`, "validation_error"],
])("photosite ids: %s %j %s is %s", (id, path, query, expected) => {
  expect(refusal(id, path, query)).toBe(expected);
});
