import type { photosite } from "../../../contract/areas/photosite/index.ts";
import { GatewayError, invalid } from "../../../contract/errors.ts";
import type { Connector } from "../../connector.ts";
import { listed, wholeById } from "../../mapping/list.ts";
import { get, unwrap } from "../../upstreams/tikhub/client.ts";
import { ShapeError, at, boolean, found, id, text } from "#wire";
import { hashtag, hitKey, hitLists, hits, location } from "./place.map.ts";
import places from "./places.ts";
import posts, { numberOfCode } from "./posts.ts";
import { isNothing, pageIn } from "../../upstreams/tikhub/instagram-reply.ts";
import { shortcodeOf } from "../../upstreams/tikhub/shortcode.map.ts";
import { listedUser } from "./user.map.ts";
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
    const shortcode = answered(body, ["shortcode", "code"], /^[A-Za-z0-9_-]{5,40}$/, "post");
    return { data: { url, shortcode } };
  },
  "photosite.resolve.user_id": async (input, call) => {
    const { username } = input;
    const body = await get(call, `${v3}/get_user_id_by_username`, { username });
    const user_id = answered(body, ["user_id", "pk", "id"], /^[0-9]{1,20}$/, "user");
    return { data: { username, user_id } };
  },
  "photosite.resolve.username": async (input, call) => {
    const { user_id } = input;
    const body = await get(call, `${v2}/user_id_to_username`, { user_id });
    const username = answered(body, ["username"], /^[A-Za-z0-9_.]{1,30}$/, "user");
    return { data: { user_id, username } };
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
    return wholeById(call, pageIn(body, { keys: ["hashtags"], read: hashtag }).rows);
  },
  "photosite.search.places": async (input, call) => {
    const body = await get(call, `${v3}/search_places`, { query: input.q });
    return wholeById(call, pageIn(body, { keys: ["places"], read: (row) => location(row) }).rows);
  },
  "photosite.search.users": async (input, call) => {
    const body = await get(call, `${v3}/search_users`, { query: input.q });
    return wholeById(call, pageIn(body, { keys: ["users"], read: listedUser }).rows);
  },
} satisfies Connector<typeof photosite>;

/** The shortcode in the address of a post or reel, which may also contain the author's name. */
function codeIn(pathname: string): string | undefined {
  const rule = /^(?:\/[A-Za-z0-9_.]{1,30})?\/(?:p|reels?|tv)\/([A-Za-z0-9_-]{5,40})(?:\/|$)/;
  return pathname.startsWith("/share/") ? undefined : rule.exec(pathname)?.[1];
}

/**
 * The identifier of a look-up: the whole of `data`, or the first of its members that keeps the rule. A text
 * of another kind, such as a message, is none.
 */
function answered(body: unknown, keys: readonly string[], rule: RegExp, thing: string): string {
  const inner = unwrap(body, ...keys);
  const members = keys.map((key) => inner?.[key]);
  const value = [at(body, "data"), ...members].map(id).find((given) => rule.test(given ?? ""));
  const isAbsent = isNothing(body) || members.some((member) => member === null || member === "");
  if (value === undefined && !isAbsent) throw new ShapeError(`data.${keys[0]}`);
  return found(value, thing);
}
