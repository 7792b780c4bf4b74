import type {
  VideositeAuthor,
  VideositeListedVideo,
  VideositePlaylistVideo,
  VideositeVideo,
} from "../../../contract/areas/videosite/records.ts";
import { type Wire, array, at, boolean, count, each, need, object, text } from "#wire";
import {
  type Node,
  authorOf,
  countOf,
  defined,
  handleOf,
  imageOf,
  leadsToChannel,
  nodeOf,
  orNothing,
  partsOf,
  passOver,
  secondsOf,
  textOf,
  viewsOf,
} from "./node.map.ts";

/** A video in any of the kinds that lists mix; undefined for entries that are no videos. */
export function listedVideo(
  entry: unknown,
  owner?: VideositeAuthor,
): VideositeListedVideo | undefined {
  const node = nodeOf(entry);
  const video = node && read(node);
  if (!video) return passOver(node);
  // The tabs of a channel do not repeat the channel.
  const author = orNothing({ ...owner, ...video.author });
  return defined({ ...video, channel_id: author?.id, author });
}

function read({ kind, value }: Node): VideositeListedVideo | undefined {
  switch (kind) {
    case "videoRenderer":
    case "gridVideoRenderer":
    case "compactVideoRenderer":
    case "playlistVideoRenderer":
      return classic(value);
    case "lockupViewModel":
      return isVideoLockup(value) ? lockup(value) : undefined;
    case "shortsLockupViewModel":
      return shortLockup(value);
    case "reelItemRenderer":
      return short(need(text(value.videoId), "videoId"), {
        title: textOf(value.headline),
        thumbnail_url: imageOf(at(value, "thumbnail", "thumbnails")),
        view_count: viewsOf(value.viewCountText),
      });
    default:
      return undefined;
  }
}

export function watchUrl(id: string, isShort: boolean): string {
  return `https://www.youtube.com/${isShort ? "shorts/" : "watch?v="}${id}`;
}

/** The site's older nodes. */
function classic(row: Wire): VideositeListedVideo {
  const id = need(text(row.videoId), "videoId");
  const byline = [row.ownerText, row.longBylineText, row.shortBylineText].find(textOf);
  const overlays = each(row.thumbnailOverlays, (overlay) =>
    object(at(overlay, "thumbnailOverlayTimeStatusRenderer")),
  );
  const styles = overlays.map((overlay) => overlay.style);
  const badges = each(row.badges, (badge) => text(at(badge, "metadataBadgeRenderer", "style")));
  const isLive = styles.includes("LIVE") || badges.includes("BADGE_STYLE_TYPE_LIVE_NOW");
  const isUpcoming = styles.includes("UPCOMING") || object(row.upcomingEventData) !== undefined;
  const isShort =
    styles.includes("SHORTS") ||
    object(at(row, "navigationEndpoint", "reelWatchEndpoint")) !== undefined;
  const length =
    secondsOf(row.lengthText) ??
    count(row.lengthSeconds) ??
    overlays.map((overlay) => secondsOf(overlay.text)).find((seconds) => seconds !== undefined);
  // Playlists have "2.6m views", a bullet and "11 years ago" in one text.
  const info = array(at(row, "videoInfo", "runs"));
  return defined({
    id,
    title: textOf(row.title),
    url: watchUrl(id, isShort),
    thumbnail_url: imageOf(at(row, "thumbnail", "thumbnails")),
    author: authorOf(
      at(byline, "runs", 0, "navigationEndpoint"),
      byline,
      at(
        row,
        "channelThumbnailSupportedRenderers",
        "channelThumbnailWithLinkRenderer",
        "thumbnail",
        "thumbnails",
      ) ?? at(row, "channelThumbnail", "thumbnails"),
    ),
    duration: isLive || isUpcoming || length === 0 ? undefined : length,
    view_count:
      viewsOf(row.viewCountText) ?? viewsOf(row.shortViewCountText) ?? viewsOf(at(info, 0, "text")),
    published_text: textOf(row.publishedTimeText) ?? text(at(info, 2, "text")),
    description:
      textOf(row.descriptionSnippet) ??
      textOf(at(row, "detailedMetadataSnippets", 0, "snippetText")),
    is_live: isLive,
    is_upcoming: isUpcoming,
    is_short: isShort,
  });
}

function isVideoLockup(row: Wire): boolean {
  const kind = row.contentType;
  return kind === "LOCKUP_CONTENT_TYPE_VIDEO" || kind === "LOCKUP_CONTENT_TYPE_SHORT";
}

/** The badges on a card's picture: length, "LIVE", "12 videos". */
export function lockupBadges(row: Wire): { text: string | undefined; style: unknown }[] {
  const image = row.contentImage;
  const overlays =
    at(image, "thumbnailViewModel", "overlays") ??
    at(image, "collectionThumbnailViewModel", "primaryThumbnail", "thumbnailViewModel", "overlays");
  return each(
    overlays,
    (overlay) =>
      array(at(overlay, "thumbnailBottomOverlayViewModel", "badges")) ??
      array(at(overlay, "thumbnailOverlayBadgeViewModel", "thumbnailBadges")),
  )
    .flat()
    .map((badge) => at(badge, "thumbnailBadgeViewModel"))
    .map((badge) => ({ text: textOf(at(badge, "text")), style: at(badge, "badgeStyle") }));
}

