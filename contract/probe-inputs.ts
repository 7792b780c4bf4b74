/**
 * Inputs with which `gateway verify` calls operations at their live upstreams. An operation is called with its
 * own example; the fields that the example fills with made-up values (ids, names) get a value from here: a
 * well-known public one, or one that an earlier answer of the same area delivered.
 */

/** A fixed value, or a value of another operation's answer. */
export type Live =
  | { value: unknown }
  | {
      /** The operation whose answer has the value. */
      of: string;
      /** Path of the rows in its data; "" where the data is the list. */
      rows: string;
      /** Path of the value in a row, or a text with `{path}` in it. */
      take: string;
      /** The row with the largest such member comes first. */
      richest?: string | undefined;
      /** A list of this many values, one of each row. */
      several?: number | undefined;
    };

type Take = { rows?: string; richest?: string; several?: number };

const value = (fixed: unknown): Live => ({ value: fixed });
const from = (of: string, take: string, { rows = "", richest, several }: Take = {}): Live => ({
  of,
  rows,
  take,
  richest,
  several,
});

const lodash = "pkg:npm/lodash@4.17.15";
const shortclipUrl = "https://www.tiktok.com/@{author.username}/video/{id}";
const commented = { richest: "comment_count" };

/** Beginning of operation ids -> input field -> value. A longer beginning goes before a shorter one. */
const inputs: Readonly<Record<string, Readonly<Record<string, Live>>>> = {
  "archive.items.": { id: value("nasa") },
  "cnblog.": {
    uid: value("2803301701"),
    id: from("cnblog.users.posts", "id", commented),
  },
  "cnvideo.": {
    uid: from("cnvideo.search", "author.id"),
    bv_id: from("cnvideo.search", "id"),
  },
  "cnvideo.dynamics.": { id: from("cnvideo.users.dynamic", "id") },
  "code.": {
    repository: value("octocat/Hello-World"),
    username: value("octocat"),
    organization: value("github"),
    number: from("code.issues.list", "number"),
  },
  "code.releases": { repository: value("nodejs/node") },
  "code.contents": { repository: value("nodejs/node"), path: value("doc") },
  "code.file": { repository: value("nodejs/node"), path: value("README.md") },
  "code.languages": { repository: value("nodejs/node") },
  "encyclopedia.": { title: value("Lighthouse") },
  "encyclopedia.entities.get": { id: value("Q42") },
  "food.products.": { barcode: value("3017620422003") },
  "finance.coins.": {
    q: value("bitcoin"),
    coin_id: value("bitcoin"),
    coin_ids: value(["bitcoin", "ethereum"]),
  },
  "forum.": {
    username: from("forum.feed.popular", "author.username", commented),
    subreddit_name: value("Breadit"),
    post_id: from("forum.feed.popular", "id", commented),
    comment_id: from("forum.posts.comments", "id", { richest: "reply_count" }),
    ids: from("forum.feed.popular", "id", { several: 3 }),
  },
  "government.": { q: value("bridge"), drug: value("aspirin"), device: value("pump") },
  "government.awards.get": { award_id: from("government.awards.search", "award_id") },
  "government.recipients.get": {
    recipient_id: from("government.recipients.search", "recipient_id"),
  },
  "government.members.": { bioguide_id: value("L000174") },
  "government.documents.get": {
    document_number: from("government.documents.search", "document_number"),
  },
  "hotels.": {
    hotel_identifier: from("hotels.search", "hotel_identifier", { rows: "results" }),
  },
  "library.books.": { id: from("library.books.search", "id", { richest: "edition_count" }) },
  "library.editions.": { id: from("library.books.editions", "id") },
  "library.authors.": { id: from("library.authors.search", "id", { richest: "book_count" }) },
  "library.authors.search": { q: value("Virginia Woolf") },
  "library.ebooks.get": { id: value("84") },
  "media.videos.embed": { url: value("https://www.youtube.com/watch?v=jNQXAC9IVRw") },
  "media.artists.": { id: from("media.artists.search", "id") },
  "media.artists.search": { q: value("Nina Simone") },
  "media.release_groups.": { id: from("media.artists.release_groups", "id") },
  "media.releases.": { id: from("media.releases.search", "id") },
  "media.recordings.": { id: from("media.recordings.search", "id") },
  "media.apps.": { id: from("media.apps.search", "id", { richest: "rating_count" }) },
  "media.podcasts.": { id: from("media.podcasts.search", "id", { richest: "episode_count" }) },
  "job_boards.": { board: value("stripe"), q: value("engineer") },
  "job_boards.postings.list": { board: value("leverdemo") },
  "job_boards.postings.get": { id: from("job_boards.departments.list", "posting_ids.0") },
  "microblog.posts.": {
    id: from("microblog.posts.search_recent", "id", { richest: "reply_count" }),
    ids: from("microblog.posts.search_recent", "id", { several: 3 }),
  },
  "microblog.posts.article": {
    id: from("microblog.posts.search_recent", "id", { richest: "has_article" }),
  },
  "microblog.users.": {
    id: from("microblog.posts.search_recent", "author.id"),
    ids: from("microblog.posts.search_recent", "author.id", { several: 3 }),
    username: value("nasa"),
    usernames: value(["nasa", "esa"]),
  },
  "microblog.communities.": {
    id: from("microblog.communities.search", "id", { richest: "member_count" }),
    q: value("art"),
  },
  "microblog.lists.": { id: from("microblog.lists.search", "id", { richest: "follower_count" }) },
  "microblog.lists.search": { q: value("science") },
  "microblog.friendships.": {
    source_screen_name: value("nasa"),
    target_screen_name: value("esa"),
  },
  "models.": { name: from("models.search", "id") },
  "models.search": { query: value("bert") },
  "models.datasets.": { query: value("news") },
  "models.datasets.get": { name: from("models.datasets.search", "id") },
  "nature.species.": { id: value("2433451"), name: value("Ursus maritimus") },
  "nature.occurrences.": {
    species_id: value("2433451"),
    id: from("nature.occurrences.search", "id"),
  },
  "nature.observations.": {
    taxon: value("Ursus maritimus"),
    id: from("nature.observations.search", "id"),
  },
  "news_aggregator.items.": { id: value("8863") },
  "news_aggregator.users.": { id: value("jl") },
  "open_social.": {
    username: value("bsky.app"),
    id: from("open_social.users.posts", "id", { richest: "reply_count" }),
    query: value("science"),
    hashtag: value("photography"),
  },
  "packages.": { name: value("lodash"), version: value("4.17.15") },
  "packages.dependencies": { name: value("express"), version: value("4.18.2") },
  "packages.end_of_life": { product: value("python") },
  "papers.works.": { id: value("10.1038/nature12373") },
  "papers.": {
    doi: value("10.1038/nature12373"),
    issn: from("papers.journals.search", "issns.0", { richest: "work_count" }),
    funder_id: from("papers.funders.search", "funder_id"),
  },
  "papers.datasets.": { id: from("papers.datasets.search", "id") },
  "photosite.": {
    username: value("natgeo"),
    user_id: from("photosite.search.users", "id"),
    shortcode: from("photosite.hashtags.posts", "shortcode", commented),
    media_id: from("photosite.hashtags.posts", "media_id", commented),
    url: from("photosite.hashtags.posts", "https://www.instagram.com/p/{shortcode}/", commented),
    commentId: from("photosite.posts.comments", "id", { richest: "reply_count" }),
    cityId: from("photosite.countries.cities", "id"),
  },
  "photosite.locations.": { id: from("photosite.locations.search", "id") },
  "photosite.explore.": { id: from("photosite.explore", "id") },
  "professional_network.": {
    public_identifier: value("williamhgates"),
    universal_name: value("microsoft"),
    post_id: from("professional_network.companies.posts", "id", commented),
  },
  "questions.": { id: value("11227809") },
  "questions.users.get": { id: value("1") },
  "security.": { purl: value(lodash), purls: value([lodash]), domain: value("example.com") },
  "security.advisories.get": { id: from("security.advisories.by_package", "id") },
  "security.addresses.": { address: value("8.8.8.8") },
  "security.dns.": { name: value("www.example.com") },
  "shortclip.": {
    username: value("tiktok"),
    video_id: from("shortclip.search", "id", commented),
    ids: from("shortclip.search", "id", { several: 3 }),
    url: from("shortclip.search", shortclipUrl, commented),
    comment_id: from("shortclip.videos.comments", "id", { richest: "reply_count" }),
    music_id: from("shortclip.search.music", "id", { richest: "user_count" }),
    room_id: from("shortclip.search.live", "id", { richest: "viewer_count" }),
  },
  "shortclip.users.live": {
    username: from("shortclip.search.live", "owner.username", { richest: "viewer_count" }),
  },
  "threads.": {
    username: value("zuck"),
    post_id: from("threads.search.top", "id", { richest: "reply_count" }),
  },
  "videosite.": {
    video_id: from("videosite.search", "id", { richest: "view_count" }),
    channel_id: from("videosite.search.channels", "id", { richest: "subscriber_count" }),
    playlist_id: from("videosite.search.playlists", "id", { richest: "video_count" }),
    url: from("videosite.search.channels", "https://www.youtube.com/channel/{id}"),
  },
  "web.feed": { url: value("https://www.rfc-editor.org/rfcrss.xml") },
  "web.map": { url: value("https://www.sitemaps.org/") },
  "web.robots": { url: value("https://en.wikipedia.org/wiki/Lighthouse") },
};

