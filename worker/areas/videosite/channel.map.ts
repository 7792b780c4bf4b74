import type {
  VideositeAuthor,
  VideositeChannel,
  VideositeListedChannel,
  VideositeListedPlaylist,
  VideositePlaylist,
} from "../../../contract/areas/videosite/records.ts";
import { type Wire, ShapeError, array, at, boolean, each, need, object, text } from "#wire";
import {
  type Part,
  authorOf,
  countOf,
  defined,
  handleOf,
  imageOf,
  leadsToChannel,
  listing,
  nodeOf,
  partsOf,
  passOver,
  roundPicture,
  selectedTab,
  textOf,
  tokenOf,
  viewsOf,
} from "./node.map.ts";
import { lockupBadges } from "./video.map.ts";

const channelUrl = (id: string) => `https://www.youtube.com/channel/${id}`;

/** A channel's profile from its page and, where available, its About panel. */
export function channel(body: unknown, about: unknown): VideositeChannel {
  const metadata = object(at(body, "metadata", "channelMetadataRenderer"));
  const header = headerOf(body);
  const gate = ageGate(body);
  const panel = aboutOf(about);
  const id = text(metadata?.externalId) ?? text(panel?.channelId);
  const parts = partsOf(header?.metadata);
  const part = (rule: RegExp) =>
    parts.map(({ text: shown }) => shown).find((shown) => rule.test(shown));
  const title = at(header, "title", "dynamicTextViewModel");
  const label = text(at(title, "rendererContext", "accessibilityContext", "label"));
  const links = each(panel?.links, (link) => linkOf(at(link, "channelExternalLinkViewModel")));
  return defined({
    id: need(id, "metadata.channelMetadataRenderer.externalId"),
    title: text(metadata?.title) ?? textOf(at(title, "text")) ?? textOf(gate?.channelTitle),
    url: channelUrl(id as string),
    username:
      part(/^@/)?.slice(1) ??
      handleOf(metadata?.vanityChannelUrl) ??
      handleOf(panel?.canonicalChannelUrl),
    avatar_url:
      imageOf(at(metadata, "avatar", "thumbnails")) ??
      imageOf(roundPicture(header)) ??
      imageOf(at(gate, "avatar", "thumbnails")),
    description: text(metadata?.description) ?? text(panel?.description),
    banner_url: imageOf(at(header, "banner", "imageBannerViewModel", "image", "sources")),
    subscriber_count: countOf(part(/\bsubscribers?$/i)) ?? countOf(panel?.subscriberCountText),
    video_count: countOf(panel?.videoCountText) ?? countOf(part(/\bvideos?$/i)),
    view_count: viewsOf(panel?.viewCountText),
    create_time: joinedAt(panel?.joinedDateText),
    country: text(panel?.country),
    links: links.length > 0 ? links : undefined,
    keywords: keywordsOf(metadata?.keywords),
    is_verified: label === undefined ? undefined : /, verified$/i.test(label),
    is_family_safe: boolean(metadata?.isFamilySafe),
  });
}

/** Token of the About panel: the header's only continuations lead there. */
export function aboutToken(body: unknown): string | undefined {
  const header = headerOf(body);
  const taps = [
    at(
      header,
      "description",
      "descriptionPreviewViewModel",
      "rendererContext",
      "commandContext",
      "onTap",
    ),
    at(header, "attribution", "attributionViewModel", "suffix", "commandRuns", 0, "onTap"),
  ];
  return taps
    .map((tap) =>
      at(
        tap,
        "innertubeCommand",
        "showEngagementPanelEndpoint",
        "engagementPanel",
        "engagementPanelSectionListRenderer",
        "content",
        "sectionListRenderer",
        "contents",
        0,
        "itemSectionRenderer",
        "contents",
        0,
        "continuationItemRenderer",
      ),
    )
    .map(tokenOf)
    .find((token) => token);
}

/** True for an age-gated channel, which exists although it has neither metadata nor tabs. */
export function ageGate(body: unknown): Wire | undefined {
  return each(at(selectedTab(body), "content", "sectionListRenderer", "contents"), (entry) =>
    object(at(entry, "channelAgeGateRenderer")),
  )[0];
}

/** The profile of an age-gated channel. */
export function gatedChannel(id: string, gate: Wire): VideositeChannel {
  return defined({
    id,
    title: textOf(gate.channelTitle),
    url: channelUrl(id),
    avatar_url: imageOf(at(gate, "avatar", "thumbnails")),
    is_family_safe: false,
  });
}

/** The page's channel, as the author of everything that the page lists. */
export function channelAuthor(id: string, body: unknown): VideositeAuthor {
  const metadata = object(at(body, "metadata", "channelMetadataRenderer"));
  return defined({
    id,
    username: handleOf(metadata?.vanityChannelUrl),
    display_name: text(metadata?.title),
    avatar_url: imageOf(at(metadata, "avatar", "thumbnails")),
  });
}