/** The site's newer cards. */
function lockup(row: Wire): VideositeListedVideo {
  const id = need(text(row.contentId), "contentId");
  const metadata = at(row, "metadata", "lockupMetadataViewModel");
  const avatar = at(metadata, "image", "decoratedAvatarViewModel");
  const parts = partsOf(at(metadata, "metadata"));
  const linked = parts.find(leadsToChannel);
  // Beside an avatar the first text is the channel's name.
  const name = linked ?? (avatar === undefined ? undefined : parts[0]);
  const others = parts.filter((part) => part !== name).map((part) => part.text);
  const badges = lockupBadges(row);
  const shows = (word: string) =>
    badges.some(
      (badge) => badge.text === word || badge.style === `THUMBNAIL_OVERLAY_BADGE_STYLE_${word}`,
    );
  const isLive = shows("LIVE");
  const isUpcoming = shows("UPCOMING");
  const isShort = row.contentType === "LOCKUP_CONTENT_TYPE_SHORT" || shows("SHORTS");
  return defined({
    id,
    title: textOf(at(metadata, "title")),
    url: watchUrl(id, isShort),
    thumbnail_url: imageOf(at(row, "contentImage", "thumbnailViewModel", "image", "sources")),
    author: authorOf(
      at(avatar, "rendererContext", "commandContext", "onTap", "innertubeCommand") ??
        linked?.endpoint,
      name?.text,
      at(avatar, "avatar", "avatarViewModel", "image", "sources"),
    ),
    duration:
      isLive || isUpcoming
        ? undefined
        : badges.map((badge) => secondsOf(badge.text)).find((seconds) => seconds !== undefined),
    view_count: others.map(viewsOf).find((views) => views !== undefined),
    published_text: others.find((part) =>
      /\bago$|^(Streamed|Premiered|Premieres|Scheduled)\b/.test(part),
    ),
    is_live: isLive,
    is_upcoming: isUpcoming,
    is_short: isShort,
  });
}

function shortLockup(row: Wire): VideositeListedVideo {
  const id =
    text(at(row, "onTap", "innertubeCommand", "reelWatchEndpoint", "videoId")) ??
    text(text(row.entityId)?.replace(/^shorts-shelf-item-/, ""));
  return short(need(id, "shortsLockupViewModel.entityId"), {
    title: textOf(at(row, "overlayMetadata", "primaryText")),
    thumbnail_url:
      imageOf(at(row, "thumbnailViewModel", "thumbnailViewModel", "image", "sources")) ??
      imageOf(at(row, "thumbnail", "sources")),
    view_count: viewsOf(at(row, "overlayMetadata", "secondaryText")),
  });
}

function short(
  id: string,
  known: {
    title: string | undefined;
    thumbnail_url: string | undefined;
    view_count: number | undefined;
  },
): VideositeListedVideo {
  return defined({
    id,
    ...known,
    url: watchUrl(id, true),
    is_live: false,
    is_upcoming: false,
    is_short: true,
  });
}

/** A video of a playlist; `rank` applies when the site states no position. */
export function playlistVideo(entry: unknown, rank: number): VideositePlaylistVideo | undefined {
  const node = nodeOf(entry);
  // Recommendations after the videos of a list use the same nodes.
  if (/RECOMMENDED/.test(text(node?.value.style) ?? "")) return undefined;
  const video = listedVideo(entry);
  if (!video) return undefined;
  const index = countOf(node?.value.index);
  const playable = boolean(node?.value.isPlayable);
  return defined({
    ...video,
    position: index !== undefined && index > 0 ? index : rank,
    is_playable: playable,
  });
}

