import type { Samples } from "../../../sandbox/sample.ts";
import { vary } from "../../../sandbox/vary.ts";

const words = ["城市夜跑", "新电影上映", "秋天的第一杯茶", "地铁新线开通", "古镇灯会", "校园招聘"];
const entries = 51;

function entry(index: number) {
  const v = vary("weibo", "hot", index);
  const word = `${v.pick("word", words)}${index + 1}`;
  if (index % 17 === 5) return { word: `推广${index}`, is_ad: 1, rank: index };
  const isTopic = index % 4 === 1;
  return {
    word: isTopic ? `#${word}#` : word,
    word_scheme: `#${word}#`,
    note: word,
    num: v.int("num", 1000, 9_000_000),
    rank: index,
    ...(index % 3 === 2 ? {} : { realpos: index + 1 }),
    label_name: v.pick("label", ["新", "热", "沸", ""]),
    icon_desc: "",
  };
}

const headline = {
  name: "#样例头条#",
  word: "#样例头条#",
  word_scheme: "#样例头条#",
  note: "样例头条",
  icon_desc: "置顶",
};

/** The hot search as the site and its reseller have it. */
export const hotSearch = (empty: boolean | undefined) =>
  empty
    ? { realtime: [], hotgovs: [] }
    : {
        realtime: Array.from({ length: entries }, (_, index) => entry(index)),
        hotgov: headline,
        hotgovs: [headline],
      };

/** Sample answers of Weibo's own pages, written for this project. */
export const weibo: Samples = {
  upstream: "weibo",
  answers: {
    "GET /ajax/side/hotSearch": ({ empty }) => ({ ok: 1, data: hotSearch(empty) }),
  },
  faults: {
    not_found: { status: 404, body: { error: "Not Found" } },
    upstream_error: { status: 403, body: { error: "Forbidden" } },
    upstream_unavailable: { status: 503, body: { error: "Service Unavailable" } },
  },
};
