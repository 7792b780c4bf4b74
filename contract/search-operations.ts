import { crawlOperations, withCrawls } from "./crawl-operations.ts";
import { areas } from "./index.ts";
import { distance } from "./field-selection.ts";
import type { Area, Operation } from "./operation.ts";

/** Full-text search (BM25) over operations, for callers who do not know the catalogue's names. */

/** Names that people use for the platform behind an area, and common words for its content. */
const areaWords: Readonly<Record<string, string>> = {
  browser: "web website webpage page site url address browser render scrape crawl read open",
  cnblog: "weibo chinese china microblog tweet",
  cnvideo: "bilibili chinese china video",
  events:
    "concert show gig festival match game sports theatre ticket ticketmaster happening weekend",
  forum: "reddit redditor subreddit thread upvote karma discussion",
  geo: "ai chatgpt gemini llm chatbot assistant answer generative brand cited citation visibility",
  hotels: "hotel accommodation stay room night booking amenity",
  local: "near nearby business shop plumber dentist phone number local",
  maps: "map place restaurant cafe opening hours address direction near",
  microblog: "twitter tweet x retweet",
  news: "news headline article press story today",
  "news-aggregator": "hacker hackernews ycombinator hn tech startup",
  photosite: "instagram insta ig photo picture influencer",
  "professional-network": "linkedin employee job career recruiter business",
  seo: "google rank ranking backlink keyword site website domain",
  shortclip: "tiktok douyin short clip sound creator",
  threads: "threads meta",
  videosite: "youtube channel video subscriber",
};

/** Unambiguous platform names: a question with one of them is about that area. */
const names: Readonly<Record<string, string>> = {
  weibo: "cnblog",
  bilibili: "cnvideo",
  ticketmaster: "events",
  reddit: "forum",
  subreddit: "forum",
  redditor: "forum",
  chatgpt: "geo",
  gemini: "geo",
  perplexity: "geo",
  llm: "geo",
  ai: "geo",
  hotel: "hotels",
  twitter: "microblog",
  tweet: "microblog",
  retweet: "microblog",
  x: "microblog",
  hn: "news-aggregator",
  hacker: "news-aggregator",
  hackernews: "news-aggregator",
  instagram: "photosite",
  insta: "photosite",
  ig: "photosite",
  linkedin: "professional-network",
  backlink: "seo",
  seo: "seo",
  tiktok: "shortclip",
  douyin: "shortclip",
  thread: "threads",
  youtube: "videosite",
  yt: "videosite",
};
/** Factor on the score of operations outside the named area. */
const otherAreaFactor = 0.4;

/** Synonyms: a caller's word, and the catalogue's words for the same thing. */
const sameAs: Readonly<Record<string, string>> = {
  tweet: "post microblog",
  retweet: "repost reposted microblog",
  retweeted: "repost reposted microblog",
  quote: "quote",
  thread: "post",
  subreddit: "community forum",
  redditor: "post forum",
  screenshot: "screenshot",
  picture: "screenshot photo file",
  image: "screenshot photo file",
  html: "rendered html",
  profile: "user get one handle",
  account: "user",
  creator: "user channel",
  influencer: "user",
  person: "user",
  people: "user",
  member: "member",
  karma: "user",
  subtitle: "caption transcript",
  transcript: "transcript spoken",
  lyrics: "transcript",
  sound: "music sound song",
  song: "music song",
  livestream: "live",
  stream: "live",
  subscriber: "channel follower",
  trending: "trend trending popular hot",
  trend: "trend trending popular hot",
  viral: "trending popular",
  popular: "popular trending",
  headline: "news",
  visitor: "traffic",
  visit: "traffic",
  authority: "rank",
  spam: "spam",
  link: "link backlink",
  linking: "link backlink",
  cite: "link source",
  cited: "linked cites",
  citation: "linked cites",
  mention: "mention",
  mentioned: "mention",
  hard: "difficulty",
  difficult: "difficulty",
  easy: "difficulty",
  competition: "difficulty",
  informational: "intent",
  transactional: "intent",
  commercial: "intent",
  volume: "volume figure",
  cpc: "figure overview",
  cost: "figure overview",
  click: "figure overview",
  seasonality: "month history",
  month: "month history",
  monthly: "month history",
  year: "month history",
  past: "history",
  growth: "history time",
  autocomplete: "autocomplete suggest",
  suggestion: "suggest suggestion",
  containing: "contain suggestion",
  contain: "contain suggestion",
  idea: "idea fit",
  opening: "hour open job",
  vacancy: "job",
  job: "job",
  staff: "company",
  employee: "company",
  firm: "company",
  organisation: "company",
  organization: "company",
  brand: "target mention",
  competitor: "competitor",
  upload: "video",
  uploaded: "video",
  clip: "video",
  written: "comment",
  writing: "comment",
  wrote: "comment",
  follow: "follow follower following",
  fan: "fan follower",
  translate: "translation language",
  download: "download file link",
  ticket: "ticket event",
  venue: "event",
  review: "review",
  nearby: "near nearby",
  similar: "similar like",
  compare: "several side group",
  whether: "whether",
  mutual: "whether friendship",
  place: "place location",
  spot: "place location",
  city: "city place",
  photo: "post photo",
  share: "post repost",
  shared: "post repost",
  recommended: "recommended related beside",
  recommend: "mention recommended",
  product: "target mention",
  prompt: "answer",
  answer: "answer",
  thousand: "bulk batch up",
  hundred: "bulk batch up",
  id: "id number",
  numeric: "number id",
  handle: "handle username",
  username: "handle username",
  old: "former history",
  previous: "former history",
  many: "batch up",
  several: "batch several",
  multiple: "batch",
  bulk: "batch bulk up",
  latest: "newest recent",
  newest: "newest recent",
  recent: "recent newest",
  best: "relevant top",
  top: "top popular",
  under: "on",
  inside: "of",
  find: "search",
  look: "get search",
  about: "search query keyword",
};

