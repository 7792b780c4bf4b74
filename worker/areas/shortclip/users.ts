import type { shortclip } from "../../../contract/areas/shortclip/index.ts";
import type { Json } from "../../../contract/json.ts";
import type { Answer, Call, Connector } from "../../connector.ts";
import { type Page, listedById } from "../../mapping/list.ts";
import { get, unwrap } from "../../upstreams/tikhub/client.ts";
import { type Wire, at, boolean, found, integer, need, text } from "#wire";
import { secUid, user, userHit, userId } from "./people.map.ts";
import { isNothing, later, objectIn, pageIn, roomIn } from "./reply.ts";
import { liveRoom } from "./hashtag-music-live.map.ts";
import { video } from "./video.map.ts";

const app = "/api/v1/tiktok/app/v3";
const web = "/api/v1/tiktok/web";
/** The upstream's page size; a larger `count` is refused or ignored. */
const pageSize = 20;

export default {
  "shortclip.search.users": (input, call) =>
    listedById(call, input, async (position) => {
      const offset = integer(position) ?? 0;
      const path = `${app}/fetch_user_search_result`;
      const body = await get(call, path, { keyword: input.q, offset, count: pageSize });
      return pageIn(body, { keys: ["user_list"], read: userHit, next: later(offset) });
    }),
  "shortclip.users.resolve": async (input, call) => {
    const username = input.username ?? (await usernameIn(call, input.url as string));
    return { data: userId(await lookUp(call, username)) };
  },
  "shortclip.users.get": async (input, call) => ({
    data: user(await profileOf(call, input.username)),
  }),
  "shortclip.users.videos": async (input, call) => {
    const start = await startOf(call, async () => {
      const key = keyOf(input.username);
      if ("user_id" in key) return { sec: await secUidOf(call, input.username) };
      return "sec_user_id" in key ? { sec: key.sec_user_id } : { name: key.unique_id };
    });
    return listOf(
      call,
      input,
      async (position) => {
        const body = await get(call, `${app}/fetch_user_post_videos`, {
          sec_user_id: text(at(position, "sec")),
          unique_id: text(at(position, "name")),
          max_cursor: integer(at(position, "o")) ?? 0,
          count: pageSize,
          sort_type: input.sort === "popular" ? 1 : 0,
        });
        return videosBefore(body, position);
      },
      start,
    );
  },
  "shortclip.users.likes": async (input, call) => {
    const start = await startOf(call, async () => ({ sec: await secUidOf(call, input.username) }));
    return listOf(
      call,
      input,
      async (position) => {
        const body = await get(call, `${app}/fetch_user_like_videos`, {
          sec_user_id: text(at(position, "sec")),
          max_cursor: integer(at(position, "o")) ?? 0,
          counts: pageSize,
        });
        return videosBefore(body, position);
      },
      start,
    );
  },
  "shortclip.users.reposts": async (input, call) => {
    const start = await startOf(call, async () => ({ id: await numberOf(call, input.username) }));
    return listOf(
      call,
      input,
      async (position) => {
        const offset = integer(at(position, "o")) ?? 0;
        const body = await get(call, `${app}/fetch_user_repost_videos`, {
          user_id: text(at(position, "id")),
          offset,
          count: 21,
        });
        return pageIn(body, {
          keys: ["aweme_list", "item_list", "repost_list"],
          thing: "user",
          read: video,
          // Without a cursor in the reply, the next offset is counted.
          next: (beside, length) =>
            length === 0 ? null : moved(position, later(offset)(beside) ?? offset + length),
        });
      },
      start,
    );
  },
  "shortclip.users.followers": (input, call) =>
    people(call, input, `${app}/fetch_user_follower_list`, ["followers", "user_list"]),
  "shortclip.users.following": (input, call) =>
    people(call, input, `${app}/fetch_user_following_list`, ["followings", "user_list"]),
  "shortclip.users.live": async (input, call) => {
    const key = keyOf(input.username);
    const uniqueId =
      "unique_id" in key
        ? key.unique_id
        : need(text((await profileOf(call, input.username)).unique_id), "user.unique_id");
    const body = await get(call, `${web}/fetch_user_live_detail`, { uniqueId });
    const room = liveRoom(found(roomIn(body), "live room"));
    return { data: found(room.status === "ended" ? undefined : room, "live room") };
  },
} satisfies Partial<Connector<typeof shortclip>>;

type Key = { sec_user_id: string } | { user_id: string } | { unique_id: string };

/** Identifier of a user: handle, number or `sec_uid`. */
function keyOf(username: string): Key {
  if (username.startsWith("MS4wLjAB")) return { sec_user_id: username };
  return /^[0-9]{6,24}$/.test(username) ? { user_id: username } : { unique_id: username };
}

