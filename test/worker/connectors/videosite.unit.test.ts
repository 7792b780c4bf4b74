import { describe, expect, test } from "vitest";
import { videosite } from "../../../contract/areas/videosite/index.ts";
import type { Sample, SampleRequest, Samples } from "../../../worker/sandbox.ts";
import { youtube as bundled } from "../../../worker/samples/youtube.ts";
import { youtube, youtubeCharts } from "../../../worker/upstreams/youtube.ts";
import type { Answered, Played } from "../../operations/play.ts";
import { play, playToEnd } from "./play.ts";

type Row = Record<string, unknown> & { id: string };

const channelId = "UC0123456789abcdefghijkl";
const browsePath = "POST /youtubei/v1/browse";
const nextPath = "POST /youtubei/v1/next";
const searchPath = "POST /youtubei/v1/search";
const playerPath = "POST /youtubei/v1/player";

const site = (answers: Record<string, Sample>): Samples[] => [
  { upstream: "youtube", answers, faults: bundled.faults },
];
const text = (simpleText: string) => ({ simpleText });
const token = (of: string) => ({
  continuationItemRenderer: { continuationEndpoint: { continuationCommand: { token: of } } },
});
const continuationOf = ({ body }: SampleRequest) =>
  (body as { continuation?: string }).continuation;
const append = (continuationItems: unknown[]) => ({
  onResponseReceivedActions: [{ appendContinuationItemsAction: { continuationItems } }],
});
const tab = (content: unknown, url = "/@maker/videos") => ({
  contents: {
    twoColumnBrowseResultsRenderer: {
      tabs: [
        {
          tabRenderer: {
            selected: true,
            content,
            endpoint: { commandMetadata: { webCommandMetadata: { url } } },
          },
        },
      ],
    },
  },
});
const grid = (...contents: unknown[]) => ({ richGridRenderer: { contents } });
const item = (content: unknown) => ({ richItemRenderer: { content } });
const old = (videoId: string, more: object = {}) => ({
  videoRenderer: { videoId, title: text(videoId), ...more },
});
const found = (...contents: unknown[]) => ({
  contents: {
    twoColumnSearchResultsRenderer: {
      primaryContents: {
        sectionListRenderer: { contents: [{ itemSectionRenderer: { contents } }] },
      },
    },
  },
});

async function ok(...call: Parameters<typeof play>): Promise<Answered> {
  const played = await play(...call);
  if (!played.ok) throw new Error(`${played.type}: ${played.message}`);
  expect(played.faults).toEqual([]);
  return played;
}
const rowsOf = async (...call: Parameters<typeof play>) => (await ok(...call)).data as Row[];
const typeOf = (played: Played) => (played.ok ? "ok" : played.type);

