import type * as z from "zod";
import type {
  forumCommunity,
  forumPost,
  forumRule,
  forumTrophy,
  forumUser,
  forumUserComment,
} from "../../../contract/areas/forum/records.ts";
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
} from "../../mapping/wire.ts";

type Post = z.output<typeof forumPost>;
export type UserComment = z.output<typeof forumUserComment>;

const site = "https://www.reddit.com";
const onSite = (path: unknown): string | undefined => {
  const known = text(path);
  return known?.startsWith("/") ? site + known : known;
};

/** Times come with a fraction; `false` stands for never. */
function seconds(value: unknown): number | undefined {
  const known = number(value);
  return known === undefined ? undefined : count(Math.trunc(known));
}

/** The name of a thing: its kind, `_` and the short id. */
function fullName(row: Wire, kind: string): string | undefined {
  const name = text(row.name);
  return name?.startsWith(`${kind}_`) ? name : undefined;
}

export function isAdvert(row: Wire): boolean {
  return boolean(row.promoted) === true;
}

export function post(row: Wire): Post {
  const media = mediaType(row);
  return defined({
    id: need(fullName(row, "t3"), "data.name"),
    title: text(row.title),
    text: text(row.selftext) ?? "",
    text_html: text(row.selftext_html),
    url: onSite(row.url_overridden_by_dest) ?? onSite(row.url),
    share_url: onSite(row.permalink),
    domain: text(row.domain),
    create_time: seconds(row.created_utc),
    edit_time: seconds(row.edited),
    author: author(row),
    community: place(row),
    score: integer(row.score),
    upvote_ratio: ratio(row.upvote_ratio),
    comment_count: count(row.num_comments),
    crosspost_count: count(row.num_crossposts),
    award_count: count(row.total_awards_received),
    flair: text(row.link_flair_text),
    media_type: media,
    images: media === "gallery" ? gallery(row) : media === "image" ? [picture(row)].flat() : [],
    video:
      video(at(row, "secure_media", "reddit_video")) ?? video(at(row, "media", "reddit_video")),
    thumbnail_url: httpUrl(row.thumbnail),
    crosspost_parent_id: text(row.crosspost_parent),
    is_nsfw: boolean(row.over_18),
    is_spoiler: boolean(row.spoiler),
    is_locked: boolean(row.locked),
    is_stickied: boolean(row.stickied),
    is_archived: boolean(row.archived),
    is_original_content: boolean(row.is_original_content),
    removed_by: text(row.removed_by_category),
  });
}

function mediaType(row: Wire): Post["media_type"] {
  if (boolean(row.is_gallery) === true) return "gallery";
  if (object(row.poll_data)) return "poll";
  if ((array(row.crosspost_parent_list) ?? []).length > 0) return "crosspost";
  if (boolean(row.is_video) === true) return "video";
  const hint = text(row.post_hint);
  if (hint === "image") return "image";
  if (hint === "hosted:video" || hint === "rich:video") return "video";
  const isSelf = boolean(row.is_self);
  if (isSelf === undefined) return undefined;
  return isSelf ? "text" : "link";
}

/** Pictures in the order of the gallery; those that are not processed yet are left out. */
function gallery(row: Wire): Post["images"] {
  return each(at(row, "gallery_data", "items"), (item) => {
    const media = text(at(item, "media_id"));
    const source = media === undefined ? undefined : at(row, "media_metadata", media, "s");
    const url = text(at(source, "u")) ?? text(at(source, "gif"));
    if (url === undefined) return undefined;
    return defined({
      url,
      width: count(at(source, "x")),
      height: count(at(source, "y")),
      caption: text(at(item, "caption")),
    });
  });
}

function picture(row: Wire): Post["images"] {
  const source = at(row, "preview", "images", 0, "source");
  const url = text(at(source, "url"));
  if (url !== undefined) {
    return [
      defined({ url, width: count(at(source, "width")), height: count(at(source, "height")) }),
    ];
  }
  const linked = httpUrl(row.url);
  return linked === undefined ? [] : [{ url: linked }];
}

function video(value: unknown): Post["video"] {
  const url = text(at(value, "fallback_url"));
  if (url === undefined) return undefined;
  return defined({
    url,
    hls_url: text(at(value, "hls_url")),
    width: count(at(value, "width")),
    height: count(at(value, "height")),
    duration: seconds(at(value, "duration")),
  });
}

function ratio(value: unknown): number | undefined {
  const known = number(value);
  return known !== undefined && known >= 0 && known <= 1 ? known : undefined;
}

/** Words such as `self` and `default` stand where there is no picture. */
function httpUrl(value: unknown): string | undefined {
  const known = text(value);
  return known !== undefined && /^https?:/.test(known) ? known : undefined;
}

