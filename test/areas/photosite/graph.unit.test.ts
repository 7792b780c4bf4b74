import { expect, test } from "vitest";
import type { SampleRequest } from "../../../worker/sandbox/sample.ts";
import { play, playToEnd } from "../play.ts";
import { tikhubAnswers } from "../tikhub-answers.ts";

/** The platform's web answers: the owner of a list, and the list in it. */

const v1 = "/api/v1/instagram/v1";
const v2 = "/api/v1/instagram/v2";
const v3 = "/api/v1/instagram/v3";
const person = (id: string) => ({ node: { id, username: `user${id}` } });
const picture = (id: string) => ({ node: { id, shortcode: `CAnqPB-Jzc${id}` } });
const words = (id: string) => ({ node: { id, text: "so" } });
const album = (id: string) => ({ node: { id, title: "Sea" } });
const username = "someone";
const shortcode = "CAnqPB-Jzcj";

const cases = [
  [
    "users.followers",
    { username },
    v3,
    "get_user_followers",
    "user.edge_followed_by",
    person,
    "max_id",
  ],
  ["users.following", { username }, v3, "get_user_following", "user.edge_follow", person, "max_id"],
  [
    "users.highlights",
    { username },
    v3,
    "get_user_highlights",
    "user.edge_highlight_reels",
    album,
    "after",
  ],
  [
    "users.posts",
    { username },
    v3,
    "get_user_posts",
    "user.edge_owner_to_timeline_media",
    picture,
    "after",
  ],
  [
    "users.tagged_posts",
    { username },
    v3,
    "get_user_tagged_posts",
    "user.edge_user_to_photos_of_you",
    picture,
    "after",
  ],
  [
    "posts.comments",
    { shortcode },
    v3,
    "get_post_comments",
    "shortcode_media.edge_media_to_comment",
    words,
    "min_id",
  ],
  [
    "posts.likes",
    { shortcode },
    v2,
    "fetch_post_likes",
    "shortcode_media.edge_liked_by",
    person,
    "end_cursor",
  ],
  [
    "hashtags.posts",
    { tag: "sea" },
    v2,
    "fetch_hashtag_posts",
    "hashtag.edge_hashtag_to_media",
    picture,
    "pagination_token",
  ],
  [
    "locations.posts",
    { id: "7" },
    v2,
    "fetch_location_posts",
    "location.edge_location_to_media",
    picture,
    "pagination_token",
  ],
  [
    "locations.posts",
    { id: "7", tab: "ranked" },
    v1,
    "fetch_location_posts",
    "location.edge_location_to_media",
    picture,
    "end_cursor",
  ],
] as const;

/**
 * A reply that holds the list two levels down, as usual, or at a place that the gateway does not
 * read.
 */
function holding(place: string, connection: object) {
  const [holder, edge] = place.split(".") as [string, string];
  return {
    data: { [holder]: { id: "9", edge_of_another_kind: { edges: [] }, [edge]: connection } },
  };
}

test.each(cases)(
  "photosite.%s %j is read in the web's form, with its cursor",
  async (name, input, version, route, place, row, parameter) => {
    const { samples, requests } = tikhubAnswers({
      [`${version}/${route}`]: ({ query }: SampleRequest) =>
        query?.[parameter] === undefined
          ? holding(place, {
              count: 2,
              page_info: { has_next_page: true, end_cursor: "QVF==" },
              edges: [row("1")],
            })
          : holding(place, {
              count: 2,
              page_info: { has_next_page: false, end_cursor: null },
              edges: [row("2")],
            }),
    });
    const rows = await playToEnd<{ id: string }>(`photosite.${name}`, input, { samples });
    expect(rows.flat().map(({ id }) => id)).toEqual(["1", "2"]);
    expect(requests.at(-1)?.query?.[parameter]).toBe("QVF==");
  },
);

test.each(cases)(
  "photosite.%s %j with its list or cursor elsewhere does not count as a list's end",
  async (name, input, version, route, place, row) => {
    const played = async (data: unknown) => {
      const { samples } = tikhubAnswers({ [`${version}/${route}`]: data });
      return play(`photosite.${name}`, input, { samples });
    };
    const moved = { page_info: { has_next_page: false }, edges: [row("1")] };
    const withoutCursor = {
      page_info: { has_next_page: true, cursor: "QVF==" },
      edges: [row("1")],
    };
    for (const data of [holding(`${place}_moved`, moved), holding(place, withoutCursor)]) {
      expect(await played(data)).toMatchObject({ ok: false, type: "response_shape_error" });
    }
  },
);
