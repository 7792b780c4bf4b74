import { expect, test } from "vitest";
import type { Operation } from "../../contract/operation.ts";
import { changed } from "./inputs.ts";
import { answer, type Input, mapped, rowsOf } from "./play.ts";

/** Callers' names for orders by time. */
const byTime = ["newest", "recency", "recent", "latest", "new"];

/**
 * Operations whose sample answers do not follow the order yet; remove an operation when it is
 * fixed.
 */
const unsorted = new Set([
  "cnvideo.search",
  "forum.comments.replies",
  "forum.communities.posts",
  "forum.communities.search",
  "forum.feed.popular",
  "forum.posts.comments",
  "forum.search",
  "forum.users.comments",
  "forum.users.posts",
  "photosite.hashtags.posts",
  "photosite.locations.posts",
  "photosite.posts.comments",
  "professional_network.companies.posts",
  "shortclip.users.videos",
  "threads.search.recent",
]);

/** The inputs under which an operation promises the newest first. */
const promises = mapped.flatMap((op) => {
  const limit = { limit: 30 };
  const whole = /newest first/.test(`${op.summary} ${op.description ?? ""}`);
  const words = ["sort", "tab", "feed"].flatMap((name) =>
    byTime.map((word): Input => ({ ...limit, [name]: word })),
  );
  const inputs = [...(whole ? [limit] : []), ...words].flatMap((more) => {
    const known = Object.keys(more).every((name) => Object.hasOwn(op.input.shape, name));
    const input = known ? changed(op, more) : undefined;
    return input ? [{ id: op.id, op, order: JSON.stringify(more), input }] : [];
  });
  return inputs;
});

function timesOf(op: Operation, data: unknown): number[] {
  return rowsOf(op, data).flatMap((row) => {
    const { create_time: time, is_pinned: isPinned } = row as {
      create_time?: number;
      is_pinned?: boolean;
    };
    return time === undefined || isPinned ? [] : [time];
  });
}

test("orders by time are promised by these operations", () => {
  const ids = promises.map(({ id }) => id).filter((id) => id.startsWith("microblog."));
  expect([...new Set(ids)]).toEqual([
    "microblog.posts.search_recent",
    "microblog.users.posts",
    "microblog.communities.posts",
    "microblog.lists.posts",
  ]);
});

test.each(promises)("$id $order: the newest come first", async ({ op, input }) => {
  const times = timesOf(op, (await answer(op, input)).data);
  const isSorted = times.every((time, at) => at === 0 || time <= (times[at - 1] as number));
  expect(isSorted, times.join(" ")).toBe(!unsorted.has(op.id));
});