function author(row: Wire): Post["author"] {
  const username = text(row.author);
  if (username === undefined) return undefined;
  return defined({ id: text(row.author_fullname), username, display_name: username });
}

function place(row: Wire): Post["community"] {
  const name = text(row.subreddit);
  if (name === undefined) return undefined;
  return defined({
    id: text(row.subreddit_id),
    name,
    display_name: text(row.subreddit_name_prefixed) ?? `r/${name}`,
  });
}

/** What every comment has, in threads and in lists of a user. */
export function anyComment(row: Wire): UserComment {
  const name = need(fullName(row, "t1"), "data.name");
  const postId = text(row.link_id);
  return defined({
    id: name,
    post_id: postId,
    parent_id: text(row.parent_id),
    text: text(row.body) ?? "",
    text_html: text(row.body_html),
    create_time: seconds(row.created_utc),
    edit_time: seconds(row.edited),
    author: author(row),
    community: place(row),
    score: integer(row.score),
    is_score_hidden: boolean(row.score_hidden),
    is_submitter: boolean(row.is_submitter),
    is_stickied: boolean(row.stickied),
    is_locked: boolean(row.locked),
    distinguished: text(row.distinguished),
    controversiality: integer(row.controversiality),
    share_url:
      onSite(row.permalink) ??
      (postId?.startsWith("t3_")
        ? `${site}/comments/${postId.slice(3)}/_/${name.slice(3)}/`
        : undefined),
  });
}

export function userComment(row: Wire): UserComment {
  return {
    ...anyComment(row),
    ...defined({ post_title: text(row.link_title), post_url: text(row.link_url) }),
  };
}

/** Only what is public: of the account behind a token there would be more. */
export function user(row: Wire): z.output<typeof forumUser> {
  const username = need(text(row.name), "data.name");
  const page = object(row.subreddit) ?? {};
  const short = id(row.id);
  return defined({
    id: short && `t2_${short}`,
    username,
    display_name: text(page.title) ?? username,
    description: text(page.public_description),
    avatar_url: withoutQuery(row.icon_img),
    snoovatar_url: text(row.snoovatar_img),
    banner_url: withoutQuery(page.banner_img),
    create_time: seconds(row.created_utc),
    total_karma: integer(row.total_karma),
    post_karma: integer(row.link_karma),
    comment_karma: integer(row.comment_karma),
    awardee_karma: integer(row.awardee_karma),
    awarder_karma: integer(row.awarder_karma),
    is_employee: boolean(row.is_employee),
    is_mod: boolean(row.is_mod),
    is_gold: boolean(row.is_gold),
    is_verified: boolean(row.has_verified_email),
    is_suspended: boolean(row.is_suspended),
    is_nsfw: boolean(page.over_18),
    accept_followers: boolean(row.accept_followers),
    share_url: `${site}/user/${encodeURIComponent(username)}/`,
  });
}

export function community(row: Wire): z.output<typeof forumCommunity> {
  const name = need(text(row.display_name), "data.display_name");
  return defined({
    id: need(fullName(row, "t5"), "data.name"),
    name,
    title: text(row.title),
    description: text(row.public_description),
    description_long: text(row.description),
    member_count: count(row.subscribers),
    active_count: count(row.active_user_count),
    create_time: seconds(row.created_utc),
    icon_url: withoutQuery(row.community_icon) ?? withoutQuery(row.icon_img),
    banner_url: withoutQuery(row.banner_background_image) ?? withoutQuery(row.banner_img),
    type: text(row.subreddit_type),
    lang: text(row.lang),
    is_nsfw: boolean(row.over18),
    is_quarantined: boolean(row.quarantine),
    allow_images: boolean(row.allow_images),
    allow_videos: boolean(row.allow_videos),
    allow_polls: boolean(row.allow_polls),
    submission_type: text(row.submission_type),
    share_url: onSite(row.url) ?? `${site}/r/${encodeURIComponent(name)}/`,
  });
}

export function rule(row: Wire): z.output<typeof forumRule> {
  return defined({
    name: need(text(row.short_name), "rules[].short_name"),
    description: text(row.description),
    violation_reason: text(row.violation_reason),
    applies_to: text(row.kind),
    priority: count(row.priority),
    create_time: seconds(row.created_utc),
  });
}

export function trophy(row: Wire): z.output<typeof forumTrophy> {
  const data = object(row.data) ?? {};
  return defined({
    name: need(text(data.name), "trophies[].data.name"),
    description: text(data.description),
    icon_url: text(data.icon_70),
    award_id: id(data.award_id),
    granted_at: seconds(data.granted_at),
  });
}

function withoutQuery(value: unknown): string | undefined {
  return text(text(value)?.split("?", 1)[0]);
}
