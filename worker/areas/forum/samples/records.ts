import { vary } from "../../../sandbox/vary.ts";

/** Sample records of the forum platform in its own dialect. */

const subjects = ["rye starter", "oven stone", "long proof", "seeded loaf", "flat crumb"];
const base36 = "0123456789abcdefghijklmnopqrstuvwxyz";

/** A short id: part of the seed, then the position in its list. */
export function shortId(seed: string, index: number): string {
  const token = vary("forum", "id", seed).token("id", 5).toLowerCase();
  return `1${token.replace(/[^a-z0-9]/g, "x")}${index.toString(36).padStart(2, "0")}`;
}

/** The position in its list that a name of `shortId` contains. */
export function indexOf(name: string): number {
  return Array.from(name.slice(-2)).reduce((sum, digit) => sum * 36 + base36.indexOf(digit), 0);
}

/** Number that decides the kind of a record: the sum of its seed's characters. */
export function kindOf(seed: string): number {
  return Array.from(seed).reduce((sum, letter) => sum + (letter.codePointAt(0) as number), 0);
}

export const nameOf = (...seed: (string | number)[]) =>
  `sample_${vary("forum", "name", ...seed)
    .token("name", 6)
    .replace(/[^A-Za-z0-9]/g, "x")}`;

function byline(username: string, gone: boolean) {
  if (gone) return { author: "[deleted]" };
  return {
    author: username,
    author_fullname: `t2_${vary("forum", "user", username).digits("id", 7)}`,
  };
}

function placed(subreddit: string, index: number) {
  return {
    subreddit,
    subreddit_id: `t5_${vary("forum", "place", subreddit).digits("id", 5)}`,
    ...(index % 6 === 5 ? {} : { subreddit_name_prefixed: `r/${subreddit}` }),
  };
}

const scaled = (name: string) => ({
  url: `https://images.example/${name}.jpg?s=sample`,
  width: 1200,
  height: 800,
});

/** Content of a post, by its kind. */
function shown(kind: number, name: string): object {
  const page = { url: `https://www.reddit.com/comments/${name}/`, is_self: true };
  const elsewhere = { is_self: false, url_overridden_by_dest: `https://${name}.example/page` };
  const film = {
    fallback_url: `https://videos.example/${name}.mp4?source=fallback`,
    hls_url: `https://videos.example/${name}.m3u8`,
    width: 1920,
    height: 1080,
    duration: 31,
  };
  switch (kind % 8) {
    case 0:
      return {
        ...page,
        is_self: false,
        is_gallery: true,
        gallery_data: {
          items: [
            { media_id: `${name}a`, id: 1, caption: `First of ${name}` },
            { media_id: `${name}b`, id: 2 },
            { media_id: `${name}c`, id: 3 },
            { media_id: `${name}d`, id: 4 },
          ],
        },
        media_metadata: {
          [`${name}a`]: { status: "valid", s: { u: scaled(`${name}a`).url, x: 1200, y: 800 } },
          [`${name}b`]: { status: "valid", s: { gif: scaled(`${name}b`).url, x: 640, y: 480 } },
          [`${name}c`]: { status: "unprocessed" },
        },
      };
    case 1:
      return {
        ...elsewhere,
        is_video: true,
        post_hint: "hosted:video",
        media: { reddit_video: film },
        secure_media: { reddit_video: film },
      };
    case 2:
      return {
        ...elsewhere,
        crosspost_parent: `t3_${shortId(name, 1)}`,
        crosspost_parent_list: [{ name: `t3_${shortId(name, 1)}` }],
      };
    case 3:
      return { ...elsewhere, post_hint: "image", preview: { images: [{ source: scaled(name) }] } };
    case 5:
      return { ...elsewhere, post_hint: "link", url: `https://${name}.example/` };
    case 6:
      return { ...page, poll_data: { options: [{ text: "yes" }, { text: "no" }] } };
    case 7:
      return { ...elsewhere, is_video: true, media: null, secure_media: null };
    default:
      return page;
  }
}

/** A post; `id` is without its prefix. */
export function post(id: string, kind: number, subreddit: string, more: object = {}) {
  const v = vary("forum", "post", id);
  const gone = kind % 13 === 12;
  const words = `${v.pick("subject", subjects)}, take ${v.int("take", 1, 90)}`;
  return {
    kind: "t3",
    data: {
      ...placed(subreddit, kind),
      ...byline(nameOf("author", id), gone),
      id,
      name: `t3_${id}`,
      title: `What of this ${words}?`,
      selftext: gone ? "[deleted]" : kind % 2 === 0 ? `On **${words}**` : "",
      selftext_html: kind % 2 === 0 && !gone ? `<p>On <strong>${words}</strong></p>` : null,
      permalink: `/r/${subreddit}/comments/${id}/what/`,
      domain: kind % 2 === 0 ? `self.${subreddit}` : `${id}.example`,
      url: `https://www.reddit.com/r/${subreddit}/comments/${id}/what/`,
      created: 1_760_028_800 + v.int("time", 0, 9_000_000),
      created_utc: 1_760_000_000 + v.int("time", 0, 9_000_000),
      edited: kind % 2 === 0 ? 1_770_000_000 + v.int("edit", 0, 9000) : false,
      score: v.int("score", -20, 9000),
      upvote_ratio: v.int("ratio", 40, 99) / 100,
      num_comments: v.int("comments", 0, 900),
      num_crossposts: v.int("crossposts", 0, 9),
      total_awards_received: v.int("awards", 0, 9),
      link_flair_text: kind % 3 === 2 ? null : v.pick("flair", ["Question", "Show", "Recipe"]),
      thumbnail: kind % 4 === 3 ? "default" : `https://images.example/thumb-${id}.jpg`,
      over_18: kind % 7 === 6,
      spoiler: kind % 7 === 5,
      locked: kind % 7 === 4,
      stickied: false,
      archived: kind % 7 === 3,
      is_original_content: kind % 7 === 2,
      removed_by_category: gone || kind % 4 === 2 ? v.pick("by", ["deleted", "moderator"]) : null,
      likes: null,
      num_reports: null,
      ...shown(kind, id),
      ...more,
    },
  };
}

