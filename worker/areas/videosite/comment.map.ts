import type {
  VideositeCaptionTrack,
  VideositeComment,
  VideositeTranscript,
} from "../../../contract/areas/videosite/records.ts";
import { type Wire, ShapeError, array, at, each, need, number, object, text } from "#wire";
import { authorOf, countOf, defined, nodeOf, passOver, textOf, tokenOf } from "./node.map.ts";

/** Texts of comments, which a page has beside its list, by the keys in the list. */
export type Entities = ReadonlyMap<string, Wire>;

export function entitiesOf(body: unknown): Entities {
  const mutations = each(
    at(body, "frameworkUpdates", "entityBatchUpdate", "mutations"),
    (mutation) => {
      const key = text(at(mutation, "entityKey"));
      const payload = object(at(mutation, "payload"));
      return key && payload ? ([key, payload] as const) : undefined;
    },
  );
  return new Map(mutations);
}

/** A comment or reply; undefined for entries that are neither. */
export function comment(entry: unknown, entities: Entities): VideositeComment | undefined {
  const node = nodeOf(entry);
  const thread = object(at(entry, "commentThreadRenderer"));
  const holder = thread ?? entry;
  const first = object(at(holder, "commentViewModel"));
  const view = object(at(first, "commentViewModel")) ?? first;
  if (!view) {
    if (thread) throw new ShapeError("commentThreadRenderer.commentViewModel");
    return passOver(node);
  }
  const entity = object(at(entities.get(text(view.commentKey) ?? ""), "commentEntityPayload"));
  const properties = object(at(need(entity, "commentEntityPayload"), "properties"));
  const author = object(at(entity, "author"));
  const toolbar = object(at(entity, "toolbar"));
  const state = at(
    entities.get(text(view.toolbarStateKey) ?? ""),
    "engagementToolbarStateEntityPayload",
  );
  const id = need(text(view.commentId) ?? text(properties?.commentId), "commentId");
  const published = text(properties?.publishedTime);
  // The id of a reply is its parent's, a dot, and its own.
  const dot = id.indexOf(".");
  return defined({
    id,
    text: textOf(properties?.content),
    author: authorOfComment(author),
    published_text: text(published?.replace(/\s*\(edited\)$/, "")),
    like_count: figure(toolbar?.likeCountNotliked, toolbar?.likeCountA11y),
    reply_count: figure(toolbar?.replyCount, toolbar?.replyCountA11y),
    parent_id: dot > 0 ? id.slice(0, dot) : undefined,
    replies_cursor: repliesToken(thread),
    is_pinned: textOf(view.pinnedText) !== undefined,
    is_hearted: at(state, "heartState") === "TOOLBAR_HEART_STATE_HEARTED",
    is_author_owner: author?.isCreator === true,
    is_edited: published !== undefined && published.endsWith("(edited)"),
  });
}

/**
 * A count as shown, else as read aloud: a reply that has replies leaves the shown one blank. Blank in both
 * places is a count of nothing.
 */
function figure(shown: unknown, spoken: unknown): number | undefined {
  const isBlank = typeof shown === "string" && shown.trim() === "";
  return countOf(shown) ?? countOf(spoken) ?? (isBlank ? 0 : undefined);
}

function authorOfComment(author: Wire | undefined): VideositeComment["author"] {
  const name = text(author?.displayName);
  const known = authorOf(at(author, "channelCommand", "innertubeCommand"), name, [
    { url: author?.avatarThumbnailUrl },
  ]);
  const id = text(author?.channelId);
  const handle = name?.startsWith("@") ? name.slice(1) : undefined;
  if (!known && !id) return undefined;
  return defined({ ...known, id: id ?? known?.id, username: handle ?? known?.username });
}

function repliesToken(thread: Wire | undefined): string | undefined {
  const replies = at(thread, "replies", "commentRepliesRenderer");
  const entries = [
    ...(array(at(replies, "contents")) ?? []),
    ...(array(at(replies, "subThreads")) ?? []),
  ];
  return entries
    .map((entry) => tokenOf(at(entry, "continuationItemRenderer")))
    .find((token) => token);
}

/** A caption track with the address of its text; callers never see that address. */
export interface Track extends VideositeCaptionTrack {
  address: string | undefined;
}

export function tracks(player: unknown): Track[] {
  const list = at(player, "captions", "playerCaptionsTracklistRenderer", "captionTracks");
  return each(list, (track) => {
    const language = text(at(track, "languageCode"));
    if (!language) return undefined;
    return {
      ...defined({ language, name: textOf(at(track, "name")) }),
      is_auto_generated: at(track, "kind") === "asr",
      is_translatable: at(track, "isTranslatable") === true,
      address: text(at(track, "baseUrl")),
    };
  });
}

/** The track in the requested language or a variant of it; by default a human-made track before others. */
export function chooseTrack(
  all: readonly Track[],
  language: string | undefined,
): Track | undefined {
  if (language === undefined) return all.find((track) => !track.is_auto_generated) ?? all[0];
  const tag = language.toLowerCase();
  const primary = tag.split("-", 1)[0];
  const ranked = [...all].sort((a, b) => Number(a.is_auto_generated) - Number(b.is_auto_generated));
  return (
    ranked.find((track) => track.language.toLowerCase() === tag) ??
    ranked.find((track) => track.language.toLowerCase().split("-", 1)[0] === primary)
  );
}

/** The spoken text of a track's events, in milliseconds on the wire. */
export function transcript(videoId: string, track: Track, body: unknown): VideositeTranscript {
  const events = need(array(at(body, "events")), "events");
  const segments = each(events, (event) => {
    const start = number(at(event, "tStartMs"));
    const shown = each(at(event, "segs"), (segment) => text(at(segment, "utf8"))).join("");
    if (start === undefined || shown.trim() === "") return undefined;
    const length = number(at(event, "dDurationMs"));
    return defined({
      start: start / 1000,
      duration: length === undefined ? undefined : length / 1000,
      text: shown,
    });
  });
  if (segments.length === 0) throw new ShapeError("events[].segs");
  return {
    video_id: videoId,
    language: track.language,
    is_auto_generated: track.is_auto_generated,
    text: segments.map((segment) => segment.text.trim()).join("\n"),
    segments,
  };
}
