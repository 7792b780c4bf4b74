import type { Sample, SampleRequest, Samples } from "../../../sandbox/sample.ts";
import {
  about,
  browseTo,
  channelRow,
  classicVideo,
  lockupPlaylist,
  lockupVideo,
  type Person,
  person,
  pictures,
  playlistVideo,
  runs,
  shortVideo,
  simple,
} from "./nodes.ts";
import {
  aboutPanel,
  type Actions,
  appended,
  channelPage,
  chips,
  continuation,
  moreButton,
  oneTab,
  playlistHeader,
  section,
} from "./pages.ts";
import { player, timedText, watchPage } from "./watch.ts";
import { comment, postThread } from "./posts.ts";
import { slice } from "../../../sandbox/vary.ts";

/** A list of the sample site: its subject, and where a page begins. */
interface Place {
  list: string;
  seed: string;
  from: number;
}

const pageSize = 30;
const commentPageSize = 20;
/** A second page needs more than the largest `limit`. */
const found = { default: 47, long: 130 };

/** Tokens of comments begin with the video's id, as the site's do. */
function tokenOf(place: Place, videoId?: string): string {
  const start = videoId === undefined ? [] : [0x12, videoId.length + 2, 0x12, videoId.length];
  return Buffer.concat([
    Buffer.from(start),
    Buffer.from(videoId ?? ""),
    Buffer.from(JSON.stringify(place)),
  ]).toString("base64url");
}

function placeOf(token: string): Place {
  const bytes = Buffer.from(decodeURIComponent(token), "base64");
  const text = bytes.toString("latin1");
  const start = text.indexOf("{");
  if (start >= 0) return JSON.parse(bytes.subarray(start).toString("utf8")) as Place;
  // The gateway's own first token of a video's comments.
  const sort = text.includes("\x30\x01") ? "newest" : "top";
  return { list: `comments ${sort}`, seed: bytes.subarray(4, 15).toString("latin1"), from: 0 };
}

const nodes: Readonly<Record<string, (seed: string, index: number) => unknown>> = {
  search: (seed, index) => ({ videoRenderer: classicVideo(about("search", seed, index), index) }),
  channels: (seed, index) => ({ channelRenderer: channelRow(seed, index) }),
  playlists: (seed, index) => ({ lockupViewModel: lockupPlaylist(seed, index) }),
  "channel playlists": (seed, index) => ({
    lockupViewModel: lockupPlaylist(seed, index, { owned: true }),
  }),
  "channel search": (seed, index) => ({
    videoRenderer: classicVideo(about("channel search", seed, index), index, { owned: true }),
  }),
  "channel posts": (seed, index) => postThread(seed, index, ownerOf(seed)),
  "channel shorts": (seed, index) => {
    const video = about("short", seed, index);
    return index % 9 === 5
      ? { videoRenderer: classicVideo(video, 5, { owned: true }) }
      : { shortsLockupViewModel: shortVideo(video) };
  },
  hashtag: (seed, index) => ({ videoRenderer: classicVideo(about("hashtag", seed, index), index) }),
  related: (seed, index) =>
    index % 10 === 9
      ? { lockupViewModel: lockupPlaylist(seed, index) }
      : { lockupViewModel: lockupVideo(about("related", seed, index), index) },
  playlist: (seed, index) =>
    index % 6 === 4
      ? { lockupViewModel: lockupVideo(about("in playlist", seed, index), index) }
      : { playlistVideoRenderer: playlistVideo(about("in playlist", seed, index), index) },
};

/** The tab of videos mixes two dialects; other orders are other lists. */
function nodeOf({ list, seed }: Place, index: number): unknown {
  if (!list.startsWith("channel videos")) return nodes[list]?.(seed, index);
  const video = about(list, seed, index);
  return index % 3 === 0
    ? { videoRenderer: classicVideo(video, index, { owned: true }) }
    : { lockupViewModel: lockupVideo(video, index, { owned: true }) };
}

/** A page of a list, with the continuation at the end. */
function pageOf(
  place: Place,
  request: SampleRequest,
  wrap = (node: unknown): unknown => node,
): unknown[] {
  const total = request.empty ? 0 : request.secondPage ? found.long : found.default;
  const list = slice({ total, offset: place.from, count: pageSize }, (index) =>
    wrap(nodeOf(place, index)),
  );
  const next = place.from + list.length;
  return next < total ? [...list, continuation(tokenOf({ ...place, from: next }))] : list;
}

const inGrid = (node: unknown) => ({ richItemRenderer: { content: node } });
const sectionList = (contents: unknown[]) => ({ sectionListRenderer: { contents } });

const ownerOf = (channelId: string): Person => ({ ...person("owner", channelId), id: channelId });

const tabsByParams: Readonly<Record<string, string>> = {
  EgZ2aWRlb3PyBgQKAjoA: "videos",
  "EgZzaG9ydHPyBgUKA5oBAA%3D%3D": "shorts",
  EglwbGF5bGlzdHPyBgQKAkIA: "playlists",
  "EgVwb3N0c_IGBAoCSgA%3D": "posts",
  EgZzZWFyY2jyBgQKAloA: "search",
};

