import type { videosite } from "../../../contract/areas/videosite/index.ts";
import { GatewayError, invalid } from "../../../contract/errors.ts";
import type { Connector } from "../../connector.ts";
import { collect } from "../../mapping/list.ts";
import { ask } from "../../upstreams/youtube/innertube.ts";
import { hashtagParams, searchParams } from "../../upstreams/youtube/innertube-params.ts";
import { addressOf } from "./address.map.ts";
import { listedChannel, listedPlaylist, playlist, resolved } from "./channel.map.ts";
import channels from "./channels.ts";
import { listOf } from "./list.ts";
import { trending } from "./trending.ts";
import { listedVideo, playlistVideo } from "./video.map.ts";
import videos from "./videos.ts";

export default {
  ...channels,
  ...videos,
  "videosite.hashtags.videos": (input, call) =>
    listOf(call, {
      limit: input.limit,
      path: "/browse",
      first: () =>
        ask(call, {
          path: "/browse",
          body: { browseId: "FEhashtag", params: hashtagParams(input.tag) },
        }),
      read: (entry) => listedVideo(entry),
      key: (row) => row.id,
    }),
  "videosite.playlists.get": async (input, call) => {
    const body = { browseId: `VL${input.playlist_id}` };
    return { data: playlist(input.playlist_id, await ask(call, { path: "/browse", body })) };
  },
  "videosite.playlists.videos": (input, call) =>
    listOf(call, {
      limit: input.limit,
      path: "/browse",
      first: () => ask(call, { path: "/browse", body: { browseId: `VL${input.playlist_id}` } }),
      read: (entry, { rank }) => playlistVideo(entry, rank),
      // A playlist may contain the same video more than once.
      key: (row) => `${row.position} ${row.id}`,
    }),
  "videosite.resolve.channel_id": async (input, call) => {
    const address = addressOf(input.url);
    if (!address) {
      throw invalid(
        "query",
        "url",
        "foreign",
        "url: must be an http or https address on youtube.com, a path of it, a handle or a channel id",
      );
    }
    if ("channelId" in address) {
      return { data: { channel_id: address.channelId, url: channelUrl(address.channelId) } };
    }
    const found = resolved(
      await ask(call, { path: "/navigation/resolve_url", body: { url: address.url } }),
    );
    if (!found) throw new GatewayError("not_found", "The address leads to no channel");
    const username = found.username ?? address.username;
    const data = { channel_id: found.channel_id, url: channelUrl(found.channel_id) };
    return { data: username === undefined ? data : { ...data, username } };
  },
  "videosite.search": (input, call) => {
    const params = searchParams({
      type: "video",
      uploadDate: input.upload_date,
      duration: input.duration,
      sort: input.sort,
    });
    return listOf(call, {
      limit: input.limit,
      country: input.country,
      path: "/search",
      first: () =>
        ask(call, { path: "/search", body: { query: input.q, params }, country: input.country }),
      read: (entry) => listedVideo(entry),
      key: (row) => row.id,
    });
  },
  "videosite.search.channels": (input, call) => {
    const body = { query: input.q, params: searchParams({ type: "channel" }) };
    return listOf(call, {
      limit: input.limit,
      country: input.country,
      path: "/search",
      first: () => ask(call, { path: "/search", body, country: input.country }),
      read: (entry) => listedChannel(entry),
      key: (row) => row.id,
    });
  },
  "videosite.search.playlists": (input, call) => {
    const body = { query: input.q, params: searchParams({ type: "playlist" }) };
    return listOf(call, {
      limit: input.limit,
      country: input.country,
      path: "/search",
      first: () => ask(call, { path: "/search", body, country: input.country }),
      read: (entry) => listedPlaylist(entry),
      key: (row) => row.id,
    });
  },
  "videosite.trending": async (input, call) => {
    const list = await collect(call, {
      limit: input.limit,
      fetch: async () => ({ rows: await trending(call, input) }),
    });
    return { data: list.rows, pagination: list.pagination, truncated: list.truncated };
  },
} satisfies Connector<typeof videosite>;

const channelUrl = (id: string) => `https://www.youtube.com/channel/${id}`;
