import type { shortclip } from "../../../contract/areas/shortclip/index.ts";
import type { ShortclipVideo } from "../../../contract/areas/shortclip/records.ts";
import { GatewayError } from "../../../contract/errors.ts";
import type { Json } from "../../../contract/json.ts";
import type { Answer, Call, Connector } from "../../connector.ts";
import { listedById } from "../../mapping/list.ts";
import { inParallel } from "../../mapping/parallel.ts";
import { get, unwrap } from "../../upstreams/tikhub/client.ts";
import { type Wire, at, found, id, integer, object, rows, text } from "#wire";
import { comment } from "./people.map.ts";
import { later, objectIn, pageIn, roomIn } from "./reply.ts";
import { hashtag, liveRoom, music } from "./hashtag-music-live.map.ts";
import users from "./users.ts";
import { isAdvert, video, videoHit } from "./video.map.ts";

const app = "/api/v1/tiktok/app/v3";
const web = "/api/v1/tiktok/web";
/** The upstream's page size; a larger `count` is refused or ignored. */
const pageSize = 20;
/** Concurrent single reads of one batch; the account's rate limit is ten a second. */
const readsAtOnce = 5;

export default {
  ...users,
  "shortclip.search": (input, call) =>
    search(call, input, {
      path: `${app}/fetch_video_search_result`,
      query: { sort_type: 0, publish_time: 0, region: "US" },
      keys: ["search_item_list", "aweme_list"],
      read(row) {
        const item = videoHit(row);
        return item && !isAdvert(item) ? video(item) : undefined;
      },
    }),
  "shortclip.search.hashtags": (input, call) =>
    search(call, input, {
      path: `${app}/fetch_hashtag_search_result`,
      keys: ["challenge_list"],
      read: hashtag,
    }),
  "shortclip.search.music": (input, call) =>
    search(call, input, {
      path: `${app}/fetch_music_search_result`,
      keys: ["music", "music_list"],
      read: music,
    }),
  "shortclip.search.live": (input, call) =>
    search(call, input, {
      path: `${app}/fetch_live_search_result`,
      keys: ["data", "live_list"],
      read: liveRoom,
    }),
  "shortclip.videos.get": async (input, call) => ({
    data: found(videoIn(await readVideo(call, input.video_id, input.country)), "video"),
  }),
  "shortclip.videos.batch": async (input, call) => {
    const ids = [...new Set(input.ids)];
    const outcomes: PromiseSettledResult<unknown>[] = [];
    let videos: ShortclipVideo[] = [];
    // Missing videos cost nothing, so others are read in their place.
    while (videos.length < call.maxRecords && outcomes.length < ids.length) {
      const lacking = call.maxRecords - videos.length;
      const some = ids.slice(outcomes.length, outcomes.length + lacking);
      outcomes.push(...(await inParallel(readsAtOnce, some, (each) => readVideo(call, each))));
      const failed = outcomes.filter((outcome) => outcome.status === "rejected");
      const fatal = failed.find((outcome) => !isNotFound(outcome.reason));
      if (fatal) throw fatal.reason;
      const replies = outcomes
        .filter((outcome) => outcome.status === "fulfilled")
        .map((outcome) => ({ body: outcome.value }));
      // A reply that does not fit loses only its own video, like a row of a list.
      videos = rows(replies, "replies", ({ body }) => videoIn(body));
      // "Not found" for every video is accepted as the answer.
      if (failed.length === ids.length) throw failed[0]?.reason;
    }
    return { data: videos, truncated: call.shortOfCredits && ids.length > outcomes.length };
  },
  "shortclip.videos.resolve": async (input, call) => {
    const known = videoIdIn(input.url);
    const body =
      known === undefined
        ? await get(call, `${app}/fetch_one_video_by_share_url`, { share_url: input.url })
        : await readVideo(call, known);
    return { data: found(videoIn(body), "video") };
  },
  "shortclip.videos.comments": (input, call) =>
    byCursor(call, input, {
      path: `${app}/fetch_video_comments`,
      query: { aweme_id: input.video_id },
      keys: ["comments"],
      thing: "video",
      read: comment,
    }),
  "shortclip.comments.replies": (input, call) =>
    byCursor(call, input, {
      path: `${app}/fetch_video_comment_replies`,
      query: { item_id: input.video_id, comment_id: input.comment_id },
      keys: ["comments", "reply_comments"],
      thing: "comment",
      read: comment,
    }),
  "shortclip.hashtags.get": async (input, call) => ({
    data: hashtag(await readHashtag(call, input.tag)),
  }),
  "shortclip.hashtags.videos": async (input, call) => {
    const number = numberIn(input.tag);
    const start =
      call.cursor?.u === undefined
        ? { id: number ?? hashtag(await readHashtag(call, input.tag)).id, o: 0 }
        : undefined;
    return listedById(
      call,
      input,
      async (position) => {
        const cursor = integer(at(position, "o")) ?? 0;
        const ch_id = text(at(position, "id"));
        const path = `${app}/fetch_hashtag_video_list`;
        const body = await get(call, path, { ch_id, cursor, count: pageSize });
        return pageIn(body, {
          keys: ["aweme_list"],
          thing: "hashtag",
          read: video,
          next(beside): Json | undefined {
            const next = later(cursor)(beside);
            return typeof next === "number" ? { id: ch_id as string, o: next } : next;
          },
        });
      },
      start,
    );
  },
  "shortclip.music.get": async (input, call) => {
    const body = await get(call, `${app}/fetch_music_detail`, { music_id: input.music_id });
    return { data: music(found(objectIn(body, ["music_info"]), "sound")) };
  },
  "shortclip.music.videos": (input, call) =>
    byCursor(call, input, {
      path: `${app}/fetch_music_video_list`,
      query: { music_id: input.music_id },
      keys: ["aweme_list"],
      thing: "sound",
      read: video,
    }),
  "shortclip.live.get": async (input, call) => {
    const body = await get(call, `${app}/fetch_live_room_info`, { room_id: input.room_id });
    return { data: liveRoom(found(roomIn(body), "live room")) };
  },
  "shortclip.resolve.video_id": async (input, call) => {
    const known = videoIdIn(input.url);
    if (known !== undefined) return { data: { video_id: known } };
    const answer = at(await get(call, `${web}/get_aweme_id`, { url: input.url }), "data");
    const video_id = id(answer) ?? id(at(answer, "aweme_id"));
    const isNumber = /^[0-9]{6,20}$/.test(video_id ?? "");
    return { data: { video_id: found(isNumber ? video_id : undefined, "video") } };
  },
} satisfies Connector<typeof shortclip>;