function channelTab(
  channelId: string,
  params: unknown,
  query: unknown,
  request: SampleRequest,
): unknown {
  const who = ownerOf(channelId);
  const tab = tabsByParams[String(params)] ?? "featured";
  const at = (list: string, seed = channelId): Place => ({ list, seed, from: 0 });
  const inside = () => {
    switch (tab) {
      case "videos": {
        const tokens = Object.fromEntries(
          ["Latest", "Popular", "Oldest"].map((name) => [
            name,
            tokenOf(at(`channel videos ${name}`)),
          ]),
        );
        const contents = pageOf(at("channel videos Latest"), request, inGrid);
        return { richGridRenderer: { contents, header: chips(tokens) } };
      }
      case "shorts":
        return { richGridRenderer: { contents: pageOf(at("channel shorts"), request, inGrid) } };
      case "playlists":
        return sectionList([
          section([{ gridRenderer: { items: pageOf(at("channel playlists"), request) } }]),
        ]);
      case "posts":
        return sectionList([section(pageOf(at("channel posts"), request))]);
      case "search":
        return sectionList(
          pageOf(at("channel search", `${channelId} ${String(query)}`), request, (node) =>
            section([node]),
          ),
        );
      default:
        return sectionList([]);
    }
  };
  return channelPage(who, tab, inside(), tokenOf({ list: "about", seed: channelId, from: 0 }));
}

function gaming(request: SampleRequest): unknown {
  const country = String(
    (request.body as { context?: { client?: { gl?: string } } }).context?.client?.gl,
  );
  const items = Array.from({ length: request.empty ? 0 : 26 }, (_, index) => {
    const video = about("gaming", country, index);
    const { channelThumbnailSupportedRenderers: _supported, ...node } = classicVideo(video, index);
    return {
      gridVideoRenderer: { ...node, channelThumbnail: { thumbnails: pictures(video.who.handle) } },
    };
  });
  const shelf = {
    shelfRenderer: { title: runs("Trending videos"), content: { gridRenderer: { items } } },
  };
  return oneTab(sectionList([section([shelf])]));
}

const browse: Sample = (request) => {
  const body = request.body as Record<string, unknown>;
  if (typeof body.continuation === "string") {
    const place = placeOf(body.continuation);
    if (place.list === "about")
      return appended("onResponseReceivedEndpoints", [aboutPanel(ownerOf(place.seed))]);
    const wrap = /^(channel (videos|shorts)|hashtag)/.test(place.list) ? inGrid : undefined;
    return appended("onResponseReceivedActions", pageOf(place, request, wrap));
  }
  const id = String(body.browseId);
  if (id === "FEhashtag") {
    const seed = String(body.params);
    const contents = pageOf({ list: "hashtag", seed, from: 0 }, request, inGrid);
    return oneTab({ richGridRenderer: { contents } });
  }
  if (id === "UCOpNcN46UbXVtpKMrmU4Abg") return gaming(request);
  if (!id.startsWith("VL")) return channelTab(id, body.params, body.query, request);
  const playlistId = id.slice(2);
  const videos = pageOf({ list: "playlist", seed: playlistId, from: 0 }, request);
  return {
    ...playlistHeader(
      playlistId,
      ownerOf(`UC${playlistId}`.padEnd(24, "0").slice(0, 24)),
      found.default,
    ),
    ...oneTab(sectionList([section([{ playlistVideoListRenderer: { contents: videos } }])])),
  };
};

/** The requested kind is the second field of the filters: "EgIQAg%3D%3D" are channels. */
function kindOf(params: unknown): string {
  const filters = Buffer.from(decodeURIComponent(String(params)), "base64").toString("latin1");
  return filters.includes("\x10\x02")
    ? "channels"
    : filters.includes("\x10\x03")
      ? "playlists"
      : "search";
}

const advert = { adSlotRenderer: { slotId: "sample" } };
const shelf = (seed: string) => ({
  shelfRenderer: {
    title: simple("People also watched"),
    content: {
      verticalListRenderer: {
        items: [{ videoRenderer: classicVideo(about("shelf", seed, 0), 0) }],
      },
    },
  },
});

const search: Sample = (request) => {
  const body = request.body as Record<string, unknown>;
  const next = typeof body.continuation === "string" ? placeOf(body.continuation) : undefined;
  const place = next ?? {
    list: kindOf(body.params),
    seed: `${String(body.query)} ${String(body.params)}`,
    from: 0,
  };
  const list = pageOf(place, request);
  const last = list.at(-1) as object | undefined;
  const goesOn = last !== undefined && "continuationItemRenderer" in last;
  const hits = goesOn ? list.slice(0, -1) : list;
  const none = { messageRenderer: { text: runs("No more results") } };
  const contents = hits.length > 0 ? [advert, ...hits, shelf(place.seed)] : [none];
  const sections = [section(contents), ...(goesOn ? [last] : [])];
  if (next) return appended("onResponseReceivedCommands", sections);
  return {
    estimatedResults: "4711",
    contents: { twoColumnSearchResultsRenderer: { primaryContents: sectionList(sections) } },
  };
};