describe("videosite lists", () => {
  const card = {
    lockupViewModel: {
      contentId: "card0000001",
      contentType: "LOCKUP_CONTENT_TYPE_VIDEO",
      contentImage: {
        thumbnailViewModel: {
          image: { sources: [{ url: "//i.example/c.jpg", width: 9 }] },
          overlays: [
            {
              thumbnailBottomOverlayViewModel: {
                badges: [{ thumbnailBadgeViewModel: { text: "1:07:34" } }],
              },
            },
          ],
        },
      },
      metadata: {
        lockupMetadataViewModel: {
          title: { content: "A card" },
          metadata: {
            contentMetadataViewModel: {
              metadataRows: [
                {
                  metadataParts: [
                    { text: { content: "28 views" } },
                    { text: { content: "13 days ago" } },
                  ],
                },
              ],
            },
          },
        },
      },
    },
  };
  const short = {
    shortsLockupViewModel: {
      entityId: "shorts-shelf-item-short000001",
      overlayMetadata: {
        primaryText: { content: "Short" },
        secondaryText: { content: "895k views" },
      },
    },
  };

  test("videosite surprise 1: one list mixes older nodes, cards and shorts", async () => {
    const page = {
      ...tab(grid(item(old("old00000001", { lengthText: text("3:03") })), item(card), item(short))),
      metadata: {
        channelMetadataRenderer: {
          title: "Maker",
          vanityChannelUrl: "http://www.youtube.com/@maker",
        },
      },
    };
    const rows = await rowsOf(
      "videosite.channels.videos",
      { channel_id: channelId },
      { samples: site({ [browsePath]: () => page }) },
    );
    const author = { id: channelId, username: "maker", display_name: "Maker" };
    const flags = {
      is_live: false,
      is_upcoming: false,
      is_short: false,
      channel_id: channelId,
      author,
    };
    expect(rows).toEqual([
      {
        id: "old00000001",
        title: "old00000001",
        url: "https://www.youtube.com/watch?v=old00000001",
        duration: 183,
        ...flags,
      },
      {
        id: "card0000001",
        title: "A card",
        url: "https://www.youtube.com/watch?v=card0000001",
        thumbnail_url: "https://i.example/c.jpg",
        duration: 4054,
        view_count: 28,
        published_text: "13 days ago",
        ...flags,
      },
      {
        id: "short000001",
        title: "Short",
        url: "https://www.youtube.com/shorts/short000001",
        view_count: 895_000,
        ...flags,
        is_short: true,
      },
    ]);
  });

  test("videosite surprise 2: the header's continuation is not the list's", async () => {
    const asked: (string | undefined)[] = [];
    const panel = { content: { sectionListRenderer: { contents: [token("about")] } } };
    const page = {
      header: { pageHeaderRenderer: { content: { pageHeaderViewModel: { panel } } } },
      ...tab(grid(item(old("one00000001")), token("more"))),
    };
    const samples = site({
      [browsePath]: (request) => {
        asked.push(continuationOf(request));
        return continuationOf(request) ? append([item(old("two00000001"))]) : page;
      },
    });
    const rows = await rowsOf("videosite.channels.videos", { channel_id: channelId }, { samples });
    expect(rows.map(({ id }) => id)).toEqual(["one00000001", "two00000001"]);
    expect(asked).toEqual([undefined, "more"]);
  });

  test("videosite surprise 3: channel search has its columns swapped", async () => {
    const channelRenderer = {
      channelId,
      title: text("Maker"),
      thumbnail: { thumbnails: [{ url: "//i.example/a.jpg", width: 88 }] },
      subscriberCountText: text("@maker"),
      videoCountText: text("234k subscribers"),
    };
    const samples = site({ [searchPath]: () => found({ channelRenderer }) });
    expect(await rowsOf("videosite.search.channels", { q: "x" }, { samples })).toEqual([
      {
        id: channelId,
        title: "Maker",
        url: `https://www.youtube.com/channel/${channelId}`,
        username: "maker",
        avatar_url: "https://i.example/a.jpg",
        subscriber_count: 234_000,
      },
    ]);
  });

  test("videosite surprise 4: a message ends a search", async () => {
    const message = { messageRenderer: { text: { runs: [{ text: "No more results" }] } } };
    const samples = site({ [searchPath]: () => found(message) });
    const { data, pagination } = await ok("videosite.search", { q: "x" }, { samples });
    expect(data).toEqual([]);
    expect(pagination).toEqual({ has_more: false });
  });

  test("videosite surprise 5: shelves, adverts and suggestions are no hits", async () => {
    const shelf = {
      shelfRenderer: { content: { verticalListRenderer: { items: [old("shelf000001")] } } },
    };
    const between = [
      shelf,
      { adSlotRenderer: {} },
      { didYouMeanRenderer: {} },
      { horizontalCardListRenderer: {} },
    ];
    const samples = site({ [searchPath]: () => found(...between, old("hit00000001")) });
    expect((await rowsOf("videosite.search", { q: "x" }, { samples })).map(({ id }) => id)).toEqual(
      ["hit00000001"],
    );
    const renamed = site({ [searchPath]: () => found({ videoTileRenderer: { videoId: "x" } }) });
    expect(typeOf(await play("videosite.search", { q: "x" }, { samples: renamed }))).toBe(
      "response_shape_error",
    );
  });

  test("videosite surprise 8: playlists keep private videos and end in recommendations", async () => {
    const row = (videoId: string, more: object) => ({
      playlistVideoRenderer: { videoId, title: text(videoId), ...more },
    });
    const contents = [
      row("private0001", { index: text("4"), isPlayable: false }),
      row("public00001", { index: text("5"), isPlayable: true, lengthSeconds: "113" }),
      row("advice00001", { style: "PLAYLIST_VIDEO_RENDERER_STYLE_RECOMMENDED_VIDEO" }),
    ];
    const page = tab({
      sectionListRenderer: {
        contents: [
          { itemSectionRenderer: { contents: [{ playlistVideoListRenderer: { contents } }] } },
        ],
      },
    });
    const samples = site({ [browsePath]: () => page });
    const rows = await rowsOf(
      "videosite.playlists.videos",
      { playlist_id: "PL0123456789" },
      { samples },
    );
    expect(rows).toMatchObject([
      { id: "private0001", position: 4, is_playable: false },
      { id: "public00001", position: 5, is_playable: true, duration: 113 },
    ]);
    expect(rows).toHaveLength(2);
    expect(rows[0]).not.toHaveProperty("duration");
  });

  test("videosite surprise 11: a first page without rows is followed once", async () => {
    const empty = tab({ sectionListRenderer: { contents: [token("rows")] } });
    const samples = site({
      [browsePath]: (request) => (continuationOf(request) ? append([old("row00000001")]) : empty),
    });
    const rows = await rowsOf(
      "videosite.playlists.videos",
      { playlist_id: "PL0123456789" },
      { samples },
    );
    expect(rows.map(({ id }) => id)).toEqual(["row00000001"]);
  });

  test("videosite surprise 13: a tab that a channel lacks is an empty list", async () => {
    const home = tab(grid(item(old("home0000001"))), "/@maker/featured");
    const samples = site({ [browsePath]: () => home });
    for (const list of ["videos", "shorts", "playlists", "community"]) {
      const { data, pagination } = await ok(
        `videosite.channels.${list}`,
        { channel_id: channelId },
        { samples },
      );
      expect(data).toEqual([]);
      expect(pagination).toEqual({ has_more: false });
    }
  });

  test("one bad row is lost alone; only bad rows are no list", async () => {
    const samples = (...rows: unknown[]) => site({ [searchPath]: () => found(...rows) });
    const good = old("good0000001");
    for (const bad of [
      null,
      7,
      "x",
      {},
      [],
      { videoRenderer: {} },
      { videoRenderer: { videoId: 4 } },
    ]) {
      expect(
        await rowsOf("videosite.search", { q: "x" }, { samples: samples(bad, good) }),
      ).toHaveLength(1);
      const alone = await play("videosite.search", { q: "x" }, { samples: samples(bad) });
      expect(typeOf(alone)).toBe("response_shape_error");
    }
  });

  test("a continuation that never moves ends", async () => {
    let asked = 0;
    const samples = site({
      [searchPath]: () => {
        asked += 1;
        return found(token("same"));
      },
    });
    const { data } = await ok("videosite.search", { q: "x" }, { samples });
    expect(data).toEqual([]);
    expect(asked).toBeLessThan(10);
  });
});