/** A comment without its replies; `id` is without its prefix. */
export function comment(id: string, index: number, more: object) {
  const v = vary("forum", "comment", id);
  const gone = index % 9 === 8;
  const words = `${v.pick("subject", subjects)} no. ${index + 1}`;
  return {
    ...placed("samplebaking", index),
    ...byline(nameOf("author", id), gone),
    id,
    name: `t1_${id}`,
    body: gone ? "[deleted]" : `Try *${words}*`,
    body_html: `<p>Try <em>${words}</em></p>`,
    created_utc: 1_761_000_000 + v.int("time", 0, 9_000_000),
    edited: index % 4 === 1 ? 1_771_000_000 + v.int("edit", 0, 9000) : false,
    score: v.int("score", -9, 900),
    score_hidden: index % 5 === 4,
    is_submitter: index % 5 === 3,
    stickied: index === 0,
    locked: index % 8 === 7,
    distinguished: index % 6 === 0 ? "moderator" : null,
    controversiality: index % 5 === 2 ? 1 : 0,
    ...(index % 6 === 5 ? {} : { permalink: `/r/samplebaking/comments/x/what/${id}/` }),
    replies: "",
    ...more,
  };
}

export function user(name: string) {
  const kind = kindOf(name);
  const v = vary("forum", "user", name);
  if (kind % 5 === 4) return { name, is_suspended: true };
  return {
    id: v.digits("id", 7),
    name,
    icon_img: `https://images.example/user-${name}.png?width=256`,
    snoovatar_img: kind % 5 === 3 ? "" : `https://images.example/figure-${name}.png`,
    created_utc: 1_500_000_000 + v.int("time", 0, 90_000_000),
    total_karma: v.int("total", 0, 90_000),
    link_karma: v.int("posts", 0, 30_000),
    comment_karma: v.int("comments", 0, 30_000),
    awardee_karma: v.int("received", 0, 300),
    awarder_karma: v.int("given", 0, 300),
    is_employee: false,
    is_mod: kind % 2 === 0,
    is_gold: kind % 3 === 0,
    has_verified_email: true,
    is_suspended: false,
    accept_followers: true,
    subreddit:
      kind % 5 === 3
        ? null
        : {
            title: `Sample ${v.token("title", 4)}`,
            public_description: `Bakes ${v.pick("subject", subjects)}`,
            banner_img: `https://images.example/banner-${name}.png?width=1200`,
            over_18: false,
          },
  };
}

export function community(name: string, id: string, kind: number) {
  const v = vary("forum", "community", name);
  const head = { id, name: `t5_${id}`, display_name: name, url: `/r/${name}/` };
  if (kind % 9 === 7) {
    const unknown = { title: null, description: null, subscribers: null, over18: null, lang: null };
    return { kind: "t5", data: { ...head, ...unknown, subreddit_type: "private" } };
  }
  return {
    kind: "t5",
    data: {
      ...head,
      title: `Sample ${name}`,
      public_description: `All about ${v.pick("subject", subjects)}`,
      description: `# ${name}\n\nBe kind.`,
      subscribers: v.int("members", 1, 900_000),
      active_user_count: kind % 3 === 2 ? null : v.int("active", 0, 900),
      created_utc: 1_300_000_000 + v.int("time", 0, 90_000_000),
      community_icon: kind % 2 === 0 ? `https://images.example/icon-${name}.png?width=256` : "",
      icon_img: `https://images.example/old-icon-${name}.png`,
      banner_background_image:
        kind % 2 === 0 ? `https://images.example/banner-${name}.png?width=4000` : "",
      banner_img: `https://images.example/old-banner-${name}.png`,
      subreddit_type: v.pick("type", ["public", "restricted"]),
      lang: v.pick("lang", ["en", "de"]),
      over18: false,
      quarantine: false,
      allow_images: true,
      allow_videos: kind % 4 !== 3,
      allow_polls: kind % 4 !== 1,
      submission_type: v.pick("submission", ["any", "self"]),
    },
  };
}

export function rule(name: string, index: number) {
  const v = vary("forum", "rule", name, index);
  return {
    kind: v.pick("kind", ["all", "link", "comment"]),
    short_name: `Rule ${index + 1} of ${name}`,
    description: index % 3 === 2 ? "" : `Mind the ${v.pick("subject", subjects)}`,
    violation_reason: `Broke rule ${index + 1}`,
    created_utc: 1_600_000_000 + v.int("time", 0, 9_000_000),
    priority: index,
  };
}

export function trophy(name: string, index: number) {
  const v = vary("forum", "trophy", name, index);
  return {
    kind: "t6",
    data: {
      name: `${v.int("years", 1, 18)}-Year Club`,
      description: index % 2 === 0 ? `Given for ${v.pick("subject", subjects)}` : null,
      icon_70: `https://images.example/trophy-${v.token("icon", 4)}.png`,
      award_id: index % 3 === 2 ? null : v.token("award", 2),
      granted_at: index % 3 === 1 ? null : 1_600_000_000 + v.int("time", 0, 9_000_000),
      id: v.token("id", 6),
    },
  };
}