interface Listing<Row> {
  path: string;
  query?: Record<string, string | number>;
  keys: readonly string[];
  read: (row: Wire) => Row | undefined;
}

function search<Row extends { id: string }>(
  call: Call,
  input: { q: string; limit: number },
  listing: Listing<Row>,
): Promise<Answer<Row[]>> {
  return listedById(call, input, async (position) => {
    const offset = integer(position) ?? 0;
    const query = { keyword: input.q, offset, count: pageSize, ...listing.query };
    const body = await get(call, listing.path, query);
    return pageIn(body, { ...listing, next: later(offset) });
  });
}

function byCursor<Row extends { id: string }>(
  call: Call,
  input: { limit: number },
  listing: Listing<Row> & { thing: string },
): Promise<Answer<Row[]>> {
  return listedById(call, input, async (position) => {
    const cursor = integer(position) ?? 0;
    const query = { ...listing.query, cursor, count: pageSize };
    const body = await get(call, listing.path, query);
    return pageIn(body, { ...listing, next: later(cursor) });
  });
}

function readVideo(call: Call, aweme_id: string, country?: string): Promise<unknown> {
  const path = country === undefined ? "fetch_one_video" : "fetch_one_video_v3";
  return get(call, `${app}/${path}`, { aweme_id, region: country });
}

/** The video of a single read; undefined for a deleted or hidden one. */
function videoIn(body: unknown): ShortclipVideo | undefined {
  const inner = unwrap(body, "aweme_detail", "aweme_details", "itemInfo", "aweme_id");
  if (inner?.aweme_id !== undefined) return video(inner);
  const item =
    object(at(inner?.aweme_details, 0)) ??
    object(at(inner?.itemInfo, "itemStruct")) ??
    objectIn(body, ["aweme_detail", "aweme_details"]);
  return item && video(item);
}

/** The number of a hashtag; a caller marks a name of digits by a leading `#`. */
function numberIn(tag: string): string | undefined {
  return /^\d+$/.test(tag) ? tag : undefined;
}

async function readHashtag(call: Call, tag: string): Promise<Wire> {
  const ch_id = numberIn(tag);
  const body =
    ch_id === undefined
      ? await get(call, `${web}/fetch_tag_detail`, { tag_name: tag.replace(/^#/, "") })
      : await get(call, `${app}/fetch_hashtag_detail`, { ch_id });
  return found(objectIn(body, ["challengeInfo", "ch_info"]), "hashtag");
}

/** The number in a long link of a video or a photo post. */
function videoIdIn(url: string): string | undefined {
  return /\/(?:video|photo|v|embed(?:\/v2)?|player\/v1)\/([0-9]{6,20})(?:[./]|$)/.exec(
    new URL(url).pathname,
  )?.[1];
}

function isNotFound(error: unknown): boolean {
  return error instanceof GatewayError && error.type === "not_found";
}