/** One video from the site's player and the page around it; undefined when neither knows it. */
export function video(player: unknown, next: unknown): VideositeVideo | undefined {
  const details = object(at(player, "videoDetails"));
  const micro = object(at(player, "microformat", "playerMicroformatRenderer"));
  const page = watchPage(next);
  if (!details && !micro && !page.primary) return undefined;
  const id = need(
    text(details?.videoId) ??
      text(micro?.externalVideoId) ??
      text(at(next, "currentVideoEndpoint", "watchEndpoint", "videoId")),
    "videoDetails.videoId",
  );
  const status = text(at(player, "playabilityStatus", "status"));
  const isLive =
    details?.isLive === true || at(micro, "liveBroadcastDetails", "isLiveNow") === true;
  const isUpcoming = details?.isUpcoming === true || status === "LIVE_STREAM_OFFLINE";
  const isShort = micro?.isShortsEligible === true;
  const length = count(details?.lengthSeconds) ?? count(micro?.lengthSeconds);
  const author = ownerOf(details, micro, page.secondary);
  const tracks = array(at(player, "captions", "playerCaptionsTracklistRenderer", "captionTracks"));
  return defined({
    id,
    title: text(details?.title) ?? textOf(micro?.title) ?? textOf(at(page.primary, "title")),
    url: watchUrl(id, isShort),
    thumbnail_url:
      imageOf(at(micro, "thumbnail", "thumbnails")) ??
      imageOf(at(details, "thumbnail", "thumbnails")),
    channel_id: author?.id,
    author,
    // A live stream has length 0.
    duration: isLive || isUpcoming || length === 0 ? undefined : length,
    view_count:
      count(details?.viewCount) ??
      count(micro?.viewCount) ??
      viewsOf(at(page.primary, "viewCount", "videoViewCountRenderer", "viewCount")),
    like_count: count(micro?.likeCount) ?? likesOf(page.primary),
    comment_count: page.comments,
    create_time: timeOf(micro?.publishDate),
    published_text: textOf(at(page.primary, "relativeDateText")),
    description:
      text(details?.shortDescription) ??
      textOf(micro?.description) ??
      textOf(at(page.secondary, "attributedDescription")),
    category: text(micro?.category),
    tags: array(details?.keywords) && each(details?.keywords, text),
    is_live: isLive,
    is_upcoming: isUpcoming,
    is_short: isShort,
    is_family_safe: boolean(micro?.isFamilySafe),
    is_unlisted: boolean(micro?.isUnlisted),
    is_playable: status === undefined ? undefined : status === "OK",
    captions: tracks && [...new Set(each(tracks, (track) => text(at(track, "languageCode"))))],
  });
}

function watchPage(next: unknown) {
  const parts = each(
    at(next, "contents", "twoColumnWatchNextResults", "results", "results", "contents"),
    object,
  );
  const part = (kind: string) => parts.map((entry) => object(entry[kind])).find((found) => found);
  const entryPoint = parts
    .flatMap((entry) => array(at(entry, "itemSectionRenderer", "contents")) ?? [])
    .map((entry) => at(entry, "commentsEntryPointHeaderRenderer", "commentCount"))
    .find(textOf);
  const panel = each(at(next, "engagementPanels"), (entry) =>
    object(at(entry, "engagementPanelSectionListRenderer")),
  ).find((entry) => entry.panelIdentifier === "engagement-panel-comments-section");
  return {
    primary: part("videoPrimaryInfoRenderer"),
    secondary: part("videoSecondaryInfoRenderer"),
    comments:
      countOf(entryPoint) ??
      countOf(at(panel, "header", "engagementPanelTitleHeaderRenderer", "contextualInfo")),
  };
}

function ownerOf(
  details: Wire | undefined,
  micro: Wire | undefined,
  secondary: Wire | undefined,
): VideositeAuthor | undefined {
  const owner = at(secondary, "owner", "videoOwnerRenderer");
  const shown = authorOf(
    at(owner, "navigationEndpoint"),
    at(owner, "title"),
    at(owner, "thumbnail", "thumbnails"),
  );
  return orNothing({
    ...shown,
    id: text(details?.channelId) ?? text(micro?.externalChannelId) ?? shown?.id,
    username: shown?.username ?? handleOf(micro?.ownerProfileUrl),
    display_name: text(details?.author) ?? text(micro?.ownerChannelName) ?? shown?.display_name,
  });
}

/** Number of likes: the button's label for screen readers is exact, its visible text is rounded. */
function likesOf(primary: unknown): number | undefined {
  const buttons = at(primary, "videoActions", "menuRenderer", "topLevelButtons");
  const button = each(buttons, (entry) =>
    at(entry, "segmentedLikeDislikeButtonViewModel", "likeButtonViewModel", "likeButtonViewModel"),
  )[0];
  const shown = at(
    button,
    "toggleButtonViewModel",
    "toggleButtonViewModel",
    "defaultButtonViewModel",
    "buttonViewModel",
  );
  return countOf(at(shown, "accessibilityText")) ?? countOf(at(shown, "title"));
}

/** "2019-08-24T08:39:57-07:00", or a day alone. */
function timeOf(value: unknown): number | undefined {
  const shown = text(value);
  if (
    !shown ||
    !/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2}))?$/.test(shown)
  )
    return undefined;
  const time = Date.parse(shown);
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}

/** A video of the site's charts; `rank` is its position in them. */
export function chartVideo(row: Wire) {
  const id = need(text(row.id), "videoViews[].id");
  const date = ["year", "month", "day"].map((name) => count(at(row, "releaseDate", name)));
  const [year, month, day] = date;
  const channel = text(row.externalChannelId);
  const length = count(row.videoDuration);
  return defined({
    id,
    title: text(row.title),
    url: watchUrl(id, false),
    thumbnail_url: imageOf(at(row, "thumbnail", "thumbnails")),
    channel_id: channel,
    author: orNothing({ id: channel, display_name: text(row.channelName) }),
    duration: length === 0 ? undefined : length,
    create_time:
      year !== undefined && year >= 1900 && year < 3000 && month && month <= 12 && day && day <= 31
        ? Date.UTC(year, month - 1, day) / 1000
        : undefined,
    is_live: false,
    is_upcoming: false,
    is_short: false,
  });
}
