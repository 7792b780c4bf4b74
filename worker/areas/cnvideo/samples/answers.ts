import type { Sample, SampleRequest } from "../../../sandbox/sample.ts";
import { advert, course, detail, dynamic, hit, hotWord, spaceVideo } from "./records.ts";
import { slice, vary } from "../../../sandbox/vary.ts";
import { wrapped } from "../../../sandbox/tikhub-wrapped.ts";

const web = "/api/v1/bilibili/web";
/** Entries of a sample list; a second page needs more than the largest `limit`. */
const entries = { default: 34, long: 120 };
const pageSize = 20;

const ask = (request: SampleRequest, name: string) => String(request.query?.[name] ?? "");
const totalOf = (request: SampleRequest) =>
  request.empty ? 0 : request.secondPage ? entries.long : entries.default;

/** The platform's own wrapper inside TikHub's. */
function replied(request: SampleRequest, data: unknown): unknown {
  return wrapped(request.path, { code: 0, message: "OK", ttl: 1, data });
}

/** Kinds of a single dynamic, by the first digit of its number. */
const kinds: Readonly<Record<string, string>> = {
  1: "forward of draw and av",
  2: "article and live",
  3: "forward of article and live",
  4: "opus",
};

const single: Sample = (request) => {
  const id = ask(request, "dynamic_id");
  const kind = kinds[id.slice(0, 1)] ?? "draw and av";
  return replied(request, {
    item: request.empty ? null : dynamic(`dynamic ${id}`, 0, { id, kind, topic: true }),
  });
};

export const cnvideo: Record<string, Sample> = {
  [`GET ${web}/fetch_dynamic_detail_v2`]: single,
  [`GET ${web}/fetch_dynamic_detail`]: single,
  [`GET ${web}/fetch_hot_search`]: (request) =>
    replied(request, {
      trending: {
        title: "bilibili",
        list: slice(
          { total: request.empty ? 0 : 50, offset: 0, count: Number(ask(request, "limit")) },
          hotWord,
        ),
      },
    }),
  [`GET ${web}/fetch_general_search`]: (request) => {
    const total = totalOf(request);
    const page = Number(ask(request, "page"));
    const offset = (page - 1) * pageSize;
    const seed = `${ask(request, "keyword")} ${ask(request, "order")} ${ask(request, "duration")}`;
    const result = slice({ total, offset, count: pageSize }, (index) =>
      index % 15 === 9
        ? advert(index)
        : index % 15 === 13
          ? course(seed, index)
          : hit(ask(request, "keyword"), seed, index),
    );
    return replied(request, {
      seid: "1000000000000000001",
      page,
      pagesize: pageSize,
      numResults: total,
      numPages: Math.ceil(total / pageSize),
      result,
    });
  },
  [`GET ${web}/fetch_user_dynamic`]: (request) => {
    const total = totalOf(request);
    const uid = ask(request, "uid");
    const offset = Number(ask(request, "offset").slice(-5));
    const items = slice({ total, offset, count: pageSize }, (index) =>
      dynamic(`user ${uid}`, index, { uid, topic: index % 4 === 0, pinned: index === 0 }),
    );
    const end = offset + items.length;
    return replied(request, {
      has_more: end < total,
      items,
      offset: end < total ? String(900_000_000_000_000_000n + BigInt(end)) : "",
      update_baseline: "",
    });
  },
  [`GET ${web}/fetch_user_relation_stat`]: (request) => {
    const v = vary("cnvideo", "stat", ask(request, "uid"));
    return replied(request, {
      mid: Number(ask(request, "uid")),
      following: v.int("following", 0, 900),
      whisper: 0,
      black: 0,
      follower: v.int("follower", 0, 900_000),
    });
  },
  [`GET ${web}/fetch_user_post_videos`]: (request) => {
    const total = totalOf(request);
    const uid = ask(request, "uid");
    const pn = Number(ask(request, "pn"));
    const vlist = slice({ total, offset: (pn - 1) * pageSize, count: pageSize }, (index) =>
      spaceVideo(uid, ask(request, "order"), index),
    );
    return replied(request, {
      list: { tlist: {}, vlist },
      page: { pn, ps: pageSize, count: total },
    });
  },
  [`GET ${web}/fetch_one_video`]: (request) =>
    replied(request, request.empty ? null : detail(ask(request, "bv_id"))),
};