describe("videosite comments", () => {
  const key = (id: string) => ({ commentViewModel: { commentId: id, commentKey: `k ${id}` } });
  const said = (id: string) => ({
    entityKey: `k ${id}`,
    payload: {
      commentEntityPayload: {
        properties: {
          commentId: id,
          content: { content: `Text ${id}` },
          publishedTime: "2 days ago (edited)",
        },
        author: { channelId, displayName: "@maker" },
        toolbar: { likeCountNotliked: "9.8k", replyCount: "" },
      },
    },
  });
  const page = (items: unknown[], mutations: unknown[]) => ({
    onResponseReceivedEndpoints: [{ appendContinuationItemsAction: { continuationItems: items } }],
    frameworkUpdates: { entityBatchUpdate: { mutations } },
  });
  const input = { video_id: "xxxxxxxxxxx" };

  test("videosite surprise 6: the texts of comments stand beside their list", async () => {
    const thread = { commentThreadRenderer: { commentViewModel: key("Ug1") } };
    const samples = site({ [nextPath]: () => page([thread], [said("Ug1")]) });
    const [row] = await rowsOf("videosite.videos.comments", input, { samples });
    expect(row).toEqual({
      id: "Ug1",
      text: "Text Ug1",
      author: { id: channelId, username: "maker", display_name: "@maker" },
      published_text: "2 days ago",
      like_count: 9800,
      reply_count: 0,
      is_pinned: false,
      is_hearted: false,
      is_author_owner: false,
      is_edited: true,
    });
    const bare = site({ [nextPath]: () => page([thread], []) });
    expect(typeOf(await play("videosite.videos.comments", input, { samples: bare }))).toBe(
      "response_shape_error",
    );
  });

  test("videosite surprise 7: replies go on inside their comment, more of them by a button", async () => {
    const pages = await playToEnd<Row>("videosite.videos.comments", {
      video_id: "sampleVid01",
      limit: 5,
    });
    const parent = pages.flat().find((row) => row.replies_cursor !== undefined) as Row;
    const replies = { video_id: "sampleVid01", replies_cursor: parent.replies_cursor, limit: 10 };
    const answers = (await playToEnd<Row>("videosite.videos.comments", replies)).flat();
    expect(answers).toHaveLength(25);
    expect(new Set(answers.map((row) => row.parent_id))).toEqual(new Set([parent.id]));
    const foreign = { ...replies, video_id: "sampleVid02" };
    expect(typeOf(await play("videosite.videos.comments", foreign))).toBe("validation_error");
  });
});

