import type { photosite } from "../../../contract/areas/photosite/index.ts";
import { GatewayError, invalid } from "../../../contract/errors.ts";
import type { Connector } from "../../connector.ts";
import { listed, whole } from "../../mapping/list.ts";
import { get, unwrap } from "../../upstreams/tikhub/client.ts";
import { ShapeError, at, boolean, found, id, text } from "#wire";
import { hashtag, hitKey, hitLists, hits, location } from "./place.map.ts";
import places from "./places.ts";
import posts, { numberOfCode } from "./posts.ts";
import { isNothing, pageIn } from "../../upstreams/tikhub/instagram-reply.ts";
import { shortcodeOf } from "../../upstreams/tikhub/shortcode.map.ts";
import { listedUser, numberOf } from "./user.map.ts";
import users from "./users.ts";

const v2 = "/api/v1/instagram/v2";
const v3 = "/api/v1/instagram/v3";

export default {
  ...places,
  ...posts,
  ...users,
  "photosite.resolve.media_id": async (input) => ({
    data: { shortcode: input.shortcode, media_id: numberOfCode(input.shortcode) },
  }),
  "photosite.resolve.shortcode_from_media": async (input) => {
    const shortcode = shortcodeOf(input.media_id);
    if (shortcode === undefined)
      throw new GatewayError(
        "invalid_id",
        "media_id is not a valid identifier: it must be below 2^64",
      );
    return { data: { media_id: input.media_id, shortcode } };
  },
  "photosite.resolve.shortcode": async (input, call) => {
    const { url } = input;
    const { pathname } = new URL(url);
    const written = codeIn(pathname);
    if (written !== undefined) return { data: { url, shortcode: written } };
    if (!pathname.startsWith("/share/")) {
      throw invalid("query", "url", "no_post", "is not the address of a post or reel");
    }
    const body = await get(call, `${v3}/extract_shortcode`, { url });
    const answer = at(body, "data");
    const inner = unwrap(body, "shortcode", "code");
    const shortcode = text(answer) ?? text(inner?.shortcode) ?? text(inner?.code);
    return { data: { url, shortcode: answered(body, shortcode, "post", "data.shortcode") } };
  },
  "photosite.resolve.user_id": async (input, call) => {
    const { username } = input;
    const body = await get(call, `${v3}/get_user_id_by_username`, { username });
    const inner = unwrap(body, "user_id", "pk", "id");
    const user_id = id(at(body, "data")) ?? id(inner?.user_id) ?? numberOf(inner);
    return { data: { username, user_id: answered(body, user_id, "user", "data.user_id") } };
  },
  "photosite.resolve.username": async (input, call) => {
    const { user_id } = input;
    const body = await get(call, `${v2}/user_id_to_username`, { user_id });
    const username = text(at(body, "data")) ?? text(unwrap(body, "username")?.username);
    return { data: { user_id, username: answered(body, username, "user", "data.username") } };
  },
  "photosite.search": (input, call) =>
    listed(call, {
      limit: input.limit,
      async fetch(position) {
        const body = await get(call, `${v3}/general_search`, {
          query: input.q,
          next_max_id: text(at(position, "max_id")),
          rank_token: text(at(position, "rank")),
        });
        const reply = unwrap(body, ...hitLists, "media_grid");
        if (!reply) throw new ShapeError("data.users");
        const grid = reply.media_grid;
        const more = boolean(reply.has_more) ?? boolean(at(grid, "has_more"));
        const max_id = id(reply.next_max_id) ?? id(at(grid, "next_max_id"));
        const rank = text(reply.rank_token) ?? text(at(grid, "rank_token"));
        const rows = hits(reply);
        const isOn = more !== false && max_id !== undefined;
        return {
          rows,
          next: isOn ? { max_id, ...(rank === undefined ? {} : { rank }) } : undefined,
          more: rows.length > 0 ? more : undefined,
        };
      },
      key: hitKey,
    }),
  "photosite.search.hashtags": async (input, call) => {
    const body = await get(call, `${v3}/search_hashtags`, { query: input.q });
    return whole(call, pageIn(body, { keys: ["hashtags"], read: hashtag }).rows);
  },
  "photosite.search.places": async (input, call) => {
    const body = await get(call, `${v3}/search_places`, { query: input.q });
    return whole(call, pageIn(body, { keys: ["places"], read: (row) => location(row) }).rows);
  },
  "photosite.search.users": async (input, call) => {
    const body = await get(call, `${v3}/search_users`, { query: input.q });
    return whole(call, pageIn(body, { keys: ["users"], read: listedUser }).rows);
  },
} satisfies Connector<typeof photosite>;

/** The shortcode in the address of a post or reel, which may also contain the author's name. */
function codeIn(pathname: string): string | undefined {
  const rule = /^(?:\/[A-Za-z0-9_.]{1,30})?\/(?:p|reels?|tv)\/([A-Za-z0-9_-]{5,40})(?:\/|$)/;
  return pathname.startsWith("/share/") ? undefined : rule.exec(pathname)?.[1];
}

function answered(body: unknown, value: string | undefined, thing: string, path: string): string {
  if (value === undefined && !isNothing(body)) throw new ShapeError(path);
  return found(value, thing);
}
