import * as z from "zod";
import { perPage } from "../../fields.ts";
import { link } from "../../link.ts";
import { operation } from "../../operation.ts";
import { keyword, mediaId, paging, shortcode, userId, username, whole } from "./fields.ts";
import {
  photositeHashtag,
  photositeLocation,
  photositeMediaId,
  photositeSearchHit,
  photositeShortcode,
  photositeUser,
  photositeUserId,
} from "./records.ts";

const postLink = link(
  ["instagram.com", "instagr.am"],
  "Address of a post or reel, or a share link",
);

export const searchOperations = [
  operation({
    id: "photosite.resolve.media_id",
    method: "GET",
    path: "/photosite/resolve/media-id",
    summary: "Number of a post from its shortcode",
    description:
      "Computed; the codes of private accounts are longer, and their first 11 characters count.",
    input: z.strictObject({ shortcode }),
    data: photositeMediaId,
    records: { kind: "one" },
    example: { shortcode: "CAnqPB-Jzcj" },
  }),
  operation({
    id: "photosite.resolve.shortcode",
    method: "GET",
    path: "/photosite/resolve/shortcode",
    summary: "Shortcode of a post from its address",
    description:
      "Addresses of posts and reels are read without asking anyone; share links are looked up.",
    input: z.strictObject({ url: postLink }),
    data: photositeShortcode,
    records: { kind: "one" },
    example: { url: "https://www.instagram.com/p/CAnqPB-Jzcj/" },
  }),
  operation({
    id: "photosite.resolve.shortcode_from_media",
    method: "GET",
    path: "/photosite/resolve/shortcode-from-media",
    summary: "Shortcode of a post from its number",
    input: z.strictObject({ media_id: mediaId }),
    data: photositeMediaId,
    records: { kind: "one" },
    example: { media_id: "2317006284167526179" },
  }),
  operation({
    id: "photosite.resolve.user_id",
    method: "GET",
    path: "/photosite/resolve/user-id",
    summary: "Number of a user from the handle",
    input: z.strictObject({ username }),
    data: photositeUserId,
    records: { kind: "one" },
    example: { username: "sample.maker" },
  }),
  operation({
    id: "photosite.resolve.username",
    method: "GET",
    path: "/photosite/resolve/username",
    summary: "Handle of a user from the number",
    input: z.strictObject({ user_id: userId }),
    data: photositeUserId,
    records: { kind: "one" },
    example: { user_id: "58208242181" },
  }),
  operation({
    id: "photosite.search",
    method: "GET",
    path: "/photosite/search",
    summary: "Users, hashtags, places, posts and reels for a keyword",
    description: "Hashtags are found with a leading `#`.",
    input: z.strictObject({ q: keyword, ...paging }),
    data: z.array(photositeSearchHit),
    paginated: true,
    records: perPage,
    example: { q: "sunrise", limit: 5 },
  }),
  operation({
    id: "photosite.search.hashtags",
    method: "GET",
    path: "/photosite/search/hashtags",
    summary: "Hashtags for a keyword",
    input: z.strictObject({ q: keyword }),
    data: z.array(photositeHashtag),
    records: whole,
    example: { q: "sunrise" },
  }),
  operation({
    id: "photosite.search.places",
    method: "GET",
    path: "/photosite/search/places",
    summary: "Places for a keyword",
    input: z.strictObject({ q: keyword }),
    data: z.array(photositeLocation),
    records: whole,
    example: { q: "sunrise" },
  }),
  operation({
    id: "photosite.search.users",
    method: "GET",
    path: "/photosite/search/users",
    summary: "Users for a keyword",
    input: z.strictObject({ q: keyword }),
    data: z.array(photositeUser),
    records: whole,
    example: { q: "sunrise" },
  }),
] as const;