/** True where a channel lacks the requested tab, so that its page shows another one. */
export function lacksTab(body: unknown, names: readonly string[]): boolean {
  const shown = text(
    at(selectedTab(body), "endpoint", "commandMetadata", "webCommandMetadata", "url"),
  );
  return shown !== undefined && !names.some((name) => shown.endsWith(`/${name}`));
}

/** Token of a sort order by its English name on the page. */
export function sortToken(body: unknown, name: string): string | undefined {
  const header = at(selectedTab(body), "content", "richGridRenderer", "header");
  const classic = each(at(header, "feedFilterChipBarRenderer", "contents"), (chip) =>
    object(at(chip, "chipCloudChipRenderer")),
  );
  const recent = each(at(header, "chipBarViewModel", "chips"), (chip) =>
    object(at(chip, "chipViewModel")),
  );
  const chip = [...classic, ...recent].find((found) => textOf(found.text) === name);
  return (
    text(at(chip, "navigationEndpoint", "continuationCommand", "token")) ??
    text(at(chip, "tapCommand", "innertubeCommand", "continuationCommand", "token"))
  );
}

function headerOf(body: unknown): Wire | undefined {
  return object(at(body, "header", "pageHeaderRenderer", "content", "pageHeaderViewModel"));
}

function aboutOf(body: unknown): Wire | undefined {
  const entry = listing(body)?.entries[0];
  return object(at(entry, "aboutChannelRenderer", "metadata", "aboutChannelViewModel"));
}

function linkOf(link: unknown): { title?: string; url: string } | undefined {
  const shown = textOf(at(link, "link"));
  if (!shown) return undefined;
  // Shown without its scheme.
  const url = /^https?:\/\//i.test(shown) ? shown : `https://${shown}`;
  return URL.canParse(url) ? defined({ title: textOf(at(link, "title")), url }) : undefined;
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** "Joined Sep 9, 2013" or "Joined 9 Sept 2013". */
function joinedAt(value: unknown): number | undefined {
  const shown = textOf(value)?.slice(0, 100) ?? "";
  const found =
    /\b(?<month>[A-Z][a-z]{2,8}) (?<day>\d{1,2}), (?<year>\d{4})$/.exec(shown) ??
    /\b(?<day>\d{1,2}) (?<month>[A-Z][a-z]{2,8}) (?<year>\d{4})$/.exec(shown);
  const { day = "", month = "", year = "" } = found?.groups ?? {};
  const index = months.indexOf(month.slice(0, 3).toLowerCase());
  return index < 0 ? undefined : Date.UTC(Number(year), index, Number(day)) / 1000;
}

/** Words apart by blanks; several in quotes are one. */
function keywordsOf(value: unknown): string[] | undefined {
  const words = text(value)
    ?.slice(0, 20_000)
    .match(/"[^"]+"|[^\s"]+/g);
  return words?.map((word) => word.replaceAll('"', ""));
}

/** A channel among search results; undefined for other entries. */
export function listedChannel(entry: unknown): VideositeListedChannel | undefined {
  const node = nodeOf(entry);
  if (node?.kind !== "channelRenderer" && node?.kind !== "gridChannelRenderer")
    return passOver(node);
  const row = node.value;
  const id = need(text(row.channelId), "channelRenderer.channelId");
  // The field of subscribers contains the handle, and the field of videos the subscribers.
  const columns = [row.subscriberCountText, row.videoCountText].map(textOf);
  const handle = columns.find((column) => column?.startsWith("@"))?.slice(1);
  const badges = array(row.ownerBadges);
  return defined({
    id,
    title: textOf(row.title),
    url: channelUrl(id),
    username:
      handle ?? handleOf(at(row, "navigationEndpoint", "browseEndpoint", "canonicalBaseUrl")),
    avatar_url: imageOf(at(row, "thumbnail", "thumbnails")),
    description: textOf(row.descriptionSnippet),
    subscriber_count: countOf(columns.find((column) => column && /\bsubscribers?\b/i.test(column))),
    is_verified: badges?.some((badge) =>
      /VERIFIED/.test(text(at(badge, "metadataBadgeRenderer", "style")) ?? ""),
    ),
  });
}

const playlistUrl = (id: string) => `https://www.youtube.com/playlist?list=${id}`;

/** A playlist of a channel or among search results; undefined for other entries. */
export function listedPlaylist(
  entry: unknown,
  owner?: VideositeAuthor,
): VideositeListedPlaylist | undefined {
  const node = nodeOf(entry);
  switch (node?.kind) {
    case "lockupViewModel":
      return isPlaylistLockup(node.value) ? playlistLockup(node.value, owner) : undefined;
    case "playlistRenderer":
    case "gridPlaylistRenderer":
    case "compactPlaylistRenderer":
      return classicPlaylist(node.value, owner);
    default:
      return passOver(node);
  }
}

