import * as z from "zod";
import { id, page, perPage, text } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import {
  cnvideoDynamic,
  cnvideoHotSearch,
  cnvideoRelationStat,
  cnvideoUserVideo,
  cnvideoVideo,
  cnvideoVideoHit,
} from "./records.ts";

const uid = id(/^[1-9][0-9]{0,19}$/, "User", "a number of 1 to 20 digits");
const paging = page({ most: 50, default: 20 });

export const cnvideo = area({
  name: "cnvideo",
  summary: "CN video platform: videos, users, dynamics and hot search",
  pool: "social",
  operations: [
    operation({
      id: "cnvideo.dynamics.get",
      method: "GET",
      path: "/cnvideo/dynamics/{id}",
      summary: "One dynamic: a user's post of any kind",
      input: z.strictObject({ id: id(/^[0-9]{5,20}$/, "Dynamic", "a number of 5 to 20 digits") }),
      data: cnvideoDynamic,
      records: { kind: "one" },
      example: { id: "900000000000000123" },
    }),
    operation({
      id: "cnvideo.hot_search",
      method: "GET",
      path: "/cnvideo/hot-search",
      summary: "The most frequent searches now",
      input: z.strictObject({
        limit: z.int().min(1).max(50).default(20).describe("Most entries to return"),
      }),
      data: z.array(cnvideoHotSearch),
      records: perPage,
      example: { limit: 10 },
    }),
    operation({
      id: "cnvideo.search",
      method: "GET",
      path: "/cnvideo/search",
      summary: "Videos for a keyword",
      description: "The platform goes no further than 1,000 results.",
      input: z.strictObject({
        q: text(1, 500, "Keyword"),
        sort: z.enum(["relevance", "views", "newest", "danmaku", "favorites"]).default("relevance"),
        duration: z
          .enum(["any", "short", "medium", "long", "extra_long"])
          .default("any")
          .describe("short: below 10 minutes, medium: to 30, long: to 60, extra_long: more"),
        ...paging,
      }),
      data: z.array(cnvideoVideoHit),
      paginated: true,
      records: perPage,
      example: { q: "street food", limit: 5 },
    }),
    operation({
      id: "cnvideo.users.dynamic",
      method: "GET",
      path: "/cnvideo/users/{uid}/dynamic",
      summary: "Dynamics of a user, a pinned one first",
      input: z.strictObject({ uid, ...paging }),
      data: z.array(cnvideoDynamic),
      paginated: true,
      records: perPage,
      example: { uid: "200000123", limit: 8 },
    }),
    operation({
      id: "cnvideo.users.relation_stat",
      method: "GET",
      path: "/cnvideo/users/{uid}/relation-stat",
      summary: "How many follow a user and are followed",
      input: z.strictObject({ uid }),
      data: cnvideoRelationStat,
      records: { kind: "one" },
      example: { uid: "200000123" },
    }),
    operation({
      id: "cnvideo.users.videos",
      method: "GET",
      path: "/cnvideo/users/{uid}/videos",
      summary: "Videos of a user",
      input: z.strictObject({
        uid,
        sort: z.enum(["newest", "views", "favorites"]).default("newest"),
        ...paging,
      }),
      data: z.array(cnvideoUserVideo),
      paginated: true,
      records: perPage,
      example: { uid: "200000123", limit: 5 },
    }),
    operation({
      id: "cnvideo.videos.get",
      method: "GET",
      path: "/cnvideo/videos/{bv_id}",
      summary: "One video",
      input: z.strictObject({
        bv_id: id(
          /^BV1[1-9A-HJ-NP-Za-km-z]{9}$/,
          "Video",
          "`BV1` and 9 letters and digits, whose case counts",
        ),
      }),
      data: cnvideoVideo,
      records: { kind: "one" },
      example: { bv_id: "BV1Sampmp123" },
    }),
  ],
});
