import { describe, expect, test } from "vitest";
import { community } from "../../../worker/areas/forum/communities.map.ts";
import { user } from "../../../worker/areas/forum/users.map.ts";

describe("forum users and communities", () => {
  test("a suspended account has only its name", () => {
    expect(user({ name: "gone", is_suspended: true })).toEqual({
      username: "gone",
      display_name: "gone",
      is_suspended: true,
      share_url: "https://www.reddit.com/user/gone/",
    });
  });

  test("private settings of the token's own account are not read", () => {
    const own = { name: "me", id: "1", pref_nightmode: true, has_mail: true, inbox_count: 4 };
    expect(Object.keys(user(own)).sort()).toEqual(["display_name", "id", "share_url", "username"]);
  });

  test("forum surprise 13: the page of a user is a community of its own kind", () => {
    const row = { name: "t5_1", display_name: "u_someone", subreddit_type: "user" };
    expect(community({ ...row, community_icon: "", icon_img: "https://i.example/a?s=1" })).toEqual({
      id: "t5_1",
      name: "u_someone",
      type: "user",
      icon_url: "https://i.example/a",
      share_url: "https://www.reddit.com/r/u_someone/",
    });
  });
});
