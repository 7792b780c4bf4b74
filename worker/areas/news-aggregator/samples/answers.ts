import type { Sample, Samples } from "../../../sandbox/sample.ts";
import { vary } from "../../../sandbox/vary.ts";

const newest = 40_100_000;
/** The longest list that a caller can ask for is 500. */
const listed = { default: 140, long: 620 };

const subjects = [
  "A small compiler in an afternoon",
  "Notes on queues",
  "Why our tests were slow",
  "Drawing maps by hand",
];

function listOf(feed: string): Sample {
  const v = vary("hackernews", feed);
  return ({ empty, secondPage }) => {
    if (empty) return null;
    const first = newest - v.int("first", 0, 9000);
    const ids = Array.from({ length: 2 * listed.long }, (_, index) => first - index * 7);
    return ids
      .filter((id) => !neverListed.has(kindOf(id)))
      .slice(0, secondPage ? listed.long : listed.default);
  };
}

/** The kind of an item follows from the digits of its number. */
function kindOf(id: number): number {
  return Array.from(String(id)).reduce((sum, digit) => sum + Number(digit), 0) % 12;
}

/** Comments and poll options. */
const neverListed = new Set([1, 7]);

function item(id: number): unknown {
  const v = vary("hackernews", "item", id);
  const base = {
    id,
    by: `sample_${v.token("by", 5).replace(/\W/g, "x")}`,
    time: 1_700_000_000 + v.int("time", 0, 70_000_000),
  };
  const kids = (most: number) =>
    Array.from({ length: v.int("kids", 1, most) }, (_, index) => id + 11 + index * 3);
  const subject = v.pick("subject", subjects);
  switch (kindOf(id)) {
    case 0:
      return { ...base, type: "job", title: `Sample Works is hiring (${id})`, score: 1, url: "" };
    case 1:
      return {
        ...base,
        type: "comment",
        parent: id - 3,
        kids: kids(3),
        text: `I agree.<p>No. ${id}`,
      };
    case 2:
      return null;
    case 6:
      return {
        ...base,
        type: "poll",
        title: `Poll: tabs or spaces? (${id})`,
        text: "",
        score: v.int("score", 1, 300),
        descendants: v.int("all", 2, 90),
        kids: kids(4),
        parts: [id + 1, id + 2],
      };
    case 7:
      return { ...base, type: "pollopt", poll: id - 1, text: "Tabs", score: v.int("score", 0, 99) };
    case 8:
      return { id, time: base.time, type: "comment", parent: id - 9, dead: true, deleted: true };
    case 9:
      return { ...base, type: "story", dead: true, score: 1 };
    case 10:
      return {
        ...base,
        type: "story",
        title: `Ask HN: ${subject}?`,
        text: `What do you think of &quot;${subject}&quot;?`,
        score: v.int("score", 1, 200),
        descendants: 0,
      };
    default:
      return {
        ...base,
        type: "story",
        title: `${subject} (${id})`,
        url: `https://blog.example/${id}`,
        score: v.int("score", 1, 900),
        descendants: v.int("all", 1, 400),
        kids: kids(6),
      };
  }
}

/** Sample answers of Hacker News, written for this project. */
export const hackernews: Samples = {
  upstream: "hackernews",
  answers: {
    ...Object.fromEntries(
      ["top", "new", "best", "ask", "show", "job"].map((feed) => [
        `GET /v0/${feed}stories.json`,
        listOf(feed),
      ]),
    ),
    "GET /v0/item/{id}.json": ({ parts }) => item(Number(parts.id)),
    "GET /v0/user/{id}.json": ({ parts }) => {
      const v = vary("hackernews", "user", parts.id as string);
      return {
        id: parts.id,
        created: 1_200_000_000 + v.int("created", 0, 400_000_000),
        karma: v.int("karma", 1, 30_000),
        about: `I am ${parts.id}.<p>This is a sample.`,
        submitted: Array.from({ length: v.int("n", 3, 40) }, (_, index) => newest - index * 13),
      };
    },
    "GET /v0/maxitem.json": () => newest + 812,
    "GET /v0/updates.json": ({ empty }) => {
      const v = vary("hackernews", "updates");
      const numbers = empty ? [] : Array.from({ length: 12 }, (_, index) => index);
      return {
        items: numbers.map((index) => newest - v.int(`item${index}`, 0, 5000)),
        profiles: numbers.slice(4).map((index) => `sample_${v.token(`user${index}`, 4)}`),
      };
    },
  },
  faults: {
    not_found: { status: 404, body: { error: "404 Not Found" } },
    upstream_error: { status: 200, body: { error: "sample fault" } },
    upstream_unavailable: { status: 503, body: { error: "Service unavailable" } },
  },
};