function isPlaylistLockup(row: Wire): boolean {
  return /_(PLAYLIST|PODCAST|ALBUM|COURSE)$/.test(text(row.contentType) ?? "");
}

function playlistLockup(row: Wire, owner: VideositeAuthor | undefined): VideositeListedPlaylist {
  const id = need(text(row.contentId), "contentId");
  const metadata = at(row, "metadata", "lockupMetadataViewModel");
  const parts = partsOf(at(metadata, "metadata"));
  const by = parts.find((part) => leadsToChannel(part));
  return defined({
    id,
    title: textOf(at(metadata, "title")),
    url: playlistUrl(id),
    thumbnail_url:
      imageOf(
        at(
          row,
          "contentImage",
          "collectionThumbnailViewModel",
          "primaryThumbnail",
          "thumbnailViewModel",
          "image",
          "sources",
        ),
      ) ?? imageOf(at(row, "contentImage", "thumbnailViewModel", "image", "sources")),
    updated_text: updatedOf(parts),
    video_count: lockupBadges(row)
      .map((badge) => badge.text)
      .filter((shown) => /\b(videos?|episodes?|lessons?)$/i.test(shown ?? ""))
      .map(countOf)[0],
    author: by ? authorOf(by.endpoint, by.text, roundPicture(metadata)) : owner,
  });
}

function classicPlaylist(row: Wire, owner: VideositeAuthor | undefined): VideositeListedPlaylist {
  const id = need(text(row.playlistId), "playlistId");
  const byline =
    textOf(row.longBylineText) === undefined ? row.shortBylineText : row.longBylineText;
  return defined({
    id,
    title: textOf(row.title),
    url: playlistUrl(id),
    thumbnail_url:
      imageOf(at(row, "thumbnail", "thumbnails")) ??
      imageOf(at(row, "thumbnails", 0, "thumbnails")),
    updated_text: textOf(row.publishedTimeText),
    video_count:
      countOf(row.videoCount) ?? countOf(row.videoCountText) ?? countOf(row.videoCountShortText),
    author: authorOf(at(byline, "runs", 0, "navigationEndpoint"), byline, undefined) ?? owner,
  });
}

function updatedOf(parts: readonly Part[]): string | undefined {
  return parts.map((part) => part.text).find((shown) => /^(Last )?updated\b/i.test(shown));
}

/** A playlist from the header of its page. */
export function playlist(id: string, body: unknown): VideositePlaylist {
  const header = headerOf(body);
  const micro = object(at(body, "microformat", "microformatDataRenderer"));
  const sidebar = at(
    body,
    "sidebar",
    "playlistSidebarRenderer",
    "items",
    0,
    "playlistSidebarPrimaryInfoRenderer",
  );
  const title =
    textOf(at(header, "title", "dynamicTextViewModel", "text")) ??
    text(at(body, "metadata", "playlistMetadataRenderer", "title")) ??
    text(micro?.title);
  if (title === undefined) throw new ShapeError("header.pageHeaderRenderer");
  const parts = [
    ...partsOf(header?.metadata),
    ...each(at(sidebar, "stats"), textOf).map((shown): Part => ({
      text: shown,
      endpoint: undefined,
    })),
  ];
  const part = (rule: RegExp) =>
    parts.map(({ text: shown }) => shown).find((shown) => rule.test(shown));
  const by = parts.find((found) => leadsToChannel(found));
  const avatar = each(at(header, "metadata", "contentMetadataViewModel", "metadataRows"), (row) =>
    at(row, "metadataParts", 0, "avatarStack", "avatarStackViewModel", "avatars", 0),
  )[0];
  return defined({
    id,
    title,
    url: playlistUrl(id),
    thumbnail_url:
      imageOf(at(header, "heroImage", "contentPreviewImageViewModel", "image", "sources")) ??
      imageOf(at(micro, "thumbnail", "thumbnails")),
    description:
      textOf(at(header, "description", "descriptionPreviewViewModel", "description")) ??
      text(at(body, "metadata", "playlistMetadataRenderer", "description")),
    updated_text: updatedOf(parts),
    video_count: countOf(part(/\b(videos?|episodes?|lessons?)$/i)),
    view_count: viewsOf(part(/\bviews?$/i)),
    author:
      by &&
      authorOf(
        by.endpoint,
        by.text.replace(/^by /, ""),
        at(avatar, "avatarViewModel", "image", "sources"),
      ),
  });
}

/** The channel that an address leads to; undefined for another kind of page. */
export function resolved(body: unknown): { channel_id: string; username?: string } | undefined {
  const endpoint = need(object(at(body, "endpoint")), "endpoint");
  const author = authorOf(endpoint, undefined, undefined);
  if (author?.id === undefined) return undefined;
  return defined({ channel_id: author.id, username: author.username });
}
