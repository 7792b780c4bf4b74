import { describe, expect, test } from "vitest";
import { decode as decodeAny } from "../input.ts";

const decode = (id: string, query: string, path: Record<string, string> = {}) =>
  decodeAny(`microblog.${id}`, path, query);

/** The error type, with the paths at fault of a validation_error. */
function refusal(...call: Parameters<typeof decode>): string {
  try {
    decode(...call);
  } catch (error) {
    const { type, issues = [] } = error as { type: string; issues?: { path: string }[] };
    // An identifier's path is reported for calls of a batch; alone its message names it.
    const paths = type === "validation_error" ? issues.map(({ path }) => path) : [];
    return [type, ...paths].join(" ");
  }
  return "accepted";
}

const long = (count: number) => Array.from({ length: count }, (_, index) => index + 1).join();

describe("microblog spellings", () => {
  test("the platform's own parameter names map to the usual ones", () => {
    expect(
      decode("posts.search_recent", "query=a&max_results=50&pagination_token=t&tweet.fields=x"),
    ).toEqual({ q: "a", sort: "recency", limit: 50, cursor: "t" });
    expect(decode("lists.members", "max_results=7&limit=9&expansions=y", { id: "1" })).toEqual({
      id: "1",
      limit: 7,
    });
    expect(decode("users.followers", "", { id: "1" })).toEqual({ id: "1", limit: 100 });
  });

  test.each([
    ["posts.search_recent", "", "validation_error q"],
    ["posts.search_recent", "q=a&query=b", "validation_error query"],
    ["posts.search_recent", "q=a&cursor=t&pagination_token=t", "validation_error pagination_token"],
    ["posts.search_recent", "q=a&max_results=101", "validation_error max_results"],
    [
      "posts.search_recent",
      "q=a&start_time=1790000000&end_time=1790000000",
      "validation_error end_time",
    ],
    ["posts.search_recent", "q=a&place=b", "validation_error place"],
    ["friendships.show", "", "validation_error source_id target_id"],
    [
      "friendships.show",
      "source_id=1&source_screen_name=a&target_id=2",
      "validation_error source_screen_name",
    ],
    ["friendships.show", "source_id=1&target_screen_name=@a", "accepted"],
  ])("%s?%s is %s", (id, query, expected) => {
    expect(refusal(id, query)).toBe(expected);
  });
});

describe("microblog ids", () => {
  test("several ids are requested once each, in the order first given", () => {
    expect(decode("posts.batch", "ids=3, 1,3&ids=2")).toEqual({ ids: ["3", "1", "2"] });
    expect(decode("users.batch_by_username", "usernames=@Ab,aB,c")).toEqual({
      usernames: ["Ab", "c"],
    });
  });

  test.each([
    ["posts.batch", `ids=${long(100)}`, {}, "accepted"],
    ["posts.batch", `ids=${long(101)}`, {}, "validation_error ids"],
    ["posts.batch", "ids=1,x", {}, "invalid_id"],
    ["posts.batch", "ids=1,,2", {}, "validation_error ids[1]"],
    ["users.batch_by_username", "usernames=a,b-c", {}, "invalid_id"],
    ["posts.get", "", { id: "1".repeat(19) }, "accepted"],
    ["posts.get", "", { id: "1".repeat(20) }, "invalid_id"],
    ["posts.get", "", { id: "-1" }, "invalid_id"],
    ["users.get_by_username", "", { username: "@a_1" }, "accepted"],
    ["users.get_by_username", "", { username: "a".repeat(16) }, "invalid_id"],
    ["trends.by_woeid", "", { woeid: "2147483647" }, "accepted"],
    ["trends.by_woeid", "", { woeid: "2147483648" }, "invalid_id"],
    ["trends.by_woeid", "", { woeid: "0" }, "invalid_id"],
    ["posts.translation", "language=german", { id: "1" }, "validation_error language"],
    ["users.posts", "exclude=replies,likes", { id: "1" }, "validation_error exclude[1]"],
  ])("%s?%.20s %j is %s", (id, query, path, expected) => {
    expect(refusal(id, query, path as Record<string, string>)).toBe(expected);
  });
});