/** The fields of an operation's example that verify replaces. */
export function liveInput(id: string, example: object): Map<string, Live> {
  const beginnings = Object.keys(inputs)
    .filter((start) => id.startsWith(start))
    .toSorted((one, other) => one.length - other.length);
  const found = new Map<string, Live>();
  for (const start of beginnings) {
    for (const [name, live] of Object.entries(inputs[start] ?? {}))
      if (Object.hasOwn(example, name)) found.set(name, live);
  }
  return found;
}

/** Every beginning with its fields, for tests. */
export const allLiveInputs = inputs;

const member = (row: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (here, name) =>
        typeof here === "object" && here !== null
          ? (here as Record<string, unknown>)[name]
          : undefined,
      row,
    );

function taken(row: unknown, take: string): unknown {
  if (!take.includes("{")) return member(row, take);
  const names = [...take.matchAll(/\{([\w.]+)\}/g)].map(([, name = ""]) => name);
  if (names.some((name) => member(row, name) === undefined)) return undefined;
  return take.replace(/\{([\w.]+)\}/g, (_, name: string) => String(member(row, name)));
}

/** The value of a live input; undefined where the answer has none. */
export function liveValue(live: Live, answerOf: (operation: string) => unknown): unknown {
  if ("value" in live) return live.value;
  const data = answerOf(live.of);
  const rows = live.rows === "" ? data : member(data, live.rows);
  if (!Array.isArray(rows)) return undefined;
  const { richest, take, several } = live;
  const size = (row: unknown) => Number(richest === undefined ? 0 : (member(row, richest) ?? 0));
  const values = (richest === undefined ? rows : rows.toSorted((a, b) => size(b) - size(a)))
    .map((row) => taken(row, take))
    .filter((one) => one !== undefined);
  if (several !== undefined) return values.length > 0 ? values.slice(0, several) : undefined;
  return values[0];
}
