import { vary } from "../../../sandbox/vary.ts";

/** Sample records of the CN video platform in its own dialects. */

const subjects = ["手工面条", "城市夜跑", "纸飞机", "木工台灯", "猫咪日常", "旧相机修复"];
const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

function bvidOf(...seed: (string | number)[]): string {
  const v = vary("cnvideo", "bvid", ...seed);
  const letters = Array.from({ length: 9 }, (_, n) => v.pick(`letter${n}`, Array.from(base58)));
  return `BV1${letters.join("")}`;
}

const picture = (name: string) => `https://images.example/${name}.jpg`;

function writer(uid: string) {
  const v = vary("cnvideo", "user", uid);
  return {
    mid: Number(uid),
    name: `样例用户${v.int("name", 100, 999)}`,
    face: picture(`face-${uid}`),
  };
}

const uidOf = (...seed: (string | number)[]) => vary("cnvideo", "uid", ...seed).digits("uid", 9);

/** Differs for ids that differ in one letter or digit. */
const parity = (seed: string) =>
  Array.from(seed).reduce((sum, letter) => sum + (letter.codePointAt(0) as number), 0) % 2;

export function detail(bvid: string) {
  const v = vary("cnvideo", "video", bvid);
  const subject = v.pick("subject", subjects);
  const odd = parity(bvid) === 1;
  return {
    bvid,
    aid: Number(v.digits("aid", 15)),
    videos: 2,
    tname: v.pick("category", ["生活", "美食", "科技"]),
    copyright: odd ? 1 : 2,
    pic: picture(`cover-${bvid}`),
    title: `${subject} 第${v.int("number", 1, 90)}期`,
    pubdate: 1_750_000_000 + v.int("time", 0, 20_000_000),
    ctime: 1_750_000_000,
    desc: odd ? `关于${subject}的样例视频` : "-",
    duration: v.int("duration", 60, 4000),
    owner: writer(uidOf(bvid)),
    stat: {
      view: v.int("views", 100, 3_000_000),
      danmaku: v.int("danmaku", 0, 9000),
      reply: v.int("comments", 0, 9000),
      favorite: v.int("saved", 0, 9000),
      coin: v.int("coins", 0, 9000),
      share: v.int("shares", 0, 900),
      like: v.int("likes", 0, 90_000),
    },
    dimension: { width: 1920, height: 1080, rotate: odd ? 1 : 0 },
    pages: [1, 2].map((page) => ({
      cid: Number(v.digits(`cid${page}`, 10)),
      page,
      part: page === 1 ? `${subject}上` : "",
      duration: v.int(`part${page}`, 30, 2000),
    })),
  };
}

export function hit(keyword: string, seed: string, index: number) {
  const v = vary("cnvideo", "hit", seed, index);
  const bvid = bvidOf(seed, index);
  const danmaku = v.int("danmaku", 0, 9000);
  return {
    type: "video",
    author: writer(uidOf(seed, index)).name,
    mid: Number(uidOf(seed, index)),
    typename: v.pick("category", ["生活", "美食", "科技"]),
    aid: Number(v.digits("aid", 15)),
    bvid,
    title: `<em class="keyword">${keyword}</em> &amp; ${v.pick("subject", subjects)} ${index + 1}`,
    description: index % 4 === 2 ? "" : `搜索样例 ${index + 1}`,
    pic: `//images.example/cover-${bvid}.jpg`,
    play: v.int("views", 10, 900_000),
    video_review: danmaku,
    danmaku,
    favorites: v.int("saved", 0, 9000),
    tag: index % 5 === 3 ? "" : `${v.pick("tag", ["生活", "教程", "日常"])},样例`,
    review: v.int("comments", 0, 900),
    pubdate: 1_750_000_000 + v.int("time", 0, 20_000_000),
    duration: index % 6 === 1 ? `1:${v.int("m", 10, 59)}:07` : `${v.int("minutes", 0, 140)}:36`,
    like: v.int("likes", 0, 90_000),
    upic: picture(`face-${v.token("face", 6)}`),
  };
}

/** A promoted entry of a search, which has no id. */
export function advert(index: number) {
  return { type: "video", title: `推广 ${index}`, pic: "//images.example/advert.jpg", mid: 0 };
}

export function course(seed: string, index: number) {
  const v = vary("cnvideo", "course", seed, index);
  return { type: "ketang", id: v.int("id", 1, 9000), title: "样例课程", bvid: "" };
}

export function spaceVideo(uid: string, order: string, index: number) {
  const v = vary("cnvideo", "space", uid, order, index);
  const bvid = bvidOf("space", uid, order, index);
  return {
    comment: v.int("comments", 0, 900),
    typeid: 21,
    play: index % 7 === 5 ? "--" : v.int("views", 10, 900_000),
    pic: picture(`cover-${bvid}`),
    description: index % 3 === 1 ? "-" : `第${index + 1}个视频`,
    copyright: index % 4 === 2 ? "2" : "1",
    title: `${v.pick("subject", subjects)} ${index + 1}`,
    author: writer(uid).name,
    mid: Number(uid),
    created: 1_780_000_000 - index * 86_400,
    length: `0${v.int("minutes", 0, 9)}:24`,
    video_review: v.int("danmaku", 0, 900),
    aid: Number(v.digits("aid", 15)),
    bvid,
  };
}

