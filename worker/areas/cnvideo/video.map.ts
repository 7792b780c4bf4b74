import type {
  CnvideoAuthor,
  CnvideoUserVideo,
  CnvideoVideo,
  CnvideoVideoHit,
} from "../../../contract/areas/cnvideo/records.ts";
import {
  type Wire,
  array,
  at,
  boolean,
  count,
  defined,
  each,
  id,
  integer,
  need,
  object,
  text,
} from "#wire";
import { chineseCount } from "../../mapping/chinese-count.map.ts";
import { plain } from "../../mapping/markup.map.ts";

const mostTags = 100;

/** A video in the form of the platform's video page. */
export function video(row: Wire): CnvideoVideo {
  const bvid = need(text(row.bvid), "bvid");
  const stat = object(row.stat);
  const [width, height] = dimensions(row.dimension);
  return defined({
    ...basics(bvid, row),
    description: described(row.desc),
    duration: count(row.duration),
    create_time: count(row.pubdate),
    view_count: chineseCount(stat?.view),
    danmaku_count: count(stat?.danmaku),
    comment_count: count(stat?.reply),
    like_count: count(stat?.like),
    favorite_count: count(stat?.favorite),
    coin_count: count(stat?.coin),
    share_count: count(stat?.share),
    category: text(row.tname),
    author: author(row.owner),
    parts: array(row.pages) && each(row.pages, part),
    width,
    height,
    is_original: original(row.copyright),
  });
}

/** A search result; entries of another kind and adverts are left out. */
export function searched(row: Wire): CnvideoVideoHit | undefined {
  if (row.type !== undefined && row.type !== "video") return undefined;
  const title = text(row.title);
  const tags = text(row.tag)
    ?.split(",", mostTags)
    .map((tag) => tag.trim())
    .filter(Boolean);
  return defined({
    ...basics(need(text(row.bvid), "bvid"), row),
    // The matched words are marked up.
    title: title && text(plain(title)),
    description: described(row.description),
    duration: clock(row.duration),
    create_time: count(row.pubdate),
    view_count: chineseCount(row.play),
    danmaku_count: count(row.danmaku) ?? count(row.video_review),
    comment_count: count(row.review),
    like_count: count(row.like),
    favorite_count: count(row.favorites),
    category: text(row.typename),
    tags,
    author: author({ mid: row.mid, name: row.author, face: row.upic }),
  });
}

/** An entry of a user's videos. */
export function listedVideo(row: Wire): CnvideoUserVideo {
  return defined({
    ...basics(need(text(row.bvid), "bvid"), row),
    description: described(row.description),
    duration: clock(row.length),
    create_time: count(row.created),
    view_count: chineseCount(row.play),
    danmaku_count: count(row.video_review),
    comment_count: count(row.comment),
    author: author({ mid: row.mid, name: row.author }),
    is_original: original(row.copyright),
  });
}

function basics(bvid: string, row: Wire) {
  return {
    id: bvid,
    aid: id(row.aid),
    title: text(row.title),
    url: videoUrl(bvid),
    cover_image_url: address(row.pic),
  };
}

export function videoUrl(bvid: string): string {
  return `https://www.bilibili.com/video/${bvid}`;
}

/** "-" stands for no description. */
export function described(value: unknown): string | undefined {
  return value === "-" ? undefined : text(value);
}

/** An address that may begin with "//". */
export function address(value: unknown): string | undefined {
  const given = text(value);
  return given?.startsWith("//") ? `https:${given}` : given;
}

/** Seconds of "minutes:seconds", with any number of minutes, or "hours:minutes:seconds". */
export function clock(value: unknown): number | undefined {
  if (typeof value !== "string") return count(value);
  if (!/^\d{1,6}(:\d{1,2}){1,2}$/.test(value)) return count(value);
  return value.split(":").reduce((seconds, part) => seconds * 60 + Number(part), 0);
}

export function author(value: unknown): CnvideoAuthor | undefined {
  const mid = id(at(value, "mid"));
  // 0 stands where a season or a deleted account has none.
  if (mid === undefined || mid === "0") return undefined;
  return defined({
    id: mid,
    display_name: text(at(value, "name")),
    avatar_url: address(at(value, "face")),
  });
}

function part(value: unknown) {
  const cid = id(at(value, "cid"));
  if (cid === undefined) return undefined;
  const page = count(at(value, "page"));
  return defined({
    cid,
    title: text(at(value, "part")),
    duration: count(at(value, "duration")),
    page: page === 0 ? undefined : page,
  });
}

function dimensions(value: unknown): [number | undefined, number | undefined] {
  const width = count(at(value, "width"));
  const height = count(at(value, "height"));
  return boolean(at(value, "rotate")) === true ? [height, width] : [width, height];
}

function original(copyright: unknown): boolean | undefined {
  const kind = integer(copyright);
  return kind === 1 ? true : kind === 2 ? false : undefined;
}
