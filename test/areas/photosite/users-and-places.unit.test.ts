import { describe, expect, test } from "vitest";
import { hashtag, hits, location, section } from "../../../worker/areas/photosite/place.map.ts";
import { story } from "../../../worker/areas/photosite/post.map.ts";
import {
  comment,
  formerUsername,
  highlight,
  user,
} from "../../../worker/areas/photosite/user.map.ts";
import { parseJson } from "../../../worker/mapping/json.ts";
import { ShapeError, type Wire } from "#wire";

describe("photosite records", () => {
  test("profiles of either dialect; contact fields are left out", () => {
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

  test("a location's address may be JSON inside JSON; its facebook number is never its id", () => {
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

  test("a general search mixes kinds, each hit with one object named after its type", () => {
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
