import { expect, test } from "vitest";
import { addressOf } from "../../../worker/areas/videosite/address.map.ts";

const id = "UC0123456789abcdefghijkl";

test.each([
  [id, { channelId: id }],
  [`https://www.youtube.com/channel/${id}?x=1`, { channelId: id }],
  [`youtube.com/channel/${id}/videos`, { channelId: id }],
  [`/channel/${id}`, { channelId: id }],
  ["@maker", { url: "https://www.youtube.com/@maker", username: "maker" }],
  ["maker", { url: "https://www.youtube.com/@maker", username: "maker" }],
  ["/@maker", { url: "https://www.youtube.com/@maker", username: "maker" }],
  [
    "m.youtube.com/@maker/videos",
    { url: "https://www.youtube.com/@maker/videos", username: "maker" },
  ],
  ["/c/Maker", { url: "https://www.youtube.com/c/Maker", username: undefined }],
  [
    "http://youtube.com/user/Maker",
    { url: "https://www.youtube.com/user/Maker", username: undefined },
  ],
])("%s leads to a channel", (given, expected) => {
  expect(addressOf(given)).toEqual(expected);
});

test.each([
  "https://example.com/@maker",
  "https://www.youtube.com.example.com/@maker",
  "https://user@www.youtube.com/@maker",
  "ftp://www.youtube.com/@maker",
  "https://www.youtube.com/",
  "/channel/UC123",
  "a b",
])("%s does not", (given) => {
  expect(addressOf(given)).toBeUndefined();
});
