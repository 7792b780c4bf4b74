import { describe, expect, test } from "vitest";
import { post } from "../../../worker/areas/forum/posts.map.ts";

const media = { a: { status: "valid", s: { u: "https://i.example/a", x: 4, y: 3 } } };

describe("forum posts", () => {
  test("forum surprise 2: false and null mean never, words are no pictures", () => {
    const row = { name: "t3_1", edited: false, thumbnail: "self", link_flair_text: null };
    expect(post({ ...row, media: null, likes: null, is_self: true })).toEqual({
      id: "t3_1",
      text: "",
      media_type: "text",
      images: [],
    });
    expect(
      post({ ...row, edited: 1_746_721_378.5, thumbnail: "https://i.example/t" }),
    ).toMatchObject({
      edit_time: 1_746_721_378,
      thumbnail_url: "https://i.example/t",
    });
  });

  test("forum surprise 6: deleted or removed entries keep their marks", () => {
    expect(post({ name: "t3_1", author: "[deleted]", selftext: "[removed]" })).toMatchObject({
      text: "[removed]",
      author: { username: "[deleted]", display_name: "[deleted]" },
    });
  });

  test("forum surprise 8: gallery pictures that are not ready are left out", () => {
    const items = [
      { media_id: "b" },
      { media_id: "a", caption: "first" },
      { media_id: "missing" },
      { media_id: "c" },
    ];
    const media_metadata = { ...media, b: { status: "unprocessed" }, c: { s: { gif: "g" } } };
    const row = { name: "t3_1", is_gallery: true, gallery_data: { items }, media_metadata };
    expect(post(row)).toMatchObject({
      media_type: "gallery",
      images: [{ url: "https://i.example/a", width: 4, height: 3, caption: "first" }, { url: "g" }],
    });
    expect(post({ ...row, gallery_data: null, media_metadata: null }).images).toEqual([]);
  });

  test("forum surprise 9: a fresh video is marked as video without its file", () => {
    const row = post({ name: "t3_1", is_video: true, media: null, secure_media: null });
    expect(row.media_type).toBe("video");
    expect(row).not.toHaveProperty("video");
  });

  test.each([
    ["poll", { poll_data: {}, is_self: true }],
    ["crosspost", { crosspost_parent_list: [{}], is_video: true }],
    ["image", { post_hint: "image", is_self: false }],
    ["video", { post_hint: "rich:video", is_self: false }],
    ["link", { post_hint: "link", is_self: false }],
    [undefined, {}],
  ])("media_type %s", (expected, row) => {
    expect(post({ name: "t3_1", ...row }).media_type).toBe(expected);
  });
});
