import { describe, expect, test } from "vitest";
import { flat, tree } from "../../../worker/areas/forum/comments.map.ts";
import { anyComment, community, post, user } from "../../../worker/areas/forum/records.map.ts";

const t1 = (id: string, more: object = {}) => ({
  kind: "t1",
  data: { name: `t1_${id}`, body: `about ${id}`, link_id: "t3_9", replies: "", ...more },
});
const more = (parent_id: string, children: string[], count = children.length) => ({
  kind: "more",
  data: { id: children[0] ?? "_", parent_id, count, children },
});
const replies = (...children: unknown[]) => ({ kind: "Listing", data: { children } });
const media = { a: { status: "valid", s: { u: "https://i.example/a", x: 4, y: 3 } } };

describe("forum posts", () => {
  test("forum surprise 2: false and null are never, words are no pictures", () => {
    const row = { name: "t3_1", edited: false, thumbnail: "self", link_flair_text: null };
    expect(post({ ...row, media: null, likes: null, is_self: true })).toEqual({
      id: "t3_1",
      text: "",
      media_type: "text",
      images: [],
    });
    expect(
      post({ ...row, edited: 1_746_721_378.5, thumbnail: "https://i.example/t" }),
    ).toMatchObject({
      edit_time: 1_746_721_378,
      thumbnail_url: "https://i.example/t",
    });
  });

  test("forum surprise 6: what is deleted or removed keeps its marks", () => {
    expect(post({ name: "t3_1", author: "[deleted]", selftext: "[removed]" })).toMatchObject({
      text: "[removed]",
      author: { username: "[deleted]", display_name: "[deleted]" },
    });
  });

  test("forum surprise 8: pictures of a gallery that are not ready are left out", () => {
    const items = [
      { media_id: "b" },
      { media_id: "a", caption: "first" },
      { media_id: "missing" },
      { media_id: "c" },
    ];
    const media_metadata = { ...media, b: { status: "unprocessed" }, c: { s: { gif: "g" } } };
    const row = { name: "t3_1", is_gallery: true, gallery_data: { items }, media_metadata };
    expect(post(row)).toMatchObject({
      media_type: "gallery",
      images: [{ url: "https://i.example/a", width: 4, height: 3, caption: "first" }, { url: "g" }],
    });
    expect(post({ ...row, gallery_data: null, media_metadata: null }).images).toEqual([]);
  });

  test("forum surprise 9: a fresh video is one without its file", () => {
    const row = post({ name: "t3_1", is_video: true, media: null, secure_media: null });
    expect(row.media_type).toBe("video");
    expect(row).not.toHaveProperty("video");
  });

  test.each([
    ["poll", { poll_data: {}, is_self: true }],
    ["crosspost", { crosspost_parent_list: [{}], is_video: true }],
    ["image", { post_hint: "image", is_self: false }],
    ["video", { post_hint: "rich:video", is_self: false }],
    ["link", { post_hint: "link", is_self: false }],
    [undefined, {}],
  ])("media_type %s", (expected, row) => {
    expect(post({ name: "t3_1", ...row }).media_type).toBe(expected);
  });
});

describe("forum comments", () => {
  test("forum surprise 1: replies are an empty text where there are none", () => {
    const list = [t1("a", { replies: replies(t1("b")) }), t1("c")];
    expect(tree(list, "x").comments).toMatchObject([
      { id: "t1_a", depth: 0, reply_count: 1 },
      { id: "t1_b", depth: 1, reply_count: 0 },
      { id: "t1_c", depth: 0, reply_count: 0 },
    ]);
  });

  test("forum surprise 7: what stands for comments is loaded later or marks a deeper branch", () => {
    const list = [
      t1("a", { replies: replies(t1("b"), more("t1_a", ["d", "e"])) }),
      t1("c", { replies: replies(more("t1_c", [], 0)) }),
      more("t3_9", ["f"]),
    ];
    const { comments, rest } = tree(list, "x");
    expect(comments).toMatchObject([
      { id: "t1_a", reply_count: 3, has_more_replies: false },
      { id: "t1_b", has_more_replies: false },
      { id: "t1_c", reply_count: 0, has_more_replies: true },
    ]);
    expect(rest).toEqual(["d", "e", "f"]);
  });

  test("comments loaded later are flat; depth is told or follows from the parent", () => {
    const things = [
      t1("a", { parent_id: "t3_9" }),
      t1("b", { parent_id: "t1_a" }),
      t1("c", { parent_id: "t1_elsewhere" }),
      t1("d", { parent_id: "t1_elsewhere", depth: 5 }),
      more("t1_b", ["e"], 4),
    ];
    const { comments, rest } = flat(things, "x");
    expect(comments.map(({ depth, reply_count }) => [depth, reply_count])).toEqual([
      [0, 1],
      [1, 4],
      [undefined, 0],
      [5, 0],
    ]);
    expect(rest).toEqual(["e"]);
  });

  test("one comment that does not fit is lost alone, nothing but such does not fit", () => {
    const bad = { kind: "t1", data: { body: "nameless", replies: replies(t1("b")) } };
    expect(tree([bad], "x").comments).toMatchObject([{ id: "t1_b", depth: 1 }]);
    expect(() => tree([{ kind: "t1" }], "x")).toThrow("unexpected shape");
    expect(() => tree(undefined, "x")).toThrow("unexpected shape");
  });

  test("an old comment has no address of its own", () => {
    expect(anyComment({ name: "t1_a", link_id: "t3_9" }).share_url).toBe(
      "https://www.reddit.com/comments/9/_/a/",
    );
  });
});

describe("forum users and communities", () => {
  test("of a suspended account only the name is known", () => {
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
