import type { photosite } from "../../../contract/areas/photosite/index.ts";
import type { Json } from "../../../contract/json.ts";
import type { Answer, Call, Connector } from "../../connector.ts";
import { type Page, listedById, whole, wholeById } from "../../mapping/list.ts";
import { get } from "../../upstreams/tikhub/client.ts";
import { type Wire, array, at, found, object, text } from "#wire";
import { post, story } from "./post.map.ts";
import { absent, objectIn, pageIn, token } from "../../upstreams/tikhub/instagram-reply.ts";
import { formerUsername, highlight, listedUser, user } from "./user.map.ts";

const v2 = "/api/v1/instagram/v2";
const v3 = "/api/v1/instagram/v3";
const pageSize = 50;

/** The web dialect's names of a user's lists. */
const edgesOf = {
  followers: "edge_followed_by",
  following: "edge_follow",
  highlights: "edge_highlight_reels",
  posts: "edge_owner_to_timeline_media",
  reels: "edge_felix_video_timeline",
  tagged_posts: "edge_user_to_photos_of_you",
} as const;

export default {
  "photosite.users.get": async (input, call) => ({
    data: found(await profileOf(call, input.username), "user"),
  }),
  "photosite.users.followers": (input, call) => people(call, input, "followers"),
  "photosite.users.following": (input, call) => people(call, input, "following"),
  "photosite.users.former_usernames": async (input, call) => {
    const { username } = input;
    const body = await get(call, `${v3}/get_user_former_usernames`, { username });
    const { rows } = pageIn(body, {
      keys: ["former_usernames", "usernames", "items"],
      thing: "user",
      // The list mixes bare texts and objects.
      unfold: (list) => list.map((entry) => object(entry) ?? { username: entry }),
      read: formerUsername,
    });
    return whole(call, await unlessPrivate(call, username, rows));
  },
  "photosite.users.highlights": (input, call) => ofUser(call, input, "highlights", highlight),
  "photosite.users.posts": (input, call) => ofUser(call, input, "posts", post),
  "photosite.users.reels": (input, call) => ofUser(call, input, "reels", post),
  "photosite.users.similar": async (input, call) => {
    const { username } = input;
    const body = await get(call, `${v2}/fetch_similar_users`, { username });
    const keys = ["items", "users", "edges"];
    const edges = ["edge_chaining", "edge_related_profiles"];
    const { rows } = pageIn(body, { keys, edges, thing: "user", read: listedUser });
    return wholeById(call, await unlessPrivate(call, username, rows));
  },
  "photosite.users.stories": async (input, call) => {
    const { username } = input;
    const body = await get(call, `${v3}/get_user_stories`, { username });
    const { rows } = pageIn(body, {
      keys: ["reels_media", "items"],
      thing: "user",
      unfold: storiesOf,
      read: story,
    });
    return wholeById(call, await unlessPrivate(call, username, rows));
  },
  "photosite.users.tagged_posts": (input, call) => ofUser(call, input, "tagged_posts", post),
} satisfies Partial<Connector<typeof photosite>>;

async function profileOf(call: Call, username: string) {
  const body = await get(call, `${v3}/get_user_profile`, { username });
  const row = objectIn(body, ["user"]);
  return row && user(row);
}

/** Refuses an empty list of a private account: only the profile distinguishes it from an account without entries. */
async function unlessPrivate<Row>(call: Call, username: string, rows: Row[]): Promise<Row[]> {
  if (rows.length > 0) return rows;
  const profile = await profileOf(call, username);
  if (profile === undefined || profile.is_private === true) throw absent("public user");
  return rows;
}

/** A list of a user; an empty first page needs a look at the profile. */
function listOf<Row extends { id: string }>(
  call: Call,
  input: { username: string; limit: number },
  fetch: (position: Json | undefined) => Promise<Page<Row>>,
): Promise<Answer<Row[]>> {
  return listedById(call, input, async (position) => {
    const page = await fetch(position);
    if (position === undefined && typeof page.next !== "string") {
      await unlessPrivate(call, input.username, page.rows);
    }
    return page;
  });
}

function ofUser<Row extends { id: string }>(
  call: Call,
  input: { username: string; limit: number },
  name: keyof typeof edgesOf,
  read: (row: Wire) => Row | undefined,
): Promise<Answer<Row[]>> {
  return listOf(call, input, async (position) => {
    const query = { username: input.username, first: pageSize, after: text(position) };
    const body = await get(call, `${v3}/get_user_${name}`, query);
    const [keys, edges] = [["edges", "items"], [edgesOf[name]]];
    return pageIn(body, { keys, edges, thing: "user", read, next: token() });
  });
}

/**
 * A list that ends where `next_max_id` is absent: the flags beside it are unreliable. The web's form has no
 * such token, and its flags hold.
 */
function people(
  call: Call,
  input: { username: string; limit: number },
  name: "followers" | "following",
) {
  return listOf(call, input, async (position) => {
    const query = { username: input.username, count: pageSize, max_id: text(position) };
    const body = await get(call, `${v3}/get_user_${name}`, query);
    return pageIn(body, {
      keys: ["users", "items", "edges"],
      edges: [edgesOf[name]],
      thing: "user",
      read: listedUser,
      next: (beside) =>
        token("next_max_id")(beside) ?? (object(beside.page_info) ? undefined : null),
    });
  });
}

/** Stories in their users' trays; a story without an author belongs to the tray's user. */
function storiesOf(trays: readonly unknown[]): unknown[] {
  return trays.flatMap((tray) => {
    const items = array(at(tray, "items"));
    if (!items) return [tray];
    const owner = object(at(tray, "user")) ?? object(at(tray, "owner"));
    return items.map((item) => {
      const row = object(item);
      return row && owner ? { ...row, user: object(row.user) ?? owner } : item;
    });
  });
}
