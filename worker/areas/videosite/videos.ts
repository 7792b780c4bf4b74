import type { videosite } from "../../../contract/areas/videosite/index.ts";
import { GatewayError, invalid } from "../../../contract/errors.ts";
import type { Call, Connector } from "../../connector.ts";
import { unavailable } from "../../transport/fault.ts";
import { ask } from "../../upstreams/youtube/innertube.ts";
import { commentsToken, isTokenOf } from "../../upstreams/youtube/innertube-params.ts";
import { youtube } from "../../upstreams/youtube/client.ts";
import { bestEffort } from "../../mapping/best-effort.ts";
import { at, object } from "#wire";
import {
  type Entities,
  type Track,
  chooseTrack,
  comment,
  entitiesOf,
  tracks,
  transcript,
} from "./comment.map.ts";
import { listOf } from "./list.ts";
import { defined } from "./node.map.ts";
import { listedVideo, video } from "./video.map.ts";

type Id = `videosite.videos.${"get" | "captions" | "comments" | "related" | "transcript"}`;

/** Client applications that receive caption tracks from the player, best first. */
const players = ["VISIONOS", "ANDROID"] as const;
const captionTracksMost = 200;

export default {
  "videosite.videos.get": async (input, call) => {
    const [player, next] = await Promise.all([
      ask(call, { path: "/player", body: played(input.video_id) }),
      bestEffort(call, "/next", ask(call, { path: "/next", body: played(input.video_id) })),
    ]);
    const record = video(player, next.value);
    // A player without a video leaves the result to the page, so a fault of the page fails the call.
    if (!record && "error" in next && !isEmpty(player)) throw next.error;
    return { data: found(record) };
  },
  "videosite.videos.captions": async (input, call) => {
    const known = (await playerTracks(call, input.video_id)).flatMap(({ list }) => list);
    const rowLimit = Math.min(captionTracksMost, call.maxRecords);
    const list = distinct(known).map(({ address: _address, ...track }) => track);
    const data = list.slice(0, rowLimit);
    return { data, truncated: data.length < list.length && call.shortOfCredits };
  },
  "videosite.videos.comments": async (input, call) => {
    const replies = input.replies_cursor;
    if (replies !== undefined && !isTokenOf(replies, input.video_id)) {
      throw invalid("query", "replies_cursor", "foreign", "is not of a comment on this video");
    }
    const start = replies ?? commentsToken(input.video_id, input.sort);
    const entities = new WeakMap<object, Entities>();
    return listOf(call, {
      limit: input.limit,
      path: "/next",
      first: () => ask(call, { path: "/next", body: { continuation: start } }),
      read(entry, { page }) {
        const known = entities.get(page as object) ?? entitiesOf(page);
        entities.set(page as object, known);
        return comment(entry, known);
      },
      key: (row) => row.id,
    });
  },
  "videosite.videos.related": (input, call) =>
    listOf(call, {
      limit: input.limit,
      path: "/next",
      async first() {
        const page = await ask(call, { path: "/next", body: played(input.video_id) });
        const shown = at(page, "contents", "twoColumnWatchNextResults");
        // A page without its side column belongs to no video.
        if (object(shown) && Object.keys(shown as object).length === 0) return found(undefined);
        return page;
      },
      read: (entry) => listedVideo(entry),
      key: (row) => row.id,
    }),
  "videosite.videos.transcript": async (input, call) => {
    const known = await playerTracks(call, input.video_id, { all: true });
    const chosen = known
      .map(({ list }) => chooseTrack(list, input.language))
      .filter((track) => track !== undefined);
    if (chosen.length === 0) {
      throw new GatewayError("not_found", "The video has no such transcript");
    }
    for (const track of chosen) {
      const body = await textOf(call, track);
      if (body !== undefined) return { data: transcript(input.video_id, track, body) };
    }
    throw unavailable();
  },
} satisfies Pick<Connector<typeof videosite>, Id>;

const played = (videoId: string) => ({ videoId, racyCheckOk: true, contentCheckOk: true });

const isEmpty = (player: unknown) => Object.keys(object(player) ?? {}).length === 0;

function found<T>(record: T | undefined): T {
  if (record === undefined) throw new GatewayError("not_found", "There is no such video");
  return record;
}

/** The tracks of each player that plays the video: one player may refuse where another does not. */
async function playerTracks(
  call: Call,
  videoId: string,
  options: { all?: boolean } = {},
): Promise<{ list: Track[] }[]> {
  const answers: { list: Track[] }[] = [];
  for (const client of players) {
    const player = await ask(call, { path: "/player", body: played(videoId), client });
    // The player answers an empty object for an unknown video.
    found(isEmpty(player) ? undefined : player);
    const list = tracks(player);
    answers.push({ list });
    const plays = at(player, "playabilityStatus", "status") === "OK";
    if (plays && (!options.all || list.length === 0)) break;
  }
  return answers;
}

function distinct(all: readonly Track[]): Track[] {
  return [
    ...new Map(
      all.map((track) => [`${track.language} ${track.name} ${track.is_auto_generated}`, track]),
    ).values(),
  ];
}

/** The text of a track; undefined where the site refuses it with an empty answer. */
async function textOf(call: Call, track: Track): Promise<unknown> {
  const address = track.address === undefined ? null : URL.parse(track.address);
  if (!address || !/(^|\.)youtube\.com$/.test(address.hostname)) return undefined;
  const reply = await call.send(youtube, {
    method: "GET",
    path: address.pathname,
    query: defined({ ...Object.fromEntries(address.searchParams), fmt: "json3" }),
  });
  return reply.body;
}
