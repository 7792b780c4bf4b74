import type { photosite } from "../../../contract/areas/photosite/index.ts";
import type { PhotositePost } from "../../../contract/areas/photosite/records.ts";
import type { Answer, Call, Connector } from "../../connector.ts";
import { listedById, wholeById } from "../../mapping/list.ts";
import { get } from "../../upstreams/tikhub/client.ts";
import { type Wire, boolean, found, integer, text } from "#wire";
import { city, location, section } from "./place.map.ts";
import { flatten, post } from "./post.map.ts";
import { nextPage, objectIn, pageIn, token } from "../../upstreams/tikhub/instagram-reply.ts";

const v1 = "/api/v1/instagram/v1";
const v2 = "/api/v1/instagram/v2";
const v3 = "/api/v1/instagram/v3";
/** Paths of a list's posts, by dialect. */
const postKeys = ["items", "edges", "sections", "sectional_items", "medias"];

export default {
  "photosite.explore": async (input, call) => {
    if (input.cursor !== undefined) return { data: [] };
    const body = await get(call, `${v1}/fetch_explore_sections`);
    return wholeById(call, pageIn(body, { keys: ["sections"], read: section }).rows);
  },
  "photosite.explore.section_posts": (input, call) =>
    posts(call, input, {
      path: `${v1}/fetch_section_posts`,
      query: { section_id: input.id, count: 50 },
      thing: "section",
      token: "max_id",
      next: (beside) =>
        boolean(beside.more_available) === false
          ? undefined
          : token("next_max_id", "max_id")(beside),
    }),
  "photosite.hashtags.posts": (input, call) =>
    posts(call, input, {
      path: `${v2}/fetch_hashtag_posts`,
      edges: ["edge_hashtag_to_media"],
      query: { keyword: input.tag, feed_type: input.feed },
      thing: "hashtag",
      token: "pagination_token",
      next: token("pagination_token"),
    }),
  "photosite.cities.places": (input, call) =>
    listedById(call, input, async (position) => {
      const city_id = input.cityId.startsWith("c") ? input.cityId : `c${input.cityId}`;
      const page = integer(position);
      const body = await get(call, `${v1}/fetch_locations`, { city_id, page });
      const keys = ["location_list", "locations", "items"];
      return pageIn(body, { keys, thing: "city", read: (row) => location(row), next: nextPage });
    }),
  "photosite.countries.cities": (input, call) =>
    listedById(call, input, async (position) => {
      const query = { country_code: input.countryCode, page: integer(position) };
      const body = await get(call, `${v1}/fetch_cities`, query);
      const keys = ["city_list", "cities", "items"];
      return pageIn(body, { keys, thing: "country", read: city, next: nextPage });
    }),
  "photosite.locations.search": async (input, call) => {
    const { latitude, longitude } = input;
    const body = await get(call, `${v2}/search_by_coordinates`, { latitude, longitude });
    return wholeById(
      call,
      pageIn(body, { keys: ["items", "venues"], read: (row) => location(row) }).rows,
    );
  },
  "photosite.locations.get": async (input, call) => {
    const query = { location_id: input.id, show_nearby: false };
    const body = await get(call, `${v3}/get_location_info`, query);
    const row = objectIn(body, ["native_location_data", "location", "location_info"]);
    const data = location(found(row, "location"), input.id);
    // Nothing but the id that the caller gave is no location.
    return { data: found(Object.keys(data).length > 1 ? data : undefined, "location") };
  },
  "photosite.locations.nearby": async (input, call) => {
    const body = await get(call, `${v3}/get_location_nearby`, { location_id: input.id });
    const keys = ["nearby_locations", "locations", "venues", "items"];
    return wholeById(
      call,
      pageIn(body, { keys, thing: "location", read: (row) => location(row) }).rows,
    );
  },
  "photosite.locations.posts": (input, call) =>
    input.tab === undefined
      ? posts(call, input, {
          path: `${v2}/fetch_location_posts`,
          query: { location_id: input.id },
          thing: "location",
          edges: ["edge_location_to_media"],
          token: "pagination_token",
          next: token("pagination_token"),
        })
      : posts(call, input, {
          path: `${v1}/fetch_location_posts`,
          query: { location_id: input.id, tab: input.tab },
          thing: "location",
          edges: ["edge_location_to_media"],
          token: "end_cursor",
          next: token(),
        }),
} satisfies Partial<Connector<typeof photosite>>;

/** A list of posts with its own name of the page token. */
function posts(
  call: Call,
  input: { limit: number },
  listing: {
    path: string;
    query: Record<string, string | number>;
    thing: string;
    edges?: readonly string[];
    token: string;
    next: (beside: Wire) => string | null | undefined;
  },
): Promise<Answer<PhotositePost[]>> {
  return listedById(call, input, async (position) => {
    const query = { ...listing.query, [listing.token]: text(position) };
    const body = await get(call, listing.path, query);
    const { thing, edges = [], next } = listing;
    return pageIn(body, { keys: postKeys, edges, thing, unfold: flatten, read: post, next });
  });
}
