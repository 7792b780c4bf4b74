import { vary } from "../../../sandbox/vary.ts";

/** Sample records of the CN microblog platform in the form of its web pages. */

const subjects = ["手工面条", "城市夜跑", "纸飞机", "木工台灯", "猫咪日常", "旧相机修复"];
const picture = (name: string) => `https://images.example/${name}.jpg`;
const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A time in the platform's format, in China's zone. */
function written(unix: number): string {
  const local = new Date((unix + 8 * 3600) * 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  const clock = [local.getUTCHours(), local.getUTCMinutes(), local.getUTCSeconds()];
  return `${days[local.getUTCDay()]} ${months[local.getUTCMonth()]} ${two(local.getUTCDate())} ${clock.map(two).join(":")} +0800 ${local.getUTCFullYear()}`;
}

export const uidOf = (...seed: (string | number)[]) =>
  vary("cnblog", "uid", ...seed).digits("uid", 10);

/** A user in the form of profiles and lists. */
export function person(uid: string, kind: number) {
  const v = vary("cnblog", "user", uid);
  const isVerified = kind % 3 !== 2;
  return {
    id: Number(uid),
    idstr: uid,
    screen_name: `样例用户${v.int("name", 100, 999)}`,
    domain: kind % 4 === 3 ? "" : `sample${v.int("domain", 1000, 9999)}`,
    profile_image_url: picture(`face-small-${uid}`),
    avatar_large: picture(`face-${uid}`),
    ...(kind % 2 === 0 ? { avatar_hd: picture(`face-hd-${uid}`) } : {}),
    description: kind % 5 === 4 ? "" : `喜欢${v.pick("subject", subjects)}`,
    followers_count: kind % 4 === 1 ? `${v.int("tens", 2, 90)}.5万` : v.int("followers", 0, 90_000),
    friends_count: v.int("following", 0, 900),
    statuses_count: v.int("posts", 0, 9000),
    gender: v.pick("gender", ["m", "f", "f", "m", ""]),
    location: v.pick("location", ["北京", "上海", "广东 深圳"]),
    verified: isVerified,
    verified_type: isVerified ? 2 : -1,
    ...(isVerified ? { verified_reason: `样例认证${v.int("reason", 1, 9)}` } : {}),
    cover_image_phone: picture(`cover-${v.int("cover", 1, 9)}`),
  };
}

/** The same user in the mobile style. */
export function mobilePerson(uid: string, kind: number) {
  const { idstr: _, friends_count: follow_count, ...rest } = person(uid, kind);
  return { ...rest, follow_count };
}

function shortOf(id: string): string {
  return vary("cnblog", "short", id).token("short", 9).replace(/[_-]/g, "a");
}

interface Marks {
  id?: string;
  uid?: string;
  isPinned?: boolean;
  hasLongText?: boolean;
}

const shown = ["pictures", "video", "link", "repost", "words", "deleted repost"];

/** A post; its content follows from its index. */
export function status(seed: string, index: number, marks: Marks = {}): Record<string, unknown> {
  const v = vary("cnblog", "post", seed, index);
  const postId = marks.id ?? v.digits("id", 16);
  const uid = marks.uid ?? uidOf(seed, index);
  const kind = shown[index % shown.length] as string;
  const subject = v.pick("subject", subjects);
  const isLong = index % 4 === 0;
  const words = `#${subject}# 样例微博 ${index + 1}`;
  return {
    visible: { type: 0, list_id: 0 },
    created_at: written(1_780_000_000 - index * 7200),
    id: Number(postId.slice(0, 15)),
    idstr: postId,
    mid: postId,
    mblogid: shortOf(postId),
    user: person(uid, index),
    text_raw: `${words}\u200b\u200b`,
    text: `${words}<br />`,
    source: index % 2 === 0 ? "样例客户端" : '<a href="https://app.example/">样例手机</a>',
    ...(index % 3 === 1 ? {} : { region_name: `发布于 ${v.pick("region", ["北京", "浙江"])}` }),
    attitudes_count: index % 5 === 3 ? "100万+" : v.int("likes", 0, 90_000),
    comments_count: v.int("comments", 0, 9000),
    reposts_count: v.int("reposts", 0, 9000),
    isLongText: isLong,
    ...(isLong && marks.hasLongText ? { longText: { longTextContent: `${words}，长文全文` } } : {}),
    ...(index % 2 === 0
      ? { topic_struct: [{ topic_title: subject }, { topic_title: "样例" }] }
      : {}),
    pic_ids: kind === "pictures" ? ["p1", "p2"] : [],
    ...(kind === "pictures" ? { pic_infos: pictures(postId) } : {}),
    ...(kind === "video" ? { page_info: film(postId, subject, v.int("duration", 5, 600)) } : {}),
    // A post with pictures may link to a topic's page.
    ...(kind === "link" || kind === "pictures"
      ? {
          page_info: {
            type: kind === "link" ? "5" : "search_topic",
            ...(kind === "link" ? { object_type: "webpage" } : {}),
            page_title: `${subject}的网页`,
            page_url: `https://pages.example/${v.token("page", 6)}`,
          },
        }
      : {}),
    ...(kind === "repost" ? { retweeted_status: passedOn(postId) } : {}),
    ...(kind === "deleted repost"
      ? {
          retweeted_status: {
            idstr: v.digits("gone", 16),
            user: null,
            deleted: "1",
            text: "抱歉，此微博已被作者删除。",
          },
        }
      : {}),
    ...(marks.isPinned ? { isTop: 1 } : {}),
    ad_state: index % 7 === 6 ? 1 : 0,
    edit_config: { edited: index % 3 === 0 },
    mblogtype: marks.isPinned ? 1 : 0,
  };
}

/** A reposted post with every kind of content. */
function passedOn(seed: string) {
  const post = status(`${seed} original`, 0, { hasLongText: true });
  return {
    ...post,
    page_info:
      Number(seed.slice(0, 1)) % 2 === 0
        ? { type: "webpage", page_title: "样例网页", page_url: "https://pages.example/original" }
        : film(seed, "原创", 61),
  };
}

function pictures(postId: string) {
  return Object.fromEntries(
    ["p1", "p2"].map((name) => [
      name,
      {
        pic_id: name,
        large: { url: picture(`large-${postId}-${name}`) },
        ...(name === "p1" ? { largest: { url: picture(`largest-${postId}-${name}`) } } : {}),
      },
    ]),
  );
}

function film(postId: string, subject: string, duration: number) {
  return {
    type: "11",
    object_type: "video",
    page_title: `${subject}的视频`,
    page_pic: picture(`film-${postId}`),
    page_url: "https://videos.example/",
    media_info: {
      mp4_720p_mp4: `https://videos.example/${postId}-720.mp4`,
      stream_url: `https://videos.example/${postId}.mp4`,
      duration: duration + 0.2,
    },
  };
}

/** A comment, the first ones with replies. */
export function remark(seed: string, index: number, withReplies = true): Record<string, unknown> {
  const v = vary("cnblog", "comment", seed, index);
  const number = v.digits("id", 16);
  const isPicture = index % 6 === 2;
  const replies = withReplies && index % 3 === 0 ? [0, 2] : [];
  return {
    id: number,
    idstr: number,
    created_at: written(1_780_000_000 - index * 600),
    text: `样例评论 ${index + 1} <img alt="[赞]" src="https://images.example/like.png" />`,
    ...(index % 2 === 0 ? { text_raw: `样例评论 ${index + 1} [赞]` } : {}),
    user: index % 8 === 7 ? null : person(uidOf("comment", seed, index), index),
    like_counts: v.int("likes", 0, 900),
    total_number: withReplies ? replies.length + v.int("more", 0, 9) : 0,
    source: index % 4 === 3 ? "" : `来自${v.pick("region", ["北京", "浙江"])}`,
    ...(index % 2 === 0 ? { floor_number: index + 1 } : {}),
    ...(isPicture
      ? { pic_infos: { p1: { large: { url: picture(`comment-${v.token("pic", 6)}`) } } } }
      : {}),
    isLikedByMblogAuthor: index % 4 === 0,
    comments:
      replies.length > 0 ? replies.map((n) => remark(`${seed} ${number}`, n, false)) : false,
  };
}
