import type { shortclip } from "../../contract/areas/shortclip.ts";
import type { Connector } from "../connector.ts";
import { type Page, collect } from "../list.ts";
import { tikhub, unwrap } from "../upstreams/tikhub.ts";
import { type Wire, array, at, boolean, integer, need, object, rows } from "../wire.ts";
import { isAdvert, video } from "./shortclip.map.ts";

const app = "/api/v1/tiktok/app/v3";

export default {
  "shortclip.search": async (input, call) => {
    const found = await collect(call, {
      limit: input.limit,
      async fetch(position) {
        const offset = integer(position) ?? 0;
        const reply = await call.send(tikhub, {
          method: "GET",
          path: `${app}/fetch_video_search_result`,
          query: {
            keyword: input.q,
            offset,
            count: 20,
            sort_type: 0,
            publish_time: 0,
            region: "US",
          },
        });
        return searchPage(reply.body, offset);
      },
      key: (row) => row.id,
    });
    return { data: found.rows, pagination: found.pagination, truncated: found.truncated };
  },
} satisfies Connector<typeof shortclip>;

const listKeys = ["search_item_list", "aweme_list"];

/** Search replies come as `search_item_list`, `aweme_list` or a mixed `data` list. */
function searchPage(body: unknown, offset: number): Page<NonNullable<ReturnType<typeof video>>> {
  const inner = unwrap(body, ...listKeys) ?? unwrap(body, "has_more");
  const list = inner?.search_item_list ?? inner?.aweme_list ?? inner?.data;
  const videos = rows(
    need(list === null ? [] : array(list), "data.search_item_list"),
    "data.search_item_list",
    (row) => {
      const item = videoOf(row);
      return item && !isAdvert(item) ? video(item) : undefined;
    },
  );
  const next = integer(inner?.cursor);
  const more = boolean(inner?.has_more) === true;
  return { rows: videos, next: more && next !== undefined && next > offset ? next : undefined };
}

/** Entries of kind 4 hold users, others a video in one of two places or are the video itself. */
function videoOf(row: Wire): Wire | undefined {
  return (
    object(row.aweme_info) ??
    object(row.item) ??
    (row.aweme_id === undefined && at(row, "video") === undefined ? undefined : row)
  );
}
