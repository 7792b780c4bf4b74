import { vary } from "../../../sandbox/vary.ts";

/** Nodes of the video site's pages, each from a seed and its position in a list. */

export const runs = (text: string) => ({ runs: [{ text }] });
export const simple = (simpleText: string) => ({ simpleText });
export const content = (text: string) => ({ content: text });

const subjects = [
  "Dovetail joints",
  "A walk in the rain",
  "Small boat repairs",
  "Bread at home",
  "Night train",
];

export interface Person {
  id: string;
  handle: string;
  name: string;
}

export function person(...seed: (string | number)[]): Person {
  const v = vary("youtube", "person", ...seed);
  const word = v.token("word", 5).toLowerCase().replace(/\W/g, "x");
  return { id: `UC${v.token("id", 22)}`, handle: `sample_${word}`, name: `Sample ${word}` };
}

export const browseTo = ({ id, handle }: Person) => ({
  commandMetadata: { webCommandMetadata: { url: `/@${handle}` } },
  browseEndpoint: { browseId: id, canonicalBaseUrl: `/@${handle}` },
});

/** Some pictures come without their scheme. */
export const pictures = (name: string) => [
  { url: `https://images.example/${name}-small.jpg`, width: 120, height: 90 },
  { url: `//images.example/${name}-large.jpg`, width: 720, height: 404 },
];
const thumbnails = (name: string) => ({ thumbnails: pictures(name) });

const linked = (who: Person) => ({ runs: [{ text: who.name, navigationEndpoint: browseTo(who) }] });

export function clock(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] ? parts : parts.slice(1);
  return shown
    .map((part, index) => (index ? String(part).padStart(2, "0") : String(part)))
    .join(":");
}

/** A video before it is put into a node. */
export function about(list: string, seed: string, index: number) {
  const v = vary("youtube", list, seed, index);
  return {
    id: v.token("video", 11),
    title: `${v.pick("subject", subjects)} (${seed.slice(0, 40)} ${index + 1})`,
    seconds: v.int("length", 61, 7000),
    views: v.int("views", 1000, 4_000_000),
    days: v.int("days", 2, 6),
    likes: v.int("likes", 1, 900),
    who: person(list, seed, index % 7),
  };
}

type About = ReturnType<typeof about>;

const status = (style: string, text: string) => ({
  thumbnailOverlayTimeStatusRenderer: { text: simple(text), style },
});

/** One in seven is live, one upcoming, one a short; each alternates between its two forms. */
export function classicVideo(video: About, index: number, options: { owned?: boolean } = {}) {
  const live = index % 7 === 3;
  const upcoming = index % 7 === 6;
  const short = index % 7 === 5;
  const other = index % 2 === 1;
  return {
    videoId: video.id,
    thumbnail: thumbnails(video.id),
    title: runs(video.title),
    ...(short ? { navigationEndpoint: { reelWatchEndpoint: { videoId: video.id } } } : {}),
    ...(options.owned
      ? {}
      : {
          longBylineText: linked(video.who),
          ownerText: linked(video.who),
          channelThumbnailSupportedRenderers: {
            channelThumbnailWithLinkRenderer: { thumbnail: thumbnails(video.who.handle) },
          },
        }),
    descriptionSnippet: { runs: [{ text: "What was tried, and " }, { text: "what came of it" }] },
    ...(live
      ? {
          viewCountText: { runs: [{ text: "1,204" }, { text: " watching" }] },
          ...(other
            ? { thumbnailOverlays: [status("LIVE", "LIVE")] }
            : { badges: [{ metadataBadgeRenderer: { style: "BADGE_STYLE_TYPE_LIVE_NOW" } }] }),
        }
      : upcoming
        ? other
          ? { upcomingEventData: { startTime: "1790000000" } }
          : { thumbnailOverlays: [status("UPCOMING", "UPCOMING")] }
        : {
            publishedTimeText: simple(`${video.days} days ago`),
            lengthText: simple(clock(video.seconds)),
            viewCountText: simple(`${video.views.toLocaleString("en-US")} views`),
            shortViewCountText: simple("many views"),
            thumbnailOverlays: [status("DEFAULT", clock(video.seconds))],
          }),
  };
}

const badge = (text: string, style = "DEFAULT") => ({
  thumbnailBadgeViewModel: { text, badgeStyle: `THUMBNAIL_OVERLAY_BADGE_STYLE_${style}` },
});

const avatarOf = (who: Person) => ({
  decoratedAvatarViewModel: {
    avatar: { avatarViewModel: { image: { sources: pictures(who.handle) } } },
    rendererContext: { commandContext: { onTap: { innertubeCommand: browseTo(who) } } },
  },
});

