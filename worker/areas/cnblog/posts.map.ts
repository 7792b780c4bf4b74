import type {
  CnblogHotSearch,
  CnblogPost,
  CnblogRepost,
} from "../../../contract/areas/cnblog/records.ts";
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
  number,
  object,
  text,
} from "#wire";
import { chineseCount } from "../../mapping/chinese-count.map.ts";
import { author, pictureUrl, uidOf } from "./people.map.ts";
import { timeOf } from "./time.map.ts";
import { plain } from "../../mapping/markup.map.ts";

/** A post of either style, with the reposted post. `now` in milliseconds, for relative times. */
export function post(row: Wire, now: number): CnblogPost {
  const passedOn = object(row.retweeted_status);
  const isPinned = integer(row.isTop) === 1 || text(at(row.title, "text"))?.includes("置顶");
  return defined({
    ...single(row, now),
    is_pinned: isPinned === true ? true : undefined,
    repost: passedOn && isShown(passedOn) ? single(passedOn, now) : undefined,
  });
}

/**
 * The post in an entry of a user's list, when it is by `uid` and not promoted, merely liked, or deleted.
 * The mobile style wraps posts in cards among cards of other kinds.
 */
export function postOf(row: Wire, uid: string, now: number): CnblogPost | undefined {
  const isCard = row.card_type !== undefined || row.mblog !== undefined;
  if (isCard && integer(row.card_type) !== 9) return undefined;
  const item = isCard ? need(object(row.mblog), "cards[].mblog") : row;
  const writer = object(item.user);
  const isForeign = writer !== undefined && uidOf(writer) !== uid;
  const isLiked = text(at(item.title, "text"))?.includes("赞过") === true;
  // `ad_state` alone marks a post that its author promoted elsewhere.
  const isPromoted = object(item.promotion) !== undefined;
  return isForeign || isLiked || isPromoted || isGone(item) ? undefined : post(item, now);
}

/** True for a deleted post, of which a null for its user and a text that says so are left. */
export function isGone(row: Wire): boolean {
  return row.user === null || (object(row.user) === undefined && integer(row.deleted) === 1);
}

/** A deleted or hidden post keeps an object without a user. */
function isShown(row: Wire): boolean {
  return object(row.user) !== undefined && integer(row.deleted) !== 1 && postId(row) !== undefined;
}

function postId(row: Wire): string | undefined {
  return text(row.idstr) ?? id(row.mid) ?? id(row.id);
}

function single(row: Wire, now: number): CnblogRepost {
  const number = need(postId(row), "idstr");
  const shortId = text(row.mblogid) ?? text(row.bid);
  const writer = author(row.user);
  const whole = longText(row.longText);
  const written = whole ?? shortText(row);
  const isLong = boolean(row.isLongText);
  return defined({
    id: number,
    short_id: shortId,
    url: writer && `https://weibo.com/${writer.id}/${shortId ?? number}`,
    text: written,
    is_truncated: isLong === true && whole !== undefined ? false : isLong,
    create_time: timeOf(row.created_at, now),
    source: text(plain(text(row.source) ?? "")),
    region: text(text(row.region_name)?.replace(/^发布于\s*/, "")),
    like_count: chineseCount(row.attitudes_count),
    comment_count: chineseCount(row.comments_count),
    share_count: chineseCount(row.reposts_count),
    author: writer,
    images: images(row),
    video: video(row.page_info),
    link: link(row.page_info),
    topics: topics(row.topic_struct, written),
    is_edited: boolean(at(row.edit_config, "edited")),
  });
}

function longText(value: unknown): string | undefined {
  const raw = text(at(value, "longTextContent"));
  if (raw !== undefined) return trimmed(raw);
  const marked = text(at(value, "content"));
  return marked && text(plain(marked));
}

