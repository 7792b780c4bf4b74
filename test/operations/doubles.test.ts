import { expect, test } from "vitest";
import { capturing, type Exchange, replaying } from "./capture.ts";
import { exampleOf } from "./inputs.ts";
import { opened } from "./nodes.ts";
import { identityOf, mapped, play, rowsOf } from "./play.ts";

/** A source that shows a row twice, or again on a later page, is delivered and charged once. */

/** Areas whose rows are places on a page of results, or rows of a report at a price each. */
const byPlace = new Set(["seo", "geo", "maps", "local", "news", "hotels"]);

/** Lists whose rows have no identity, or in which the same thing may stand twice. */
const mayRepeat = new Set([
  "cnblog.hot_search",
  "cnvideo.hot_search",
  "code.contributors",
  "encyclopedia.on_this_day",
  "finance.concepts.companies",
  "forum.communities.rules",
  "forum.users.trophies",
  "government.bills.actions",
  "government.bills.summaries",
  "nature.species.common_names",
  "open_social.trends.links",
  "open_social.trends.topics",
  "papers.authors.works",
  "papers.journals.search",
  "papers.works.references",
  "photosite.users.former_usernames",
  "videosite.playlists.videos",
]);

const lists = mapped.filter(
  (op) => op.records.kind === "list" && !byPlace.has(op.area) && !mayRepeat.has(op.id),
);

/** A value in which each entry of a list stands twice. */
function doubled(value: unknown): unknown {
  const inner = opened(value);
  if (inner !== value) return JSON.stringify(doubled(inner));
  if (Array.isArray(value)) return value.map(doubled).flatMap((entry) => [entry, entry]);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, doubled(one)]));
}

test.each(lists)("$id: a row that its source shows twice is sold once", async (op) => {
  const exchanges: Exchange[] = [];
  const input = exampleOf(op);
  const startedAt = Date.now();
  await play(op, input, { outbound: capturing(exchanges), startedAt });
  const twice = exchanges.map((kept) => ({
    ...kept,
    reply: { ...kept.reply, body: doubled(kept.reply.body) },
  }));
  const played = await play(op, input, { outbound: replaying(twice), startedAt });
  expect(played.faults).toEqual([]);
  if (!played.ok) return;
  const ids = rowsOf(op, played.data).map(identityOf);
  expect(ids).toEqual([...new Set(ids)]);
});