export function lockupVideo(video: About, index: number, options: { owned?: boolean } = {}) {
  const live = index % 9 === 5;
  const length = badge(clock(video.seconds));
  const badges: Readonly<Record<number, unknown[]>> = {
    2: [length, badge("SHORTS")],
    5: index % 2 === 1 ? [badge("LIVE")] : [badge("On air", "LIVE")],
    7: [badge("UPCOMING")],
  };
  const parts = live
    ? ["12 watching"]
    : [`${Math.round(video.views / 1000)}K views`, `${video.days} days ago`];
  return {
    contentId: video.id,
    contentType: "LOCKUP_CONTENT_TYPE_VIDEO",
    contentImage: {
      thumbnailViewModel: {
        image: { sources: pictures(video.id) },
        overlays: [
          {
            thumbnailBottomOverlayViewModel: {
              badges: badges[index % 9] ?? [length],
            },
          },
        ],
      },
    },
    metadata: {
      lockupMetadataViewModel: {
        title: content(video.title),
        ...(options.owned ? {} : { image: avatarOf(video.who) }),
        metadata: {
          contentMetadataViewModel: {
            metadataRows: [
              ...(options.owned ? [] : [{ metadataParts: [{ text: content(video.who.name) }] }]),
              { metadataParts: parts.map((part) => ({ text: content(part) })) },
            ],
          },
        },
      },
    },
  };
}

export function shortVideo(video: About) {
  return {
    entityId: `shorts-shelf-item-${video.id}`,
    onTap: { innertubeCommand: { reelWatchEndpoint: { videoId: video.id } } },
    overlayMetadata: {
      primaryText: content(video.title),
      secondaryText: content(`${Math.round(video.views / 1000)}k views`),
    },
    thumbnailViewModel: { thumbnailViewModel: { image: { sources: pictures(video.id) } } },
  };
}

/** A video in a playlist; one in eight is private. */
export function playlistVideo(video: About, index: number) {
  const isPrivate = index % 8 === 5;
  return {
    videoId: video.id,
    title: runs(isPrivate ? "[Private video]" : video.title),
    thumbnail: thumbnails(video.id),
    index: simple(String(index + 1)),
    isPlayable: !isPrivate,
    ...(isPrivate
      ? {}
      : {
          shortBylineText: linked(video.who),
          lengthText: simple(clock(video.seconds)),
          lengthSeconds: String(video.seconds),
          videoInfo: {
            runs: [
              { text: `${Math.round(video.views / 1000)}K views` },
              { text: " • " },
              { text: `${video.days} years ago` },
            ],
          },
        }),
  };
}

/** A card of a playlist; an `owned` one is on its channel's page. */
export function lockupPlaylist(seed: string, index: number, options: { owned?: boolean } = {}) {
  const video = about("playlist", seed, index);
  const id = `PL${vary("youtube", "playlist", seed, index).token("id", 32)}`;
  const link = (text: string, endpoint: unknown) => ({
    text: {
      content: text,
      commandRuns: [{ startIndex: 0, onTap: { innertubeCommand: endpoint } }],
    },
  });
  const whole = link("View full playlist", { browseEndpoint: { browseId: `VL${id}` } });
  return {
    contentId: id,
    contentType: "LOCKUP_CONTENT_TYPE_PLAYLIST",
    contentImage: {
      collectionThumbnailViewModel: {
        primaryThumbnail: {
          thumbnailViewModel: {
            image: { sources: pictures(video.id) },
            overlays: [
              {
                thumbnailOverlayBadgeViewModel: {
                  thumbnailBadges: [badge(`${2 + (index % 90)} videos`)],
                },
              },
            ],
          },
        },
      },
    },
    metadata: {
      lockupMetadataViewModel: {
        title: content(`Playlist ${video.title}`),
        ...(!options.owned && index % 2 === 0 ? { image: avatarOf(video.who) } : {}),
        metadata: {
          contentMetadataViewModel: {
            metadataRows: [
              {
                metadataParts: [
                  ...(options.owned ? [] : [link(video.who.name, browseTo(video.who))]),
                  ...(index % 3 === 0 ? [{ text: content("Updated yesterday") }] : []),
                ],
              },
              { isSpacerRow: true },
              { metadataParts: [whole] },
            ],
          },
        },
      },
    },
  };
}

/** The site shows the handle where the subscribers belong, and the subscribers where the videos do. */
export function channelRow(seed: string, index: number) {
  const who = person("channels", seed, index);
  return {
    channelId: who.id,
    title: simple(`${who.name} ${seed.slice(0, 40)}`),
    navigationEndpoint: browseTo(who),
    thumbnail: thumbnails(who.handle),
    ...(index % 4 === 3 ? {} : { descriptionSnippet: runs(`All about ${seed.slice(0, 60)}`) }),
    subscriberCountText: simple(`@${who.handle}`),
    videoCountText: simple(`${1 + ((index * 37) % 900)}K subscribers`),
    ...(index % 2 === 0
      ? { ownerBadges: [{ metadataBadgeRenderer: { style: "BADGE_STYLE_TYPE_VERIFIED" } }] }
      : {}),
  };
}
