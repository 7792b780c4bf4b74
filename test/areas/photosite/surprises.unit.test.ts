import { expect, test } from "vitest";
import { location } from "../../../worker/areas/photosite/place.map.ts";
import { post } from "../../../worker/areas/photosite/post.map.ts";
import { found } from "../tikhub-answers.ts";
import { mediaIdOf } from "../../../worker/upstreams/tikhub/shortcode.map.ts";

test("photosite surprise 8: signed addresses are passed on byte for byte", () => {
  const signed = "https://images.example/p.jpg?stp=dst-jpg&_nc_ohc=abc&oh=00_AfX&oe=6512AB3C";
  const record = post({
    code: "CAnqPB-Jzcj",
    image_versions2: { candidates: [{ url: signed, width: 1080, height: 1080 }] },
  });
  expect(record?.cover_image_url).toBe(signed);
});

test("photosite surprise 9: a promoted post is read by its code, and left out of a list", async () => {
  const promoted = { pk: "2317006284167526179", code: "CAnqPB-Jzcj", is_ad: true, ad_id: "5" };
  const single = await found(
    "photosite.posts.get",
    { shortcode: "CAnqPB-Jzcj" },
    { "/api/v1/instagram/v3/get_post_info_by_code": { items: [promoted] } },
  );
  expect(single.played).toMatchObject({ ok: true, data: { shortcode: "CAnqPB-Jzcj" } });
  const list = await found(
    "photosite.reels.recommended",
    {},
    { "/api/v1/instagram/v3/get_recommended_reels": { edges: [{ node: { media: promoted } }] } },
  );
  expect(list.played).toMatchObject({ ok: true, data: [] });
});

test("photosite surprise 11: hidden likes are absent", () => {
  expect(post({ code: "CAnqPB-Jzcj", like_count: -1 })).not.toHaveProperty("like_count");
  expect(
    post({ code: "CAnqPB-Jzcj", like_count: 3, like_and_view_counts_disabled: true }),
  ).not.toHaveProperty("like_count");
  expect(post({ code: "CAnqPB-Jzcj", like_count: 3 })?.like_count).toBe(3);
});

test("photosite surprise 12: a private account's longer code counts by its first 11 characters", () => {
  expect(mediaIdOf("CAnqPB-JzcjABCDEFGHIJ")).toBe(mediaIdOf("CAnqPB-Jzcj"));
  expect(mediaIdOf("CAnqPB-Jzck")).not.toBe(mediaIdOf("CAnqPB-Jzcj"));
});

test("photosite surprise 13: an address may be JSON text, and the facebook number is not the id", () => {
  const record = location({
    pk: 213385402,
    facebook_places_id: 107677462599905,
    name: "Harbour",
    address_json: JSON.stringify({ street_address: "1 Pier Road", city_name: "Sample Bay" }),
  });
  expect(record).toMatchObject({ id: "213385402", address: "1 Pier Road", city: "Sample Bay" });
});
