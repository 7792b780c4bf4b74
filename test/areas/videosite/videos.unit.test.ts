import { describe, expect, test } from "vitest";
import type { Answered } from "../../operations/play.ts";
import { play, playToEnd } from "../play.ts";
import {
  type Row,
  channelId,
  browsePath,
  continuationOf,
  nextPath,
  playerPath,
  site,
  text,
  token,
  ok,
  rowsOf,
  typeOf,
} from "./site.ts";

describe("videosite comments", () => {
  const key = (id: string) => ({ commentViewModel: { commentId: id, commentKey: `k ${id}` } });
  const commentOf = (
    id: string,
    toolbar: object = { likeCountNotliked: "9.8k", replyCount: "" },
  ) => ({
    entityKey: `k ${id}`,
    payload: {
      commentEntityPayload: {
        properties: {
          commentId: id,
          content: { content: `Text ${id}` },
          publishedTime: "2 days ago (edited)",
        },
        author: { channelId, displayName: "@maker" },
        toolbar,
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
    const samples = site({ [nextPath]: () => page([thread], [commentOf("Ug1")]) });
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

  test("videosite surprises 6 and 11: texts are read from the page that is followed to its rows", async () => {
    const thread = { commentThreadRenderer: { commentViewModel: key("Ug1") } };
    const samples = site({
      [nextPath]: (request) =>
        continuationOf(request) === "rows"
          ? page([thread], [commentOf("Ug1")])
          : page([token("rows")], []),
    });
    const [row] = await rowsOf("videosite.videos.comments", input, { samples });
    expect(row).toMatchObject({ id: "Ug1", text: "Text Ug1" });
  });

  test.each([
    [{ replyCount: "", replyCountA11y: "7 replies" }, { reply_count: 7 }],
    [{ replyCount: "", replyCountA11y: "0 replies" }, { reply_count: 0 }],
    [{ replyCount: "1.2K", replyCountA11y: "1,234 replies" }, { reply_count: 1200 }],
    [{ likeCountNotliked: " ", likeCountA11y: "0 likes" }, { like_count: 0 }],
    [{ likeCountNotliked: " " }, { like_count: 0 }],
    [{ likeCountNotliked: "", likeCountA11y: "5 likes" }, { like_count: 5 }],
  ])("a count that is not shown is the one that is read aloud: %j", async (toolbar, counts) => {
    const thread = { commentThreadRenderer: { commentViewModel: key("Ug1") } };
    const samples = site({ [nextPath]: () => page([thread], [commentOf("Ug1", toolbar)]) });
    const [row] = await rowsOf("videosite.videos.comments", input, { samples });
    expect(row).toMatchObject(counts);
    expect(row).not.toHaveProperty("reply_count" in counts ? "like_count" : "reply_count");
  });

  test("videosite surprise 7: replies continue inside their comment, more of them by a button", async () => {
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

  test("videosite surprise 12: a missing video or channel is an alert, an empty player or its error", async () => {
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

  test("a refused watch page costs its fields, not the video", async () => {
    const refused = { alerts: [{ alertRenderer: { type: "ERROR" } }] };
    const details = { videoId, title: "A", lengthSeconds: "3" };
    const played = await watch({ videoDetails: details }, refused);
    expect(played).toMatchObject({ ok: true, data: { id: videoId, title: "A", duration: 3 } });
    // The player plays the video without describing it: only the page has the fields.
    const silent = await watch({ playabilityStatus: { status: "LOGIN_REQUIRED" } }, refused);
    expect(typeOf(silent)).toBe("not_found");
    expect(typeOf(await watch({}, refused))).toBe("not_found");
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