describe("videosite videos", () => {
  const videoId = "xxxxxxxxxxx";
  const watch = (player: unknown, next: unknown = {}) =>
    play(
      "videosite.videos.get",
      { video_id: videoId },
      { samples: site({ [playerPath]: () => player, [nextPath]: () => next }) },
    );

  test("videosite surprise 9: a live stream has no length", async () => {
    const details = { videoId, lengthSeconds: "0", isLive: true };
    const played = await watch({ videoDetails: details });
    expect(played).toMatchObject({ ok: true, data: { id: videoId, is_live: true } });
    expect((played as Answered).data).not.toHaveProperty("duration");
  });

  test("videosite surprise 10: the player's numbers are text", async () => {
    const played = await watch({
      playabilityStatus: { status: "UNPLAYABLE" },
      videoDetails: { videoId, lengthSeconds: "381", viewCount: "41613592" },
      microformat: {
        playerMicroformatRenderer: {
          publishDate: "2019-08-24T08:39:57-07:00",
          likeCount: "5471574",
        },
      },
    });
    expect(played).toMatchObject({
      data: {
        duration: 381,
        view_count: 41_613_592,
        like_count: 5_471_574,
        create_time: 1_566_661_197,
        is_playable: false,
      },
    });
  });

  test("videosite surprise 12: what does not exist is an alert, an empty player or its error", async () => {
    expect(typeOf(await watch({}))).toBe("not_found");
    expect(typeOf(await watch({ playabilityStatus: { status: "ERROR" } }))).toBe("not_found");
    const alert = {
      alerts: [{ alertRenderer: { type: "ERROR", text: text("This channel does not exist.") } }],
    };
    const samples = site({ [browsePath]: () => alert });
    for (const [id, input] of [
      ["videosite.channels.get", { channel_id: channelId }],
      ["videosite.playlists.get", { playlist_id: "PL0123456789" }],
    ] as const) {
      expect(typeOf(await play(id, input, { samples }))).toBe("not_found");
    }
  });

  const track = (languageCode: string, kind?: string) => ({
    languageCode,
    kind,
    baseUrl: `https://www.youtube.com/api/timedtext?lang=${languageCode}&kind=${kind ?? ""}`,
  });
  const withTracks = (...captionTracks: unknown[]) => ({
    playabilityStatus: { status: "OK" },
    captions: { playerCaptionsTracklistRenderer: { captionTracks } },
  });
  const spoken = (utf8: string) => ({
    events: [
      { tStartMs: 500, segs: [{ utf8 }] },
      { tStartMs: 900, segs: [{ utf8: "\n" }] },
    ],
  });

  test("videosite surprise 14: an empty caption answer is a refusal; another player is tried", async () => {
    let texts = 0;
    const samples = (answer: (count: number) => unknown) =>
      site({
        [playerPath]: () => withTracks(track("en")),
        "GET /api/timedtext": () => answer((texts += 1)),
      });
    const refused = await play(
      "videosite.videos.transcript",
      { video_id: videoId },
      { samples: samples(() => undefined) },
    );
    expect(typeOf(refused)).toBe("upstream_unavailable");
    expect(texts).toBe(2);
    texts = 0;
    const second = samples((count) => (count === 1 ? undefined : spoken("Hello")));
    const { data } = await ok(
      "videosite.videos.transcript",
      { video_id: videoId },
      { samples: second },
    );
    expect(data).toEqual({
      video_id: videoId,
      language: "en",
      is_auto_generated: false,
      text: "Hello",
      segments: [{ start: 0.5, text: "Hello" }],
    });
  });

  test.each([
    [undefined, "de"],
    ["en-GB", "en-GB"],
    ["EN-us", "en-GB"],
    ["fr", undefined],
  ])("a transcript in %s comes from the track %s", async (language, expected) => {
    const samples = site({
      [playerPath]: () => withTracks(track("en", "asr"), track("de"), track("en-GB")),
      "GET /api/timedtext": ({ query }) => spoken(String(query?.lang)),
    });
    const played = await play(
      "videosite.videos.transcript",
      { video_id: videoId, language },
      { samples },
    );
    if (expected === undefined) expect(typeOf(played)).toBe("not_found");
    else expect(played).toMatchObject({ data: { language: expected, text: expected } });
  });

  test("captions never show the signed address, and none are an empty list", async () => {
    const samples = site({ [playerPath]: () => withTracks(track("en", "asr")) });
    expect(await rowsOf("videosite.videos.captions", { video_id: videoId }, { samples })).toEqual([
      { language: "en", is_auto_generated: true, is_translatable: false },
    ]);
    const none = site({ [playerPath]: () => ({ playabilityStatus: { status: "OK" } }) });
    expect(
      await rowsOf("videosite.videos.captions", { video_id: videoId }, { samples: none }),
    ).toEqual([]);
    const missing = await play(
      "videosite.videos.transcript",
      { video_id: videoId },
      { samples: none },
    );
    expect(typeOf(missing)).toBe("not_found");
  });
});

