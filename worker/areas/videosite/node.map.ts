import type { VideositeAuthor } from "../../../contract/areas/videosite/records.ts";
import {
  type Wire,
  ShapeError,
  array,
  at,
  defined as definedMembers,
  each,
  integer,
  object,
  text,
} from "#wire";

/** Readers for the site's pages: trees of nodes, each an object with one key that names its kind. */
export interface Node {
  kind: string;
  value: Wire;
}

export function nodeOf(entry: unknown): Node | undefined {
  const found = Object.entries(object(entry) ?? {}).find(
    ([key, value]) => /(Renderer|ViewModel)$/.test(key) && object(value),
  );
  return found && { kind: found[0], value: found[1] as Wire };
}

/** Text in one of its three forms. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return text(value);
  const runs = array(at(value, "runs"));
  return (
    text(at(value, "simpleText")) ??
    text(at(value, "content")) ??
    (runs && text(each(runs, (run) => text(at(run, "text"))).join("")))
  );
}

const scales: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9 };

/** "1,545,374 views", "895k views", "1.2K", "No views"; a text without a number is unknown, not 0. */
export function countOf(value: unknown): number | undefined {
  const plain = textOf(value)
    ?.slice(0, 200)
    .replace(/[,\s]/g, (sign) => (sign === "," ? "" : " "));
  if (plain === undefined) return undefined;
  if (/^no\b/i.test(plain)) return 0;
  const found = /(\d{1,15}(?:\.\d{1,3})?) ?(?:([kmb])\b)?/i.exec(plain);
  if (!found) return undefined;
  const scaled = Math.round(Number(found[1]) * (scales[found[2]?.toLowerCase() ?? ""] ?? 1));
  return Number.isSafeInteger(scaled) ? scaled : undefined;
}

/** Views; a live stream shows its number of viewers instead. */
export function viewsOf(value: unknown): number | undefined {
  const shown = textOf(value);
  return shown && /\bviews?\b/i.test(shown) ? countOf(shown) : undefined;
}

/** "1:07:34" in seconds. */
export function secondsOf(value: unknown): number | undefined {
  const shown = textOf(value);
  if (!shown || !/^\d{1,4}(:\d{2}){1,3}$/.test(shown)) return undefined;
  return shown.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
}

/** The largest picture of a list, with a scheme. */
export function imageOf(sources: unknown): string | undefined {
  let best: { url: string; width: number } | undefined;
  for (const source of array(sources) ?? []) {
    const url = text(at(source, "url"));
    const width = integer(at(source, "width")) ?? 0;
    if (url && (!best || width > best.width)) best = { url, width };
  }
  return best && absolute(best.url);
}

/** The round picture of a header or a card. */
export function roundPicture(holder: unknown): unknown {
  const picture = at(holder, "image", "decoratedAvatarViewModel", "avatar", "avatarViewModel");
  return at(picture, "image", "sources");
}

export function absolute(url: string): string {
  return url.startsWith("//") ? `https:${url}` : url;
}

