import type { videosite } from "../../../contract/areas/videosite/index.ts";
import type { VideositeAuthor } from "../../../contract/areas/videosite/records.ts";
import type { Call, Connector } from "../../connector.ts";
import { ask } from "../../upstreams/youtube/innertube.ts";
import { bestEffort } from "../../mapping/best-effort.ts";
import { ShapeError, at, text } from "#wire";
import { listOf } from "./list.ts";
import {
  aboutToken,
  ageGate,
  channel,
  channelAuthor,
  gatedChannel,
  lacksTab,
  listedPlaylist,
  sortToken,
} from "./channel.map.ts";
import { listing } from "./node.map.ts";
import { post } from "./post.map.ts";
import { listedVideo } from "./video.map.ts";

/** The site's names of a channel's tabs: in requests, and at the end of their addresses. */
const tabs = {
  videos: { params: "EgZ2aWRlb3PyBgQKAjoA", names: ["videos"] },
  shorts: { params: "EgZzaG9ydHPyBgUKA5oBAA%3D%3D", names: ["shorts"] },
  playlists: { params: "EglwbGF5bGlzdHPyBgQKAkIA", names: ["playlists"] },
  posts: { params: "EgVwb3N0c_IGBAoCSgA%3D", names: ["posts", "community"] },
  search: { params: "EgZzZWFyY2jyBgQKAloA", names: ["search"] },
};

type Id =
  `videosite.channels.${"get" | "community" | "playlists" | "search" | "shorts" | "videos"}`;

export default {
  "videosite.channels.get": async (input, call) => {
    const page = await browse(call, { browseId: input.channel_id });
    const gate = ageGate(page);
    if (gate) return { data: gatedChannel(input.channel_id, gate) };
    const token = aboutToken(page);
    // The profile is useful without its panel.
    const body = { continuation: token };
    const about = token && (await bestEffort(call, "about", ask(call, { path: "/browse", body })));
    return { data: channel(page, about ? about.value : undefined) };
  },
  "videosite.channels.community": (input, call) =>
    listOf(call, {
      limit: input.limit,
      path: "/browse",
      first: () => openTab(call, input.channel_id, "posts"),
      read: (entry) => post(entry),
      key: (row) => row.id,
    }),
  "videosite.channels.playlists": (input, call) =>
    listOf(call, {
      limit: input.limit,
      path: "/browse",
      first: () => openTab(call, input.channel_id, "playlists"),
      owner: (page) => channelAuthor(input.channel_id, page),
      read: (entry, { owner }) => listedPlaylist(entry, owner),
      key: (row) => row.id,
    }),
  "videosite.channels.search": (input, call) =>
    listOf(call, {
      limit: input.limit,
      path: "/browse",
      first: () => openTab(call, input.channel_id, "search", { query: input.q }),
      owner: (page) => channelAuthor(input.channel_id, page),
      read: (entry, { owner }) => listedVideo(entry, owner),
      key: (row) => row.id,
    }),
  "videosite.channels.shorts": (input, call) =>
    listOf(call, {
      limit: input.limit,
      path: "/browse",
      first: () => openTab(call, input.channel_id, "shorts"),
      owner: (page) => channelAuthor(input.channel_id, page),
      read: (entry, { owner }) => listedVideo(entry, owner),
      key: (row) => row.id,
    }),
  "videosite.channels.videos": async (input, call) => {
    let author: VideositeAuthor | undefined;
    return listOf(call, {
      limit: input.limit,
      path: "/browse",
      async first() {
        const page = await openTab(call, input.channel_id, "videos");
        author = page === undefined ? undefined : channelAuthor(input.channel_id, page);
        return page === undefined || input.sort === "newest"
          ? page
          : sorted(call, page, input.sort);
      },
      owner: () => author ?? { id: input.channel_id },
      read: (entry, { owner }) => listedVideo(entry, owner),
      key: (row) => row.id,
    });
  },
} satisfies Pick<Connector<typeof videosite>, Id>;

/** The page of a channel; a redirect to another channel is followed once. */
async function browse(call: Call, body: { browseId: string; params?: string; query?: string }) {
  const page = await ask(call, { path: "/browse", body });
  const to = text(
    at(
      page,
      "onResponseReceivedActions",
      0,
      "navigateAction",
      "endpoint",
      "browseEndpoint",
      "browseId",
    ),
  );
  return to ? ask(call, { path: "/browse", body: { ...body, browseId: to } }) : page;
}

/** Undefined where the channel has no such tab. */
async function openTab(
  call: Call,
  channelId: string,
  tab: keyof typeof tabs,
  more: { query?: string } = {},
): Promise<unknown> {
  const { params, names } = tabs[tab];
  const page = await browse(call, { browseId: channelId, params, ...more });
  return lacksTab(page, names) ? undefined : page;
}

/** The same tab in another order. */
async function sorted(call: Call, page: unknown, sort: "popular" | "oldest"): Promise<unknown> {
  const token = sortToken(page, sort === "popular" ? "Popular" : "Oldest");
  if (token) return ask(call, { path: "/browse", body: { continuation: token } });
  // The site offers no sort orders for a very short list; only then is the unsorted list accepted.
  if ((listing(page)?.entries.length ?? 0) > 1) throw new ShapeError("richGridRenderer.header");
  return page;
}
