/**
 * The expected answer of an operation's example, as paths of its data: `[]` for the positions of a list.
 * It follows from the sample's answer; a declaration in `expectations` sharpens it.
 */
export interface Expectation {
  /** Least records. */
  atLeast: number;
  /** Members without which the operation does not work. */
  must: readonly string[];
  /** Members that usually come. */
  usual: readonly string[];
  /** Members that the sample never leaves empty. */
  filled: readonly string[];
}

interface Sharpened {
  atLeast?: number;
  must?: readonly string[];
  /** Members that many good answers lack. */
  may?: readonly string[];
}

/** Operation id, or the beginning of ids up to a dot -> expectation. */
const expectations: Readonly<Record<string, Sharpened>> = {
  "cnblog.hot_search": { atLeast: 5, must: ["[].title"] },
  "cnvideo.hot_search": { atLeast: 5 },
  "cnvideo.search": { atLeast: 3, must: ["[].title", "[].author.id"] },
  "encyclopedia.summary": { must: ["title", "summary"] },
  "encyclopedia.search": { atLeast: 5 },
  "forum.feed.popular": { atLeast: 5, must: ["[].title", "[].author.username"] },
  "forum.": { may: ["[].edit_time", "[].images", "[].flair", "images", "flair", "edit_time"] },
  "maps.search": { atLeast: 3 },
  "microblog.": { may: ["[].media", "[].urls", "[].mentions", "[].hashtags"] },
  "news_aggregator.items.get": { must: ["type", "by", "time"] },
  "news_aggregator.stories.ids": { atLeast: 10 },
  "news_aggregator.stories.items": { atLeast: 4, must: ["[].title", "[].by", "[].time"] },
  "news_aggregator.users.get": { must: ["created", "karma"], may: ["about"] },
  "papers.search": { atLeast: 5, must: ["[].title"] },
  "packages.get": { must: ["name"] },
  "photosite.": { may: ["[].location", "[].music", "[].tagged_users", "location", "music"] },
  "shortclip.search": { atLeast: 3, must: ["[].author.username", "[].create_time"] },
  "seo.serp.search": { atLeast: 5 },
  "threads.": { may: ["[].quoted_post", "[].reply_to_username", "quoted_post"] },
  "videosite.search": { atLeast: 5, must: ["[].title"] },
};

export const declaredExpectations = expectations;

/** How often a member came, among the places where it could. */
interface Presence {
  came: number;
  places: number;
  empty: number;
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** Every path of the data with its presence. */
export function presences(data: unknown): Map<string, Presence> {
  const found = new Map<string, Presence>();
  const objects = new Map<string, Record<string, unknown>[]>();

  function collect(here: unknown, path: string): void {
    if (Array.isArray(here)) {
      for (const row of here) collect(row, `${path}[]`);
    } else if (typeof here === "object" && here !== null) {
      const all = objects.get(path) ?? [];
      all.push(here as Record<string, unknown>);
      objects.set(path, all);
      for (const [name, member] of Object.entries(here))
        collect(member, path === "" ? name : `${path}.${name}`);
    }
  }

  collect(data, "");
  for (const [path, all] of objects) {
    for (const name of new Set(all.flatMap((one) => Object.keys(one)))) {
      const holders = all.filter((one) => Object.hasOwn(one, name));
      found.set(path === "" ? name : `${path}.${name}`, {
        came: holders.length,
        places: all.length,
        empty: holders.filter((one) => isEmpty(one[name])).length,
      });
    }
  }
  return found;
}

/** The expectation that follows from a sample's answer, sharpened by the declarations. */
export function expectationOf(id: string, sample: unknown): Expectation {
  const all = presences(sample);
  const declared = Object.entries(expectations)
    .filter(([start]) => id === start || (start.endsWith(".") && id.startsWith(start)))
    .map(([, one]) => one);
  const may = declared.flatMap((one) => one.may ?? []);
  const isFree = (path: string) =>
    may.some((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[]`));
  const usual = [...all].filter(([path, { came, places }]) => came === places && !isFree(path));
  return {
    atLeast: Math.max(0, ...declared.map((one) => one.atLeast ?? 0)),
    must: declared.flatMap((one) => one.must ?? []),
    usual: usual.map(([path]) => path),
    filled: usual.filter(([, { empty }]) => empty === 0).map(([path]) => path),
  };
}

/** The expectation on which both agree: samples of two inputs show which members some answers lack. */
export function commonExpectation(one: Expectation, other: Expectation): Expectation {
  // A place that only one of them has is expected as that one has it.
  const hasPlace = ({ usual }: Expectation, path: string) =>
    usual.some((known) => placeOf(known) === placeOf(path));
  const both = (paths: keyof Pick<Expectation, "usual" | "filled">) => [
    ...one[paths].filter((path) => other[paths].includes(path) || !hasPlace(other, path)),
    ...other[paths].filter((path) => !one[paths].includes(path) && !hasPlace(one, path)),
  ];
  return { ...one, usual: both("usual"), filled: both("filled") };
}

export interface Differences {
  /** Members that must come and never came. */
  lost: string[];
  /** Members that usually come and never came, although their place came. */
  missing: string[];
  /** Members that came empty everywhere. */
  emptied: string[];
}

/** Path of the object that has the member; a member of the data itself has "". */
const placeOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf(".")));

/** The differences of an answer from its expectation. A member within a missing one is not named again. */
export function differences(expected: Expectation, data: unknown): Differences {
  const all = presences(data);
  const places = new Set([...all.keys()].map(placeOf));
  const isMissing = (path: string) => places.has(placeOf(path)) && !all.has(path);
  const lost = expected.must.filter((path) => !all.has(path));
  return {
    lost,
    missing: expected.usual.filter((path) => isMissing(path) && !lost.includes(path)),
    emptied: expected.filled.filter((path) => {
      const { came = 0, empty = 0 } = all.get(path) ?? {};
      return came > 0 && came === empty;
    }),
  };
}