test("videosite surprise 15: a gated channel has a name and a picture only", async () => {
  const gate = {
    channelAgeGateRenderer: {
      channelTitle: "Grown-ups",
      avatar: { thumbnails: [{ url: "https://i.example/g.jpg" }] },
    },
  };
  const samples = site({ [browsePath]: () => tab({ sectionListRenderer: { contents: [gate] } }) });
  const { data } = await ok("videosite.channels.get", { channel_id: channelId }, { samples });
  expect(data).toEqual({
    id: channelId,
    title: "Grown-ups",
    url: `https://www.youtube.com/channel/${channelId}`,
    avatar_url: "https://i.example/g.jpg",
    is_family_safe: false,
  });
});

test.each([
  [200, {}, undefined],
  [200, { alerts: [{ alertRenderer: { type: "INFO" } }] }, undefined],
  [200, { alerts: [{ alertRenderer: { type: "ERROR" } }] }, "not_found"],
  [200, { playabilityStatus: { status: "ERROR" } }, "not_found"],
  [
    200,
    { playabilityStatus: { status: "LOGIN_REQUIRED", reason: "This video is private" } },
    "not_found",
  ],
  [
    200,
    {
      playabilityStatus: {
        status: "LOGIN_REQUIRED",
        reason: "Sign in to confirm you’re not a bot",
      },
    },
    "upstream_unavailable",
  ],
  [
    200,
    { playabilityStatus: { status: "LOGIN_REQUIRED", reason: "Sign in to confirm your age" } },
    undefined,
  ],
  [200, { playabilityStatus: { status: "LIVE_STREAM_OFFLINE" } }, undefined],
  [404, {}, "not_found"],
  [400, { error: { status: "INVALID_ARGUMENT" } }, "not_found"],
  [400, { error: { status: "FAILED_PRECONDITION" } }, "upstream_error"],
  [403, {}, "upstream_unavailable"],
  [429, {}, "upstream_unavailable"],
  [500, {}, "upstream_unavailable"],
])("videosite outcome %i %j", (status, body, type) => {
  const verdict = youtube.judge({ status, headers: {}, body });
  expect(verdict.ok ? undefined : verdict.type).toBe(type);
});

