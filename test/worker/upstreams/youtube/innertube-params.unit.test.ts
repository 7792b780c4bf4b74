import { expect, test } from "vitest";
import {
  commentsToken,
  hashtagParams,
  isTokenOf,
  searchParams,
} from "../../../../worker/upstreams/youtube/innertube-params.ts";

const bytes = (params: string) => [...Buffer.from(decodeURIComponent(params), "base64")];

test("filters of a search", () => {
  expect(searchParams({ type: "channel" })).toBe("EgIQAg%3D%3D");
  expect(searchParams({ type: "playlist" })).toBe("EgIQAw%3D%3D");
  const all = searchParams({
    type: "video",
    uploadDate: "week",
    duration: "long",
    sort: "popularity",
  });
  expect(bytes(all)).toEqual([8, 3, 0x12, 6, 8, 3, 0x10, 1, 0x18, 2]);
});

test("a hashtag", () => {
  expect(bytes(hashtagParams("cat"))).toEqual([0xea, 0x05, 7, 0x0a, 3, 99, 97, 116, 0x18, 1]);
});

test("the comments of a video, and the owner of a token", () => {
  const top = commentsToken("xaQJbozY_Is", "top");
  expect(Buffer.from(bytes(top)).toString("latin1")).toContain("comments-section");
  expect(bytes(commentsToken("xaQJbozY_Is", "newest")).length).toBe(bytes(top).length + 2);
  expect(isTokenOf(top, "xaQJbozY_Is")).toBe(true);
  expect(isTokenOf(top, "xaQJbozY_It")).toBe(false);
  for (const foreign of ["", "%", "%3D", "Eg0", "AAAA"])
    expect(isTokenOf(foreign, "xaQJbozY_Is")).toBe(false);
});
