import type {
  ProfessionalNetworkAuthor,
  ProfessionalNetworkComment,
  ProfessionalNetworkJob,
  ProfessionalNetworkPost,
  ProfessionalNetworkRepostedPost,
} from "../../../contract/areas/professional-network/records.ts";
import { type Wire, at, boolean, defined, each, id, need, object, text } from "#wire";
import {
  companyReference,
  figure,
  first,
  numberOf,
  pageName,
  picture,
  slugOf,
  timeOf,
} from "./value.map.ts";

/** Keys that identify a post in a reply. */
export const postKeys = ["id", "post_id", "urn", "activity_urn"];

export function post(row: Wire): ProfessionalNetworkPost {
  const passedOn = [row.reposted_post, row.original_post, row.reshared_post]
    .map(object)
    .find(Boolean);
  const isKnown = passedOn !== undefined && first(passedOn, postKeys, numberOf) !== undefined;
  return defined({ ...single(row), reposted_post: isKnown ? single(passedOn) : undefined });
}

/** A row of the list of `owner`: neither promoted nor shown for another's reaction to it. */
export function postBy(row: Wire, owner: string): ProfessionalNetworkPost | undefined {
  if (boolean(row.is_promoted) === true || boolean(row.is_sponsored) === true) return undefined;
  const found = post(row);
  const isOther = found.author?.username !== undefined && found.author.username !== owner;
  const isRepost = boolean(row.is_repost) === true || slugOf(at(row.reposted_by, "url")) === owner;
  return isOther && !isRepost ? undefined : found;
}

function single(row: Wire): ProfessionalNetworkRepostedPost {
  const number = need(first(row, postKeys, numberOf), "id");
  const writer = object(row.author);
  return defined({
    id: number,
    share_url:
      first(row, ["url", "post_url"], text) ??
      `https://www.linkedin.com/feed/update/urn:li:activity:${number}/`,
    text: first(row, ["text", "commentary", "post_text", "title"], text),
    create_time:
      first(row, ["created_at", "posted_at", "date_posted", "published_at"], timeOf) ??
      timeIn(number),
    author: author(row),
    author_type: writer && authorType(writer),
    like_count: first(
      row,
      ["activity.num_likes", "num_likes", "stats.likes", "like_count"],
      figure,
    ),
    comment_count: first(
      row,
      ["activity.num_comments", "num_comments", "stats.comments", "comment_count"],
      figure,
    ),
    share_count: first(
      row,
      ["activity.num_shares", "num_shares", "num_reposts", "stats.shares", "share_count"],
      figure,
    ),
    reactions: some(each(row.reactions ?? at(row.activity, "reactions"), reaction)),
    images: some(each(row.images, picture)),
    video_url: first(row, ["video_url", "video.url", "video"], text),
    article: article(row.article),
    hashtags: some(each(row.hashtags, (tag) => text(text(tag)?.replace(/^#/, "")))),
  });
}

/** Time from an activity number, whose first 41 bits are milliseconds. */
export function timeIn(number: string): number | undefined {
  if (!/^\d{18,20}$/.test(number)) return undefined;
  return Number((BigInt(number) >> 22n) / 1000n);
}

function author(row: Wire): ProfessionalNetworkAuthor | undefined {
  const writer = object(row.author) ?? object(row.commenter) ?? {};
  const found = defined({
    id: first(writer, ["id", "urn"], id) ?? id(row.user_id),
    username: usernameOf(writer),
    display_name: first(writer, ["name", "full_name", "title"], text),
    headline: first(writer, ["headline", "description"], text),
    avatar_url: first(writer, ["avatar", "profile_picture", "avatar_url"], picture),
  });
  return Object.keys(found).length > 0 ? found : undefined;
}

function usernameOf(writer: Wire): string | undefined {
  const slug = first(writer, ["public_identifier", "username", "universal_name"], pageName);
  return slug?.toLowerCase() ?? slugOf(writer.url);
}

function authorType(writer: Wire): "person" | "company" | undefined {
  const kind = text(writer.type) ?? text(writer.account_type);
  if (kind !== undefined && /company|organi[sz]ation/i.test(kind)) return "company";
  if (kind !== undefined && /person|user|member/i.test(kind)) return "person";
  const address = text(writer.url) ?? "";
  return address.includes("/company/")
    ? "company"
    : address.includes("/in/")
      ? "person"
      : undefined;
}

function reaction(value: unknown): { type: string; count: number } | undefined {
  const type = first(value, ["type", "reaction_type"], text);
  const number = figure(at(value, "count"));
  return type === undefined || number === undefined ? undefined : { type, count: number };
}

function article(value: unknown): ProfessionalNetworkPost["article"] {
  const url = text(at(value, "url"));
  return url === undefined ? undefined : defined({ title: text(at(value, "title")), url });
}

function some<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}

export function comment(row: Wire, postId: string): ProfessionalNetworkComment {
  return defined({
    id: need(first(row, ["id", "comment_id", "urn"], id), "id"),
    post_id: postId,
    parent_id: first(row, ["parent_id", "parent_comment_id"], id),
    text: first(row, ["text", "comment", "content"], text),
    create_time: first(row, ["created_at", "posted_at", "date_posted"], timeOf),
    author: author(row),
    like_count: first(row, ["like_count", "num_likes", "stats.likes"], figure),
    reply_count: first(row, ["reply_count", "num_replies", "stats.replies"], figure),
    share_url: first(row, ["url", "permalink"], text),
  });
}

export function job(row: Wire): ProfessionalNetworkJob {
  const number = need(first(row, ["id", "job_id", "urn"], numberOf), "id");
  return defined({
    id: number,
    title: text(row.title),
    company: companyReference(row.company, row),
    location: first(row, ["location", "location.full"], text),
    workplace_type: first(row, ["workplace_type", "workplace_types.0"], text),
    employment_type: first(row, ["employment_type", "job_type"], text),
    create_time: first(row, ["listed_at", "posted_at", "created_at"], timeOf),
    share_url:
      first(row, ["url", "job_url"], text) ?? `https://www.linkedin.com/jobs/view/${number}/`,
  });
}