function comments(place: Place, request: SampleRequest): unknown {
  const replies = place.list.startsWith("replies");
  const videoId = place.seed.slice(0, 11);
  const total = request.empty ? 0 : request.secondPage ? found.long : replies ? 25 : found.default;
  const list = slice({ total, offset: place.from, count: commentPageSize }, (index) => {
    if (replies) return comment(place.list + place.seed, index, { parent: place.list.slice(8) });
    const plain = comment(place.list + place.seed, index);
    // The comments include a reply that was linked to.
    if (index % 10 === 7) return comment(place.list + place.seed, index, { parent: plain.id });
    if (index % 2 === 1) return plain;
    const token = tokenOf({ list: `replies ${plain.id}`, seed: videoId, from: 0 }, videoId);
    return { ...comment(place.list + place.seed, index, { replies: token }), token };
  });
  const next = place.from + list.length;
  const token = next < total ? tokenOf({ ...place, from: next }, videoId) : undefined;
  const items = [
    ...list.map((entry) =>
      replies
        ? entry.view
        : {
            commentThreadRenderer: {
              commentViewModel: entry.view,
              ...("token" in entry
                ? { replies: { commentRepliesRenderer: { contents: [continuation(entry.token)] } } }
                : {}),
            },
          },
    ),
    ...(token ? [replies ? moreButton(token) : continuation(token)] : []),
  ];
  const key: Actions = "onResponseReceivedEndpoints";
  const head = { commentsHeaderRenderer: { countText: runs("1,234 Comments") } };
  const reload = (slot: string, continuationItems: unknown[]) => ({
    reloadContinuationItemsCommand: {
      targetId: "comments-section",
      slot: `RELOAD_CONTINUATION_SLOT_${slot}`,
      continuationItems,
    },
  });
  return {
    ...(replies || place.from > 0
      ? appended(key, items)
      : { [key]: [reload("HEADER", [head]), reload("BODY", items)] }),
    frameworkUpdates: {
      entityBatchUpdate: { mutations: list.flatMap((entry) => entry.mutations) },
    },
  };
}

const next: Sample = (request) => {
  const body = request.body as Record<string, unknown>;
  if (typeof body.continuation === "string") {
    const place = placeOf(body.continuation);
    if (place.list === "related")
      return appended("onResponseReceivedEndpoints", pageOf(place, request));
    return comments(place, request);
  }
  const related = pageOf({ list: "related", seed: String(body.videoId), from: 0 }, request);
  return watchPage(String(body.videoId), related);
};

const resolve: Sample = ({ body }) => {
  const written = /@([^/?]+)/.exec(String((body as { url?: unknown }).url))?.[1] ?? "samplechannel";
  // Unlike decodeURIComponent this does not throw on a stray percent sign.
  const handle = new URLSearchParams(`name=${written}`).get("name") ?? written;
  const who = { ...person("resolve", written), handle };
  return { endpoint: browseTo(who) };
};

const faults = {
  not_found: { status: 404, body: { error: { code: 404, status: "NOT_FOUND" } } },
  upstream_error: { status: 400, body: { error: { code: 400, status: "FAILED_PRECONDITION" } } },
  upstream_unavailable: { status: 503, body: { error: { code: 503, status: "UNAVAILABLE" } } },
};

/** Sample answers of the video site, written for this project. */
export const youtube: Samples = {
  upstream: "youtube",
  answers: {
    "POST /youtubei/v1/browse": browse,
    "POST /youtubei/v1/search": search,
    "POST /youtubei/v1/next": next,
    "POST /youtubei/v1/player": player,
    "POST /youtubei/v1/navigation/resolve_url": resolve,
    "GET /api/timedtext": timedText,
  },
  faults,
};

/** Sample answers of the site's charts. */
export const youtubeCharts: Samples = {
  upstream: "youtube-charts",
  answers: {
    "POST /youtubei/v1/browse": ({ body, empty }) => {
      const query = String((body as { query?: unknown }).query);
      const videoViews = Array.from({ length: empty ? 0 : 24 }, (_, index) => {
        const video = about("chart", query, index);
        return {
          id: video.id,
          title: video.title,
          thumbnail: { thumbnails: pictures(video.id) },
          videoDuration: video.seconds,
          chartEntryMetadata: { currentPosition: index + 1 },
          isAvailable: index % 11 !== 10,
          ...(index % 5 === 4
            ? {}
            : { releaseDate: { year: 2026, month: 1 + (index % 12), day: 23 } }),
          externalChannelId: video.who.id,
          channelName: video.who.name,
        };
      });
      return {
        contents: {
          sectionListRenderer: {
            contents: [
              {
                musicAnalyticsSectionRenderer: {
                  content: { videos: [{ listType: "TRENDING_CHART", videoViews }] },
                },
              },
            ],
          },
        },
      };
    },
  },
  faults,
};
