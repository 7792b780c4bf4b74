import type { cnvideo } from "../../../contract/areas/cnvideo/index.ts";
import type { Call, Connector } from "../../connector.ts";
import { type Page, listedById, whole } from "../../mapping/list.ts";
import { get, unwrap } from "../../upstreams/tikhub/client.ts";
import { type Wire, array, at, boolean, id, integer, need, object, rows, text } from "#wire";
import { platformReply } from "./reply.ts";
import { listedVideo, searched, video } from "./video.map.ts";
import { dynamic, hotSearch, relationStat } from "./dynamics.map.ts";

const web = "/api/v1/bilibili/web";
const orders = {
  relevance: "totalrank",
  views: "click",
  newest: "pubdate",
  danmaku: "dm",
  favorites: "stow",
};
const durations = { any: 0, short: 1, medium: 2, long: 3, extra_long: 4 };
/** The upstream's own page of a search. */
const searchPage = 42;

export default {
  "cnvideo.dynamics.get": async (input, call) => {
    const newest = await read(call, "fetch_dynamic_detail_v2", { dynamic_id: input.id }, "dynamic");
    const item =
      dynamicIn(newest) ??
      dynamicIn(await read(call, "fetch_dynamic_detail", { dynamic_id: input.id }, "dynamic"));
    return { data: dynamic(need(item, "data.item.modules")) };
  },
  "cnvideo.hot_search": async (input, call) => {
    const body = await read(call, "fetch_hot_search", { limit: input.limit });
    const beside = unwrap(body, "trending", "list");
    const list = array(at(beside?.trending, "list")) ?? array(beside?.list);
    // A dropped row does not change the ranks of the others.
    const ranked = list?.map((entry, index) => ({ entry, rank: index + 1 }));
    const entries = rows(ranked, "data.trending.list", ({ entry, rank }) =>
      hotSearch(need(object(entry), "data.trending.list[]"), rank as number),
    );
    return whole(call, entries.slice(0, input.limit));
  },
  "cnvideo.search": (input, call) =>
    listedById(call, input, async (position) => {
      const page = integer(position) ?? 1;
      const body = await read(call, "fetch_general_search", {
        keyword: input.q,
        order: orders[input.sort],
        page,
        page_size: searchPage,
        duration: durations[input.duration],
        pubtime_begin_s: 0,
        pubtime_end_s: 0,
      });
      const beside = unwrap(body, "result", "numPages");
      // Without hits the list is missing or null.
      const list = beside?.result ?? (integer(beside?.numResults) === 0 ? [] : undefined);
      const pages = integer(beside?.numPages);
      // Without a flag the list continues as long as its pages have rows.
      const hasEntries = (array(list)?.length ?? 0) > 0;
      const isMore = pages === undefined ? hasEntries : page < pages;
      return {
        rows: rows(list, "data.result", searched),
        next: isMore ? page + 1 : null,
        advances: pages !== undefined && hasEntries,
      };
    }),
  "cnvideo.users.dynamic": (input, call) =>
    listedById(call, input, async (position) => {
      const offset = text(position) ?? "";
      const body = await read(call, "fetch_user_dynamic", { uid: input.uid, offset }, "user");
      const beside = unwrap(body, "items");
      const more = boolean(beside?.has_more);
      const items = beside?.items === null ? [] : beside?.items;
      return {
        rows: rows(items, "data.items", dynamic),
        next: more === false ? null : id(beside?.offset),
        more: array(items)?.length === 0 ? undefined : more,
      };
    }),
  "cnvideo.users.relation_stat": async (input, call) => {
    const body = await read(call, "fetch_user_relation_stat", { uid: input.uid }, "user");
    return { data: relationStat(need(unwrap(body, "mid"), "data.mid")) };
  },
  "cnvideo.users.videos": (input, call) =>
    listedById(call, input, async (position) => {
      const pn = integer(position) ?? 1;
      const query = { uid: input.uid, pn, order: orders[input.sort] };
      const body = await read(call, "fetch_user_post_videos", query, "user");
      return videoPage(unwrap(body, "list"), pn);
    }),
  "cnvideo.videos.get": async (input, call) => {
    const body = await read(call, "fetch_one_video", { bv_id: input.bv_id }, "video");
    return { data: video(need(unwrap(body, "bvid"), "data.bvid")) };
  },
} satisfies Connector<typeof cnvideo>;

async function read(
  call: Call,
  name: string,
  query: Record<string, string | number>,
  thing?: string,
): Promise<unknown> {
  return platformReply(await get(call, `${web}/${name}`, query), thing);
}

/** The dynamic of a reply: its `item`, or the reply itself. */
function dynamicIn(body: unknown): Wire | undefined {
  const beside = unwrap(body, "item", "modules");
  const item = object(beside?.item) ?? beside;
  return object(item?.modules) ? item : undefined;
}

function videoPage(beside: Wire | undefined, pn: number): Page<ReturnType<typeof listedVideo>> {
  const list = at(beside?.list, "vlist");
  const length = array(list)?.length ?? 0;
  const size = integer(at(beside?.page, "ps")) ?? length;
  const total = integer(at(beside?.page, "count"));
  const isMore = total === undefined ? length > 0 : pn * size < total;
  return {
    rows: rows(list === null ? [] : list, "data.list.vlist", listedVideo),
    next: isMore ? pn + 1 : null,
  };
}