function shortText(row: Wire): string | undefined {
  const raw = text(row.text_raw);
  if (raw !== undefined) return trimmed(raw);
  // A cut text ends with a link to the whole one.
  const marked = text(row.text)?.replace(/<a\b[^<>]*>全文<\/a>\s*$/, "");
  return marked && text(plain(marked));
}

/** Removes the zero-width characters at the end of posts. */
function trimmed(raw: string): string | undefined {
  let end = raw.length;
  while (end > 0 && /[\u200b\s]/.test(raw.charAt(end - 1))) end -= 1;
  return text(raw.slice(0, end).trimStart());
}

/** `pic_infos` by the order of `pic_ids`, or `pics` as a list or as an object keyed by index. */
function images(row: Wire): string[] | undefined {
  const infos = object(row.pic_infos);
  const found = infos
    ? each(row.pic_ids, (name) => pictureUrl(at(infos, text(name) ?? "")))
    : each(array(row.pics) ?? Object.values(object(row.pics) ?? {}), pictureUrl);
  return found.length > 0 ? found : undefined;
}

/** The kind is a word in `type`, or in `object_type` where `type` is a number. */
function kindOf(info: unknown): string | undefined {
  const type = text(at(info, "type"));
  return type !== undefined && !/^\d+$/.test(type) ? type : text(at(info, "object_type"));
}

function video(info: unknown): CnblogPost["video"] {
  if (kindOf(info) !== "video") return undefined;
  const media = at(info, "media_info");
  const duration = number(at(media, "duration"));
  return defined({
    url:
      text(at(media, "mp4_720p_mp4")) ??
      text(at(info, "urls", "mp4_720p_mp4")) ??
      text(at(media, "stream_url_hd")) ??
      text(at(media, "stream_url")) ??
      text(at(info, "urls", "mp4_hd_mp4")) ??
      text(at(info, "urls", "mp4_ld_mp4")),
    cover_image_url: text(at(info, "page_pic", "url")) ?? text(at(info, "page_pic")),
    duration: duration === undefined ? undefined : count(Math.round(duration)),
  });
}

const linked = new Set(["webpage", "article", "search_topic"]);

function link(info: unknown): CnblogPost["link"] {
  const url = text(at(info, "page_url"));
  if (url === undefined || !linked.has(kindOf(info) ?? "")) return undefined;
  return defined({ title: text(at(info, "page_title")), url });
}

function topics(struct: unknown, written: string | undefined): string[] | undefined {
  const titles = each(struct, (topic) => text(at(topic, "topic_title")));
  const found =
    titles.length > 0
      ? titles
      : [...(written ?? "").matchAll(/#([^#\s][^#\n]{0,60})#/g)].map((match) => match[1] as string);
  return found.length > 0 ? [...new Set(found)] : undefined;
}

/** The hot search without adverts; an entry without a rank gets its position. */
export function hotSearch(row: Wire, position: number): CnblogHotSearch | undefined {
  if (boolean(row.is_ad) === true) return undefined;
  const behind = count(row.rank);
  const rank = count(row.realpos) ?? (behind === undefined ? position : behind + 1);
  return searched(row, rank, false);
}

/** A headline pinned by the platform. */
export function headline(value: unknown): CnblogHotSearch | undefined {
  const row = object(value);
  return row && wordOf(row) !== undefined ? searched(row, 0, true) : undefined;
}

function wordOf(row: Wire): string | undefined {
  return text(row.word) ?? text(row.name);
}

function searched(row: Wire, rank: number, isPinned: boolean): CnblogHotSearch {
  const word = need(wordOf(row), "word");
  const scheme = text(row.word_scheme) ?? (word.startsWith("#") ? word : `#${word}#`);
  return defined({
    rank,
    keyword: word,
    title: text(row.note),
    heat_score: count(row.num),
    // A pinned headline has no label name.
    label: text(row.label_name) ?? text(row.icon_desc),
    is_pinned: isPinned,
    url: `https://s.weibo.com/weibo?q=${encodeURIComponent(scheme.toWellFormed())}`,
  });
}