const listKinds = [
  "draw",
  "av",
  "word",
  "forward of av",
  "article",
  "live",
  "opus",
  "forward of draw",
  "forward of nothing",
  "forward of article",
  "forward of live",
];

interface Marks {
  id?: string;
  uid?: string;
  kind?: string;
  topic?: boolean;
  pinned?: boolean;
}

/** A dynamic; `kind` names its content, "forward of …" the forwarded content. */
export function dynamic(seed: string, index: number, marks: Marks = {}): Record<string, unknown> {
  const kind = marks.kind ?? (listKinds[index % listKinds.length] as string);
  const forwarded = /^forward of (.+)$/.exec(kind)?.[1];
  const v = vary("cnvideo", "dynamic", seed, index);
  const uid = marks.uid ?? uidOf(seed, index);
  const hasWords = kind === "word" || kind.includes("draw") || forwarded !== undefined;
  return {
    basic: { comment_type: 11, rid_str: v.digits("rid", 9) },
    id_str: marks.id ?? v.digits("id", 18),
    type: `DYNAMIC_TYPE_${typeOf(forwarded === undefined ? kind : "forward")}`,
    visible: true,
    modules: {
      module_author: {
        ...writer(uid),
        pub_ts:
          index % 2 === 0 ? 1_780_000_000 - index * 3600 : String(1_780_000_000 - index * 3600),
        pub_time: "3天前",
        vip: { due_date: 1_790_000_000_000 },
      },
      module_dynamic: {
        additional: null,
        desc: hasWords ? { text: `样例动态 ${index + 1}: ${v.pick("subject", subjects)}` } : null,
        major: forwarded === undefined ? majorOf(kind, v) : null,
        topic: marks.topic ? { id: 1, name: v.pick("subject", subjects) } : null,
      },
      module_stat: {
        comment: { count: v.int("comments", 0, 900), forbidden: false },
        forward: { count: v.int("forwards", 0, 900), forbidden: false },
        like: { count: v.int("likes", 0, 9000), forbidden: false },
      },
      ...(marks.pinned || marks.id ? { module_tag: { text: "置顶" } } : {}),
    },
    ...(forwarded === undefined ? {} : { orig: originalOf(forwarded, `${seed} orig`, index) }),
  };
}

function originalOf(kind: string, seed: string, index: number) {
  if (kind !== "nothing") return dynamic(seed, index, { kind, topic: true });
  return { id_str: null, type: "DYNAMIC_TYPE_NONE", modules: {}, visible: false };
}

function typeOf(kind: string): string {
  if (kind.startsWith("live") || kind.endsWith("live")) return "LIVE_RCMD";
  return kind === "opus" ? "DRAW" : (kind.split(" ")[0] as string).toUpperCase();
}

/** Content of a dynamic; a kind may name two things. */
function majorOf(kind: string, v: ReturnType<typeof vary>) {
  if (kind === "word") return null;
  const subject = v.pick("shown", subjects);
  const cover = picture(`shown-${v.token("cover", 6)}`);
  const room = Number(v.digits("room", 8));
  return {
    type: `MAJOR_TYPE_${typeOf(kind)}`,
    ...(kind.includes("draw")
      ? { draw: { id: 1, items: [1, 2].map((n) => ({ src: `${cover}?${n}`, width: 720 })) } }
      : {}),
    ...(kind === "opus"
      ? {
          opus: {
            title: v.int("titled", 0, 1) === 1 ? `${subject}合集` : null,
            summary: { text: `图文样例: ${subject}` },
            pics: [{ url: cover, width: 720, height: 720 }],
          },
        }
      : {}),
    ...(kind.includes("av")
      ? {
          archive: {
            aid: v.digits("aid", 12),
            bvid: bvidOf("shown", v.token("bvid", 8)),
            title: `${subject}视频`,
            desc: `${subject}简介`,
            cover,
            duration_text: "12:34",
            stat: {
              play: `${v.int("plays", 1, 90)}.3万`,
              danmaku: String(v.int("danmaku", 1, 900)),
            },
          },
        }
      : {}),
    ...(kind.includes("article")
      ? {
          article: {
            id: v.int("article", 1000, 900_000),
            title: `${subject}专栏`,
            covers: [cover],
          },
        }
      : {}),
    ...(kind.includes("live")
      ? {
          live_rcmd: {
            content: JSON.stringify({
              type: 1,
              live_play_info: {
                room_id: room,
                title: `${subject}直播`,
                cover,
                link: "//live.example",
              },
            }),
          },
        }
      : {}),
  };
}

export function hotWord(index: number) {
  const v = vary("cnvideo", "hot", index);
  const keyword = `${v.pick("subject", subjects)}${index + 1}`;
  return {
    keyword,
    show_name: `${keyword}!`,
    pos: index + 1,
    icon: index % 3 === 0 ? `//images.example/icon-${index % 5}.png` : "",
    word_type: v.pick("type", [1, 4, 5, 7, 9, 11, 12]),
    ...(index % 2 === 0 ? { heat_score: v.int("heat", 1000, 9_000_000) } : {}),
  };
}
