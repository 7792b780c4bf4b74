import { describe, expect, test } from "vitest";
import { play } from "../play.ts";
import {
  channelId,
  browsePath,
  searchPath,
  site,
  text,
  token,
  continuationOf,
  append,
  tab,
  grid,
  item,
  old,
  found,
  ok,
  rowsOf,
  typeOf,
} from "./site.ts";

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
    const requests: (string | undefined)[] = [];
    const panel = { content: { sectionListRenderer: { contents: [token("about")] } } };
    const page = {
      header: { pageHeaderRenderer: { content: { pageHeaderViewModel: { panel } } } },
      ...tab(grid(item(old("one00000001")), token("more"))),
    };
    const samples = site({
      [browsePath]: (request) => {
        requests.push(continuationOf(request));
        return continuationOf(request) ? append([item(old("two00000001"))]) : page;
      },
    });
    const rows = await rowsOf("videosite.channels.videos", { channel_id: channelId }, { samples });
    expect(rows.map(({ id }) => id)).toEqual(["one00000001", "two00000001"]);
    expect(requests).toEqual([undefined, "more"]);
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

  test("pages of playlists do not end a search for a channel's videos", async () => {
    const playlist = { gridPlaylistRenderer: { playlistId: "PLx", title: text("P") } };
    const samples = site({
      [browsePath](request) {
        const page = Number(continuationOf(request) ?? 0);
        if (page === 0) return tab(grid(playlist, token("1")), "/@maker/search");
        return append(page < 6 ? [playlist, token(`${page + 1}`)] : [old("row00000001")]);
      },
    });
    const input = { channel_id: channelId, q: "x" };
    const rows = await rowsOf("videosite.channels.search", input, { samples });
    expect(rows.map(({ id }) => id)).toEqual(["row00000001"]);
  });

  test("videosite surprise 13: a missing tab of a channel is an empty list", async () => {
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
    let requests = 0;
    const samples = site({
      [searchPath]: () => {
        requests += 1;
        return found(token("same"));
      },
    });
    const { data } = await ok("videosite.search", { q: "x" }, { samples });
    expect(data).toEqual([]);
    expect(requests).toBeLessThan(10);
  });
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