test("a country without charts is the caller's to mend", () => {
  const verdict = youtubeCharts.judge({ status: 400, headers: {}, body: {} });
  expect(verdict).toMatchObject({ ok: false, type: "validation_error", field: "country" });
});

test.each([
  [
    "videosite.channels.get",
    "channel_id",
    [channelId],
    ["UC123", `xx${channelId.slice(2)}`, `${channelId}a`],
  ],
  ["videosite.videos.get", "video_id", ["-_DaUyAB_DE"], ["short", "exactly11.."]],
  ["videosite.playlists.get", "playlist_id", ["PL0123456789"], ["PL1", "PL 012345678901"]],
  ["videosite.hashtags.videos", "tag", ["#wood", "wood", "жизнь"], ["", "#", "a b", "##a"]],
])("ids of %s", (operation, name, good, bad) => {
  const input = videosite.operations.find(({ id }) => id === operation)?.input;
  for (const value of good) expect(input?.safeParse({ [name]: value }).success, value).toBe(true);
  for (const value of bad) expect(input?.safeParse({ [name]: value }).success, value).toBe(false);
});

test.each([
  [{ text: "LIVE" }, { is_live: true }],
  [{ text: "On air", badgeStyle: "THUMBNAIL_OVERLAY_BADGE_STYLE_LIVE" }, { is_live: true }],
  [{ text: "UPCOMING" }, { is_upcoming: true }],
  [{ text: "SHORTS" }, { is_short: true, url: "https://www.youtube.com/shorts/card0000001" }],
  [{ text: "4:02" }, { duration: 242 }],
])("the badge %j of a card", async (thumbnailBadgeViewModel, expected) => {
  const overlay = { thumbnailBottomOverlayViewModel: { badges: [{ thumbnailBadgeViewModel }] } };
  const lockupViewModel = {
    contentId: "card0000001",
    contentType: "LOCKUP_CONTENT_TYPE_VIDEO",
    contentImage: { thumbnailViewModel: { overlays: [overlay] } },
  };
  const samples = site({ [searchPath]: () => found({ lockupViewModel }) });
  const plain = { is_live: false, is_upcoming: false, is_short: false };
  expect(await rowsOf("videosite.search", { q: "x" }, { samples })).toEqual([
    {
      id: "card0000001",
      url: "https://www.youtube.com/watch?v=card0000001",
      ...plain,
      ...expected,
    },
  ]);
});
