import type { Sample } from "../../../sandbox/sample.ts";
import { vary } from "../../../sandbox/vary.ts";
import { about, browseTo, clock, content, pictures, runs, simple } from "./nodes.ts";
import { section } from "./pages.ts";

/** The video site's answers about one video: its page, its player and the text of its captions. */
export function watchPage(videoId: string, related: unknown[]): unknown {
  const video = { ...about("video", videoId, 0), id: videoId };
  const label = `like this video along with ${video.likes.toLocaleString("en-US")} other people`;
  const button = {
    defaultButtonViewModel: { buttonViewModel: { title: "Like", accessibilityText: label } },
  };
  return {
    contents: {
      twoColumnWatchNextResults: {
        results: {
          results: {
            contents: [
              {
                videoPrimaryInfoRenderer: {
                  title: runs(video.title),
                  viewCount: {
                    videoViewCountRenderer: {
                      viewCount: simple(`${video.views.toLocaleString("en-US")} views`),
                    },
                  },
                  relativeDateText: simple(`${video.days} days ago`),
                  videoActions: {
                    menuRenderer: {
                      topLevelButtons: [
                        {
                          segmentedLikeDislikeButtonViewModel: {
                            likeButtonViewModel: {
                              likeButtonViewModel: {
                                toggleButtonViewModel: { toggleButtonViewModel: button },
                              },
                            },
                          },
                        },
                      ],
                    },
                  },
                },
              },
              {
                videoSecondaryInfoRenderer: {
                  owner: {
                    videoOwnerRenderer: {
                      title: {
                        runs: [{ text: video.who.name, navigationEndpoint: browseTo(video.who) }],
                      },
                      navigationEndpoint: browseTo(video.who),
                      thumbnail: { thumbnails: pictures(video.who.handle) },
                    },
                  },
                  attributedDescription: content("What was tried, and what came of it."),
                },
              },
              section([{ commentsEntryPointHeaderRenderer: { commentCount: simple("1.2K") } }]),
            ],
          },
        },
        secondaryResults: { secondaryResults: { results: related } },
      },
    },
    currentVideoEndpoint: { watchEndpoint: { videoId } },
  };
}

const languages = [
  ["en", "English (auto-generated)", "asr"],
  ["en-GB", "English (United Kingdom)", ""],
  ["nb", "Norwegian Bokmål", ""],
] as const;

export const player: Sample = ({ body, empty }) => {
  const videoId = String((body as { videoId?: unknown }).videoId);
  const video = { ...about("video", videoId, 0), id: videoId };
  const v = vary("youtube", "player", videoId);
  const track = ([languageCode, name, kind]: (typeof languages)[number]) => ({
    baseUrl: `https://www.youtube.com/api/timedtext?v=${videoId}&lang=${languageCode}&kind=${kind}&signature=sample`,
    name: runs(name),
    languageCode,
    ...(kind ? { kind } : {}),
    isTranslatable: true,
  });
  return {
    playabilityStatus: { status: "OK", playableInEmbed: true },
    ...(empty
      ? {}
      : { captions: { playerCaptionsTracklistRenderer: { captionTracks: languages.map(track) } } }),
    videoDetails: {
      videoId,
      title: video.title,
      lengthSeconds: String(video.seconds),
      channelId: video.who.id,
      author: video.who.name,
      keywords: ["wood", "sample", clock(video.seconds)],
      shortDescription: "What was tried, and what came of it.\nAll of it made up.",
      viewCount: String(video.views),
      thumbnail: { thumbnails: pictures(videoId) },
      isLive: false,
      isUpcoming: false,
      isLiveContent: false,
    },
    microformat: {
      playerMicroformatRenderer: {
        externalVideoId: videoId,
        title: simple(video.title),
        description: simple("What was tried, and what came of it.\nAll of it made up."),
        thumbnail: { thumbnails: pictures(videoId) },
        lengthSeconds: String(video.seconds + 1),
        externalChannelId: video.who.id,
        ownerChannelName: video.who.name,
        ownerProfileUrl: `http://www.youtube.com/@${video.who.handle}`,
        category: v.pick("category", ["Education", "Howto & Style"]),
        publishDate: `2026-0${v.int("month", 1, 6)}-1${v.int("day", 0, 9)}T08:39:57-07:00`,
        likeCount: String(video.likes),
        viewCount: String(video.views + 3),
        isFamilySafe: true,
        isUnlisted: v.int("unlisted", 0, 5) === 0,
        isShortsEligible: false,
      },
    },
  };
};

export const timedText: Sample = ({ query }) => ({
  wireMagic: "pb3",
  events: [
    { tStartMs: 0, dDurationMs: 90_000, id: 1 },
    ...["We begin with the plane.", "Then the saw.", "\n", `This is ${String(query?.lang)}.`].map(
      (utf8, index) => ({
        tStartMs: 1200 + index * 2400,
        ...(index === 1 ? {} : { dDurationMs: 2300 }),
        segs: utf8.split(/(?= )/).map((part) => ({ utf8: part })),
      }),
    ),
  ],
});
