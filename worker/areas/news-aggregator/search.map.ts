import type { NewsAggregatorHit } from "../../../contract/areas/news-aggregator/index.ts";
import { type Wire, array, at, count, defined, integer, need, rows, text } from "#wire";

/** Kinds of items among the marks of a hit; a story may be marked as one of `ask_hn` and `show_hn` too. */
const types = ["story", "comment", "poll", "pollopt", "job"];

function hit(row: Wire): NewsAggregatorHit {
  const marks = array(row._tags) ?? [];
  const isComment = marks.includes("comment");
  return defined({
    id: need(integer(row.objectID), "hits.objectID"),
    type: types.find((type) => marks.includes(type)),
    by: text(row.author),
    time: integer(row.created_at_i),
    title: text(row.title),
    text: text(row.story_text) ?? text(row.comment_text),
    url: text(row.url),
    score: integer(row.points),
    descendants: count(row.num_comments),
    parent: integer(row.parent_id),
    // A story's own number stands here as well.
    story: isComment ? integer(row.story_id) : undefined,
    story_title: text(row.story_title),
    story_url: text(row.story_url),
  });
}

/** Hits of a page, and how many pages the service shows. */
export const hitsOf = (body: unknown) => ({
  rows: rows(at(body, "hits"), "hits", hit),
  pages: need(count(at(body, "nbPages")), "nbPages"),
});
