import { describe, expect, test } from "vitest";
import { flat, tree } from "../../../worker/areas/forum/comment-tree.map.ts";
import { anyComment } from "../../../worker/areas/forum/comments.map.ts";

const t1 = (id: string, more: object = {}) => ({
  kind: "t1",
  data: { name: `t1_${id}`, body: `about ${id}`, link_id: "t3_9", replies: "", ...more },
});
const more = (parent_id: string, children: string[], count = children.length) => ({
  kind: "more",
  data: { id: children[0] ?? "_", parent_id, count, children },
});
const replies = (...children: unknown[]) => ({ kind: "Listing", data: { children } });

describe("forum comments", () => {
  test("forum surprise 1: an empty text means no replies", () => {
    const list = [t1("a", { replies: replies(t1("b")) }), t1("c")];
    expect(tree(list, "x").comments).toMatchObject([
      { id: "t1_a", depth: 0, reply_count: 1 },
      { id: "t1_b", depth: 1, reply_count: 0 },
      { id: "t1_c", depth: 0, reply_count: 0 },
    ]);
  });

  test("forum surprise 7: placeholders for comments are loaded later or mark a deeper branch", () => {
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

  test("comments loaded later are flat; depth is given or follows from the parent", () => {
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

  test("one comment that does not fit is lost alone; a list of only such comments does not fit", () => {
    const bad = { kind: "t1", data: { body: "nameless", replies: replies(t1("b")) } };
    expect(tree([bad], "x").comments).toMatchObject([{ id: "t1_b", depth: 1 }]);
    expect(() => tree([{ kind: "t1" }], "x")).toThrow("unexpected shape");
    expect(() => tree(undefined, "x")).toThrow("unexpected shape");
  });

  test("an old comment has no permalink", () => {
    expect(anyComment({ name: "t1_a", link_id: "t3_9" }).share_url).toBe(
      "https://www.reddit.com/comments/9/_/a/",
    );
  });
});