/** Handle without "@" of an address like "/@name". */
export function handleOf(url: unknown): string | undefined {
  const found = /\/@([^/?#&]{1,300})/.exec(text(url)?.slice(0, 600) ?? "")?.[1];
  // Unlike decodeURIComponent this does not throw on a stray percent sign.
  return text(new URLSearchParams(`name=${found ?? ""}`).get("name"));
}

/** A channel from an endpoint and its displayed name; undefined when both are unknown. */
export function authorOf(
  endpoint: unknown,
  name: unknown,
  avatar: unknown,
): VideositeAuthor | undefined {
  const browse = at(endpoint, "browseEndpoint");
  const channel = text(at(browse, "browseId"));
  return orNothing({
    id: channel && isChannelId(channel) ? channel : undefined,
    username: handleOf(at(browse, "canonicalBaseUrl")),
    display_name: textOf(name),
    avatar_url: imageOf(avatar),
  });
}

export function isChannelId(value: string): boolean {
  return /^UC[A-Za-z0-9_-]{22}$/.test(value);
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** The record without its undefined members. */
export function defined<T extends object>(record: T): Defined<T> {
  return definedMembers(record) as object as Defined<T>;
}

/** Like `defined`, and undefined itself when no member is left. */
export function orNothing<T extends object>(record: T): Defined<T> | undefined {
  const left = defined(record);
  return Object.keys(left).length > 0 ? left : undefined;
}

/** One page of a list: its rows, and the token of the next page. */
export interface Listing {
  entries: unknown[];
  token: string | undefined;
  /** True where the rows include a continuation, even if its token could not be read. */
  more: boolean;
}

/**
 * The rows of an answer, anywhere in its page. The token is the one among the rows: others belong to
 * panels of the page. Undefined where the answer has no list.
 */
export function listing(body: unknown, options: { shelves?: boolean } = {}): Listing | undefined {
  const list = continued(body) ?? contentsOf(body);
  if (!list) return undefined;
  const found: Listing = { entries: [], token: undefined, more: false };
  flatten(list, found, options.shelves ?? false);
  return found;
}

function continued(body: unknown): unknown[] | undefined {
  const actions = [
    "onResponseReceivedActions",
    "onResponseReceivedCommands",
    "onResponseReceivedEndpoints",
  ]
    .flatMap((key) => array(at(body, key)) ?? [])
    .map(
      (action) =>
        at(action, "appendContinuationItemsAction") ?? at(action, "reloadContinuationItemsCommand"),
    )
    .filter((action) => array(at(action, "continuationItems")));
  if (actions.length === 0) return undefined;
  return actions
    .filter((action) => at(action, "slot") !== "RELOAD_CONTINUATION_SLOT_HEADER")
    .flatMap((action) => array(at(action, "continuationItems")) ?? []);
}

function contentsOf(body: unknown): readonly unknown[] | undefined {
  const contents = at(body, "contents");
  const content = at(selectedTab(body), "content");
  return (
    array(at(content, "richGridRenderer", "contents")) ??
    array(at(content, "sectionListRenderer", "contents")) ??
    array(
      at(
        contents,
        "twoColumnSearchResultsRenderer",
        "primaryContents",
        "sectionListRenderer",
        "contents",
      ),
    ) ??
    array(
      at(contents, "twoColumnWatchNextResults", "secondaryResults", "secondaryResults", "results"),
    )
  );
}

/** The tab that a browse answer shows. */
export function selectedTab(body: unknown): unknown {
  return (array(at(body, "contents", "twoColumnBrowseResultsRenderer", "tabs")) ?? [])
    .map((tab) => at(tab, "tabRenderer") ?? at(tab, "expandableTabRenderer"))
    .find((tab) => at(tab, "selected") === true);
}

/** Keys under which wrapper nodes keep rows. */
const wrappers: Readonly<Record<string, string>> = {
  richItemRenderer: "content",
  itemSectionRenderer: "contents",
  sectionListRenderer: "contents",
  gridRenderer: "items",
  playlistVideoListRenderer: "contents",
  backstagePostThreadRenderer: "post",
};
const shelfWrappers: Readonly<Record<string, string>> = {
  shelfRenderer: "content",
  verticalListRenderer: "items",
  horizontalListRenderer: "items",
  expandedShelfContentsRenderer: "items",
};
const deepest = 8;

function flatten(list: readonly unknown[], into: Listing, shelves: boolean, depth = 0): void {
  for (const entry of list) {
    const node = nodeOf(entry);
    if (node && /^continuationItem(Renderer|ViewModel)$/.test(node.kind)) {
      into.token = tokenOf(node.value) ?? into.token;
      into.more = true;
      continue;
    }
    const inside =
      node && (wrappers[node.kind] ?? (shelves ? shelfWrappers[node.kind] : undefined));
    const inner = inside && node.value[inside];
    if (inner === undefined || depth === deepest) into.entries.push(entry);
    else flatten(array(inner) ?? [inner], into, shelves, depth + 1);
  }
}

export function tokenOf(continuation: unknown): string | undefined {
  return (
    text(at(continuation, "continuationEndpoint", "continuationCommand", "token")) ??
    text(at(continuation, "button", "buttonRenderer", "command", "continuationCommand", "token")) ??
    text(
      at(continuation, "continuationCommand", "innertubeCommand", "continuationCommand", "token"),
    )
  );
}

/** Nodes among the rows that are not rows of any list. */
const decoration =
  /^(ad|promoted|searchPyv|message|shelf|richSection|richShelf|reelShelf|gridShelf|horizontalCardList|horizontalList|didYouMean|showingResultsFor|includingResultsFor|radio|compactRadio|gridRadio|show|gridShow|movie|gridMovie|compactMovie|infoPanel|clarification|emergencyOnebox|universalWatchCard|secondarySearchContainer|backgroundPromo|channelAgeGate|chipCloud|chipBar|feedFilter|relatedChipCloud|channelVideoPlayer|channelFeaturedContent|recognitionShelf|post|hashtagTile|notice|commentsHeader|merchandise|statement|brandVideo)/;

/** Skips a node of a known kind that is no row of this list; an unknown kind means that the page has changed. */
export function passOver(node: Node | undefined): undefined {
  const known = node && (decoration.test(node.kind) || rowKinds.has(node.kind));
  if (!known) throw new ShapeError(node?.kind.slice(0, 60) ?? "row");
}

/** Kinds that are rows of some list. */
const rowKinds = new Set([
  "videoRenderer",
  "gridVideoRenderer",
  "compactVideoRenderer",
  "playlistVideoRenderer",
  "reelItemRenderer",
  "shortsLockupViewModel",
  "lockupViewModel",
  "playlistRenderer",
  "gridPlaylistRenderer",
  "compactPlaylistRenderer",
  "channelRenderer",
  "gridChannelRenderer",
  "backstagePostRenderer",
  "sharedPostRenderer",
  "commentThreadRenderer",
  "commentViewModel",
]);

/** The parts of a card's metadata rows, in order, empty ones left out. */
export interface Part {
  text: string;
  /** Target of a click. */
  endpoint: unknown;
}

export function partsOf(contentMetadata: unknown): Part[] {
  return each(at(contentMetadata, "contentMetadataViewModel", "metadataRows"), (row) =>
    array(at(row, "metadataParts")),
  )
    .flat()
    .map((part) => at(part, "text") ?? at(part, "avatarStack", "avatarStackViewModel", "text"))
    .flatMap((part) => {
      const shown = textOf(part);
      const endpoint = at(part, "commandRuns", 0, "onTap", "innertubeCommand");
      return shown ? [{ text: shown, endpoint }] : [];
    });
}

/** True for a part with a link to a channel. */
export function leadsToChannel(part: Part): boolean {
  const id = text(at(part.endpoint, "browseEndpoint", "browseId"));
  return id !== undefined && isChannelId(id);
}