/** Search words that an operation's summary lacks, by the end of its id. */
const extraWords: readonly (readonly [end: string, words: string])[] = [
  ["users.get", "profile bio account person follower number karma"],
  ["users.get_by_username", "profile bio account person follower number"],
  ["channels.get", "profile subscriber number account"],
  ["companies.get", "profile employee size firm"],
  [".search", "find topic about"],
  [".search.users", "find account name profile"],
  ["search.profiles", "find account name profile"],
  ["friendships.show", "does mutual relationship"],
  ["playlists.videos", "song content item"],
  ["locations.posts", "photo taken picture place"],
  ["hashtags.posts", "photo picture"],
  ["lists.posts", "tweet account member"],
  ["bulk_ranks", "domain authority rating list site"],
  ["bulk_traffic", "visitor visit"],
  ["competitors.domain", "who competitor google"],
  ["ranked_keywords", "which keyword competitor position"],
  ["stories.items", "top new best frontpage"],
  ["posts.download", "picture video file save"],
  ["videos.transcript", "subtitle text said"],
];

const stopWords = new Set(
  "a an and are as at be been by can do does for from get give has have he her his how i in into is it its me my of on one or over show some tell that the their there they this to turn up us use was we were what when where which who whom whose will with you your all find data".split(
    " ",
  ),
);

/** Cuts plural endings, the same way in questions and in descriptions. */
function stem(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (word.length > 3 && word.endsWith("s") && !/(ss|us|is|news)$/.test(word)) {
    return word.slice(0, -1);
  }
  return word;
}

const words = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map(stem);

interface Entry {
  op: Operation;
  weights: Map<string, number>;
  /** Number of words in id and summary: of two equal matches the shorter one ranks higher. */
  length: number;
}
const averageLength = 7;

/** A match; `score` is comparable within one search only. */
export interface Found {
  operation: Operation;
  score: number;
}

let find: ReturnType<typeof finder> | undefined;
let findCallable: typeof find;

/** Operations that match a question in plain words, best first. The first call builds the index. */
export function findOperations(question: string, most = 10): Found[] {
  return (find ??= finder(areas))(question, most);
}

/** The same with `web.crawl`, which agents and the command line call like an operation. */
export function findCallables(question: string, most = 10): Found[] {
  return (findCallable ??= finder(withCrawls(areas)))(question, most);
}