async function profileOf(call: Call, username: string) {
  const body = await get(call, `${app}/handler_user_profile`, keyOf(username));
  return found(objectIn(body, ["user"]), "user");
}

/**
 * A list of a user. An empty one needs a look at the profile: only that distinguishes a private account, whose
 * lists come back empty, from one without entries.
 */
function listOf<Row extends { id: string }>(
  call: Call,
  input: { username: string; limit: number },
  fetch: (position: Json | undefined) => Promise<Page<Row>>,
  start: Json | undefined,
): Promise<Answer<Row[]>> {
  const read = async (position: Json | undefined) => {
    const page = await fetch(position);
    const isWhole = at(position, "o") === undefined && (page.next ?? null) === null;
    if (page.rows.length > 0 || !isWhole) return page;
    const { secret } = await profileOf(call, input.username);
    found(boolean(secret) === true ? undefined : page, "public user");
    return page;
  };
  return listedById(call, input, read, start);
}

/** Looks up the ids of a user in one call. */
async function lookUp(call: Call, username: string): Promise<Wire> {
  if (!("unique_id" in keyOf(username))) return profileOf(call, username);
  const path = `${app}/get_user_id_and_sec_user_id_by_username`;
  const body = await get(call, path, { username });
  const ids = unwrap(body, "user_id", "uid", "sec_user_id", "sec_uid");
  const known = isNothing(body) ? ids : need(ids, "data.user_id");
  return { unique_id: username, ...found(known, "user") };
}

async function numberOf(call: Call, username: string): Promise<string> {
  const key = keyOf(username);
  return "user_id" in key ? key.user_id : userId(await lookUp(call, username)).user_id;
}

async function secUidOf(call: Call, username: string): Promise<string> {
  const key = keyOf(username);
  if ("sec_user_id" in key) return key.sec_user_id;
  return need(secUid(await lookUp(call, username)), "data.sec_user_id");
}

/** The handle of a profile link; a short link needs a request. */
async function usernameIn(call: Call, url: string): Promise<string> {
  const named = /^\/@([A-Za-z0-9_.]{1,24})(?:\/|$)/.exec(new URL(url).pathname)?.[1];
  if (named !== undefined) return named;
  const body = await get(call, `${web}/get_unique_id`, { url });
  const answer = at(body, "data");
  const username = text(answer) ?? text(at(answer, "unique_id")) ?? text(at(answer, "uniqueId"));
  return found(/^[A-Za-z0-9_.]{1,24}$/.test(username ?? "") ? username : undefined, "user");
}

/** Ids that are looked up stay in the cursor, so that later pages cost one call each. */
async function startOf(
  call: Call,
  lookUp: () => Promise<{ [key: string]: Json }>,
): Promise<Json | undefined> {
  return call.cursor?.u === undefined ? lookUp() : undefined;
}

function moved(position: Json | undefined, to: Json): Json {
  return { ...(position as { [key: string]: Json }), o: to };
}

/** A page of videos, newest first: `max_cursor` is in milliseconds and only falls. */
function videosBefore(body: unknown, position: Json | undefined) {
  const from = integer(at(position, "o")) ?? 0;
  return pageIn(body, {
    keys: ["aweme_list"],
    thing: "user",
    read: video,
    next(beside) {
      const next = integer(beside.max_cursor);
      if (next === undefined) return undefined;
      return next > 0 && next !== from ? moved(position, next) : null;
    },
  });
}

async function people(
  call: Call,
  input: { username: string; limit: number },
  path: string,
  keys: string[],
): Promise<Answer<ReturnType<typeof user>[]>> {
  const start = await startOf(call, async () => {
    const key = keyOf(input.username);
    if ("sec_user_id" in key) return { sec: key.sec_user_id };
    return { id: await numberOf(call, input.username) };
  });
  return listOf(
    call,
    input,
    async (position) => {
      const body = await get(call, path, {
        user_id: text(at(position, "id")),
        sec_user_id: text(at(position, "sec")),
        count: pageSize,
        min_time: integer(at(position, "o", "min_time")) ?? 0,
        page_token: text(at(position, "o", "page_token")) ?? "",
      });
      return pageIn(body, {
        keys,
        thing: "user",
        read: (row) => user(row, "list"),
        next(beside) {
          const token = [beside.page_token, beside.next_page_token].find((value) => text(value));
          const min_time = integer(beside.min_time);
          if (min_time === undefined && token === undefined) return undefined;
          const next = { min_time: min_time ?? 0, page_token: text(token) ?? "" };
          return next.min_time === 0 && next.page_token === "" ? null : moved(position, next);
        },
      });
    },
    start,
  );
}
