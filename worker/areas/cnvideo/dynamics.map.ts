import type {
  CnvideoDynamic,
  CnvideoHotSearch,
  CnvideoOriginal,
  CnvideoRelationStat,
} from "../../../contract/areas/cnvideo/records.ts";
import {
  type Wire,
  array,
  at,
  count,
  defined,
  each,
  id,
  integer,
  json,
  need,
  object,
  text,
} from "#wire";
import { chineseCount } from "../../mapping/chinese-count.map.ts";
import { address, author, clock, described, videoUrl } from "./video.map.ts";

const tags: Readonly<Record<number, CnvideoHotSearch["tag"]>> = {
  4: "new",
  5: "hot",
  7: "live",
  9: "meme",
  11: "topic",
  12: "exclusive",
};

/** A dynamic, with the forwarded one. */
export function dynamic(row: Wire): CnvideoDynamic {
  const { orig } = row;
  // A forward of something deleted keeps an object without id.
  const original = kindOf(at(orig, "type")) === "none" ? undefined : object(orig);
  const isPinned = text(at(row.modules, "module_tag", "text"))?.includes("置顶") === true;
  return defined({
    ...single(row),
    is_pinned: isPinned ? true : undefined,
    original: original && readable(original),
  });
}

/** A forwarded dynamic that does not fit is left out; the dynamic that forwards it stays. */
function readable(row: Wire): CnvideoOriginal | undefined {
  return id(row.id_str) === undefined ? undefined : single(row);
}

function single(row: Wire): CnvideoOriginal {
  const dynamicId = need(id(row.id_str), "id_str");
  const content = at(row.modules, "module_dynamic");
  const major = at(content, "major");
  const stat = at(row.modules, "module_stat");
  const writer = at(row.modules, "module_author");
  return defined({
    id: dynamicId,
    type: kindOf(row.type),
    text: textOf(content),
    url: `https://t.bilibili.com/${dynamicId}`,
    create_time: count(at(writer, "pub_ts")),
    author: author(writer),
    images: imagesOf(major),
    video: attached(at(major, "archive")),
    article: article(at(major, "article")),
    live: live(at(major, "live_rcmd", "content")),
    like_count: count(at(stat, "like", "count")),
    comment_count: count(at(stat, "comment", "count")),
    share_count: count(at(stat, "forward", "count")),
    topic: text(at(content, "topic", "name")),
  });
}

/** "DYNAMIC_TYPE_DRAW" is draw. */
function kindOf(value: unknown): string | undefined {
  return text(value)
    ?.replace(/^DYNAMIC_TYPE_/, "")
    .toLowerCase();
}

/** The dynamic's own text, else that of a picture post, else the title of the shown item. */
function textOf(content: unknown): string | undefined {
  const major = at(content, "major");
  const opus = [at(major, "opus", "title"), at(major, "opus", "summary", "text")]
    .map(text)
    .filter((line) => line !== undefined);
  return (
    text(at(content, "desc", "text")) ??
    text(opus.join("\n")) ??
    text(at(major, "archive", "title")) ??
    text(at(major, "article", "title"))
  );
}

/** Pictures from `draw` or from `opus`, which hold the same ones. */
function imagesOf(major: unknown): string[] | undefined {
  const draw = array(at(major, "draw", "items"));
  if (draw) return some(each(draw, (item) => address(at(item, "src"))));
  const pictures = at(major, "opus", "pics");
  return some(each(pictures, (picture) => address(at(picture, "url"))));
}

function some<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}

function attached(value: unknown): CnvideoOriginal["video"] {
  const bvid = text(at(value, "bvid"));
  if (bvid === undefined) return undefined;
  return defined({
    id: bvid,
    aid: id(at(value, "aid")),
    title: text(at(value, "title")),
    description: described(at(value, "desc")),
    url: videoUrl(bvid),
    cover_image_url: address(at(value, "cover")),
    duration: clock(at(value, "duration_text")),
    view_count: chineseCount(at(value, "stat", "play")),
    danmaku_count: chineseCount(at(value, "stat", "danmaku")),
  });
}

function article(value: unknown): CnvideoOriginal["article"] {
  const articleId = id(at(value, "id"));
  if (articleId === undefined) return undefined;
  return defined({
    id: articleId,
    title: text(at(value, "title")),
    url: `https://www.bilibili.com/read/cv${articleId}`,
  });
}

/** The room of a live dynamic is JSON inside a text. */
function live(content: unknown): CnvideoOriginal["live"] {
  const info = at(json(content), "live_play_info");
  const roomId = id(at(info, "room_id"));
  if (roomId === undefined) return undefined;
  return defined({
    room_id: roomId,
    title: text(at(info, "title")),
    cover_image_url: address(at(info, "cover")),
    url: `https://live.bilibili.com/${roomId}`,
  });
}

export function relationStat(row: Wire): CnvideoRelationStat {
  return defined({
    uid: need(id(row.mid), "mid"),
    following_count: count(row.following),
    follower_count: count(row.follower),
  });
}

/** An entry of the hot search; without a rank it gets its position in the list. */
export function hotSearch(row: Wire, position: number): CnvideoHotSearch {
  const keyword = need(text(row.keyword), "keyword");
  const rank = count(row.pos) ?? position;
  return defined({
    rank: rank > 0 ? rank : position,
    keyword,
    title: text(row.show_name),
    icon_url: address(row.icon),
    heat_score: count(row.heat_score),
    tag: tags[integer(row.word_type) ?? 0],
    url: `https://search.bilibili.com/all?keyword=${encodeURIComponent(keyword.toWellFormed())}`,
  });
}
