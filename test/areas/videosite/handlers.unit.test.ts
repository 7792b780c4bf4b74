import { expect, test } from "vitest";
import { expectValues } from "../input.ts";
import { play } from "../play.ts";
import { channelId, browsePath, site, tab, ok } from "./site.ts";

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

test("a handle with a stray percent sign is answered in test mode as well", async () => {
  const url = "https://www.youtube.com/@sample%";
  const played = await play("videosite.resolve.channel_id", { url });
  expect(played).toMatchObject({ ok: true, faults: [] });
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
  expectValues(operation, name, good, bad);
});