function finder(searched: readonly Area[]) {
  const entries = searched.flatMap(({ summary, operations }) =>
    operations.map((op) => entryOf(op, summary)),
  );
  const seenIn = new Map<string, number>();
  for (const { weights } of entries) {
    for (const word of weights.keys()) seenIn.set(word, (seenIn.get(word) ?? 0) + 1);
  }
  // Inverse document frequency: a rare word weighs more than a common one.
  const rarity = (word: string) => {
    const count = seenIn.get(word) ?? 0;
    return count === 0 ? 0 : Math.log(1 + (entries.length - count + 0.5) / (count + 0.5));
  };

  return (question: string, most: number): Found[] => {
    const questionWords = words(question);
    const queryWeights = new Map<string, number>();
    for (const word of questionWords) {
      if (!stopWords.has(word)) queryWeights.set(word, 1);
      for (const other of words(Object.hasOwn(sameAs, word) ? (sameAs[word] as string) : "")) {
        if (!queryWeights.has(other)) queryWeights.set(other, 0.6);
      }
    }
    // A number of items suggests the bulk operations.
    if (/\b\d{2,4}\b/.test(question)) {
      for (const word of ["bulk", "batch"]) queryWeights.set(word, 0.6);
    }
    const named = new Set(
      questionWords.flatMap((word) => (Object.hasOwn(names, word) ? [names[word]] : [])),
    );
    // Words of no operation find none.
    const worthOfWords = [...queryWeights].flatMap(([word, weight]) => {
      const worth = weight * rarity(word);
      return worth > 0 ? [[word, worth] as const] : [];
    });
    return entries
      .map(({ op, weights, length }) => {
        const saturation = 1.2 * (0.95 + (0.05 * length) / averageLength);
        let score = named.has(op.area) ? 0.01 : 0;
        for (const [word, worth] of worthOfWords) {
          const own = weights.get(word) ?? 0;
          score += worth * ((own * 2.2) / (own + saturation));
        }
        const isElsewhere = named.size > 0 && !named.has(op.area);
        return { operation: op, score: isElsewhere ? score * otherAreaFactor : score };
      })
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score)
      .slice(0, most);
  };
}

function entryOf(op: Operation, areaSummary: string): Entry {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number) => {
    // Each word counts once, so a long text gains nothing by repeating it.
    const found = words(text).filter((word) => !stopWords.has(word));
    for (const word of new Set(found)) {
      weights.set(word, Math.max(weights.get(word) ?? 0, weight));
    }
  };
  add(areaSummary, 0.2);
  add(Object.keys(op.input.shape).join(" "), 0.3);
  add(op.description ?? "", 0.6);
  add(areaWords[op.area] ?? "", 1.5);
  for (const [end, more] of extraWords) if (op.id.endsWith(end)) add(more, 1.5);
  add(op.summary, 2);
  add(op.id, 2);
  const length = new Set([...words(op.id), ...words(op.summary)]).size;
  return { op, weights, length };
}

/** Words by which people look for an operation, and that its id and summary lack. */
export const searchWordsOf = (op: Pick<Operation, "id" | "area">): string =>
  [
    areaWords[op.area] ?? "",
    ...extraWords.flatMap(([end, more]) => (op.id.endsWith(end) ? [more] : [])),
  ].join(" ");

const mostNear = 3;
/** Longer names are compared by their words only, so that a caller cannot choose how much time this takes. */
const longestMisspelt = 60;

/** Ids that differ from a name in a few letters, the closest first. */
function misspelt(name: string): string[] {
  if (name.length > longestMisspelt) return [];
  const mostApart = Math.min(4, Math.floor(name.length / 3));
  return areas
    .flatMap(({ operations }) => operations.map(({ id }) => id))
    .filter((id) => Math.abs(id.length - name.length) <= mostApart)
    .map((id) => ({ id, far: distance(name, id) }))
    .filter(({ far }) => far <= mostApart)
    .toSorted((one, other) => one.far - other.far)
    .map(({ id }) => id);
}

/** Existing ids close to an unknown one: by letters, then by words. The id is cut, so that a long one costs no more time. */
export function nearOperations(id: string): string[] {
  const byWords = findOperations(id.slice(0, 100).replace(/[._]/g, " "), mostNear);
  const near = [...misspelt(id), ...byWords.map(({ operation }) => operation.id)];
  return [...new Set(near)].slice(0, mostNear);
}

/** Why a name is no operation's, with the nearest ids, for callers. */
export function noSuchOperation(id: string): string {
  const crawl = crawlOperations.get(id);
  if (crawl) {
    const { method, path } = crawl;
    const does = id === "web.crawl" ? "starts a crawl" : "is its request";
    return `crawls run in the background by themselves: ${method} ${path} ${does}`;
  }
  const near = nearOperations(id);
  return `no operation has this id${near.length > 0 ? `; the nearest are ${near.join(", ")}` : ""}`;
}
