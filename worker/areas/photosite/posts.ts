import type { photosite } from "../../../contract/areas/photosite/index.ts";
import { GatewayError } from "../../../contract/errors.ts";
import type { Call, Connector } from "../../connector.ts";
import { listedById } from "../../mapping/list.ts";
import { get, unwrap } from "../../upstreams/tikhub/client.ts";
import { type Wire, array, at, need, object, text } from "#wire";
import { download, onePost, post } from "./post.map.ts";
import { absent, isNothing, pageIn, token } from "../../upstreams/tikhub/instagram-reply.ts";
import { mediaIdOf } from "../../upstreams/tikhub/shortcode.map.ts";
import { comment, listedUser } from "./user.map.ts";

const v2 = "/api/v1/instagram/v2";
const v3 = "/api/v1/instagram/v3";

export default {
  "photosite.posts.get": async (input, call) => ({
    // A promoted post that the caller asks for by its code is no advert among others.
    data: onePost(await readPost(call, input.shortcode)),
  }),
  "photosite.posts.download": async (input, call) => ({
    data: download(await readPost(call, input.shortcode)),
  }),
  "photosite.posts.comments": (input, call) =>
    listedById(call, input, async (position) => {
      const body = await get(call, `${v3}/get_post_comments`, {
        code: input.shortcode,
        sort_order: input.sort,
        // The cursor is JSON text that must be sent back byte for byte.
        min_id: text(position),
      });
      return pageIn(body, {
        keys: ["comments", "edges"],
        edges: ["edge_media_to_parent_comment", "edge_media_to_comment"],
        thing: "post",
        read: (row) => comment(row, input.shortcode),
        // The flag for more pages varies; a cursor always means more.
        next: token("next_min_id"),
      });
    }),
  "photosite.comments.replies": (input, call) => {
    const media_id = numberOfCode(input.shortcode);
    return listedById(call, input, async (position) => {
      const body = await get(call, `${v3}/get_comment_replies`, {
        media_id,
        comment_id: input.commentId,
        min_id: text(position),
      });
      return pageIn(body, {
        keys: ["child_comments", "edges"],
        edges: ["edge_threaded_comments"],
        thing: "comment",
        read: (row) => comment(row, input.shortcode),
        next: token("next_min_child_cursor"),
      });
    });
  },
  "photosite.posts.likes": (input, call) =>
    listedById(call, input, async (position) => {
      const body = await get(call, `${v2}/fetch_post_likes`, {
        code_or_url: input.shortcode,
        end_cursor: text(position),
      });
      return pageIn(body, {
        keys: ["items", "users"],
        edges: ["edge_liked_by"],
        thing: "post",
        read: listedUser,
        next: token("end_cursor", "pagination_token"),
      });
    }),
  "photosite.reels.recommended": (input, call) =>
    listedById(call, input, async (position) => {
      const query = { first: 50, after: text(position) };
      const body = await get(call, `${v3}/get_recommended_reels`, query);
      return pageIn(body, { keys: ["edges", "items"], read: post, next: token() });
    }),
} satisfies Partial<Connector<typeof photosite>>;

async function readPost(call: Call, code: string): Promise<Wire> {
  const body = await get(call, `${v3}/get_post_info_by_code`, { code });
  const inner = unwrap(body, "items", "code", "shortcode");
  const nothing = isNothing(body) || inner?.items === null || array(inner?.items)?.length === 0;
  const row = inner && "items" in inner ? object(at(inner.items, 0)) : inner;
  if (nothing) throw absent("post");
  return need(row, "data.items[0]");
}

/** The number of a post from its shortcode; a well-formed code may still have no number. */
export function numberOfCode(shortcode: string): string {
  const number = mediaIdOf(shortcode);
  if (number !== undefined) return number;
  throw new GatewayError(
    "invalid_id",
    "shortcode is not a valid identifier: it must be the code of a number below 2^64",
  );
}
