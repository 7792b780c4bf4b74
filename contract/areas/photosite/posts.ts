import * as z from "zod";
import { perPage } from "../../fields.ts";
import { operation } from "../../operation.ts";
import { commentId, paging, shortcode } from "./fields.ts";
import {
  photositeComment,
  photositeDownload,
  photositePost,
  photositeReply,
  photositeUser,
} from "./records.ts";

export const postOperations = [
  operation({
    id: "photosite.posts.get",
    method: "GET",
    path: "/photosite/posts/{shortcode}",
    summary: "One post",
    input: z.strictObject({ shortcode }),
    data: photositePost,
    records: { kind: "one" },
    example: { shortcode: "CAnqPB-Jzcj" },
  }),
  operation({
    id: "photosite.posts.comments",
    method: "GET",
    path: "/photosite/posts/{shortcode}/comments",
    summary: "Comments on a post",
    input: z.strictObject({
      shortcode,
      sort: z.enum(["popular", "newest"]).default("popular"),
      ...paging,
    }),
    data: z.array(photositeComment),
    paginated: true,
    records: perPage,
    example: { shortcode: "CAnqPB-Jzcj", limit: 5 },
  }),
  operation({
    id: "photosite.comments.replies",
    method: "GET",
    path: "/photosite/posts/{shortcode}/comments/{commentId}/replies",
    summary: "Replies to a comment",
    input: z.strictObject({ shortcode, commentId, ...paging }),
    data: z.array(photositeReply),
    paginated: true,
    records: perPage,
    example: { shortcode: "CAnqPB-Jzcj", commentId: "17900000000000001", limit: 5 },
  }),
  operation({
    id: "photosite.posts.download",
    method: "GET",
    path: "/photosite/posts/{shortcode}/download",
    summary: "Links to the files of a post",
    description: "Links only, no bytes; they expire within hours.",
    input: z.strictObject({ shortcode }),
    data: photositeDownload,
    records: { kind: "one" },
    example: { shortcode: "CAnqPB-Jzcj" },
  }),
  operation({
    id: "photosite.posts.likes",
    method: "GET",
    path: "/photosite/posts/{shortcode}/likes",
    summary: "Users who liked a post",
    input: z.strictObject({ shortcode, ...paging }),
    data: z.array(photositeUser),
    paginated: true,
    records: perPage,
    example: { shortcode: "CAnqPB-Jzcj", limit: 5 },
  }),
  operation({
    id: "photosite.reels.recommended",
    method: "GET",
    path: "/photosite/reels/recommended",
    summary: "Reels that the platform recommends",
    input: z.strictObject({ ...paging }),
    data: z.array(photositePost),
    paginated: true,
    records: perPage,
    example: { limit: 5 },
  }),
] as const;
