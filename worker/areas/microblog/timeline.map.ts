import { ShapeError, type Wire, array, at, each, found, id, need, object, rows, text } from "#wire";
import { memberIn, postIn, resultOf, userIn } from "./graph.map.ts";

/** Maps lists of the platform's web interface: timelines of entries, slices and lists of ids. */

export interface GraphPage<Row> {
  rows: Row[];
  next: string | undefined;
  more?: boolean | undefined;
  /** True where rows were left out of a page on purpose, so that it may be empty in the middle of a list. */
  advances?: boolean | undefined;
}

export const postsOf = (body: unknown, owner: string) =>
  timeline(body, owner, { holder: "tweet_results", entryId: /^tweet-|-tweet-/ }, postIn);
export const usersOf = (body: unknown, owner: string) =>
  timeline(body, owner, { holder: "user_results", entryId: /^user-\d/ }, userIn);

interface Kind {
  holder: "tweet_results" | "user_results";
  /** Ids of entries that must have such a wrapper. */
  entryId: RegExp;
}

function timeline<Row>(
  body: unknown,
  owner: string,
  kind: Kind,
  read: (holder: unknown) => Row | undefined,
): GraphPage<Row> {
  const instructions = instructionsIn(body, owner);
  const items: Wire[] = [];
  let next: string | undefined;
  let hasCursor = false;
  for (const instruction of instructions) {
    // A pinned post also appears among the others, at its own time.
    const entry = isPin(instruction) ? undefined : at(instruction, "entry");
    for (const entry_ of [...(array(at(instruction, "entries")) ?? []), entry]) {
      const content = at(entry_, "content");
      const isBottom = entryIdOf(entry_).startsWith("cursor-bottom-");
      // A cursor is an entry's content, or an item like the rows.
      for (const holder of [content, either(content, "content", "itemContent")]) {
        const type = either(holder, "cursor_type", "cursorType");
        if (type !== "Bottom" && !isBottom) continue;
        next = text(at(holder, "value")) ?? next;
        hasCursor = true;
      }
      items.push(...itemsOf(entry_, kind));
    }
    // Later pages add to a module of the first page, and have no entry for it.
    items.push(...partsOf(either(instruction, "module_items", "moduleItems"), kind));
  }
  const found = rows(items, "timeline.entries", (item) => {
    if (isAdvert(item)) return undefined;
    return read(need(object(item[kind.holder]), `timeline.entries[].${kind.holder}`));
  });
  // The last page still has a cursor; it has no entry left but cursors.
  return {
    rows: found,
    next: items.length === 0 ? undefined : next,
    more: hasCursor && items.length > 0,
    // Adverts may stand behind the last row, and what is gone stands among the rows.
    advances: found.length === 0 && items.some((item) => !isAdvert(item)),
  };
}

const isAdvert = (item: Wire) => Boolean(either(item, "promoted_metadata", "promotedMetadata"));

const entryIdOf = (entry: unknown) => text(either(entry, "entry_id", "entryId")) ?? "";

const either = (value: unknown, snake: string, camel: string) =>
  at(value, snake) ?? at(value, camel);

function isPin(instruction: unknown): boolean {
  const kind = at(instruction, "__typename") ?? at(instruction, "type");
  const content = at(instruction, "entry", "content");
  return (
    kind === "TimelinePinEntry" ||
    at(either(content, "client_event_info", "clientEventInfo"), "component") === "pinned_tweets"
  );
}

/** The items of an entry: one, or several in a module. Suggested accounts are no rows. */
function itemsOf(entry: unknown, kind: Kind): Wire[] {
  const entryId = entryIdOf(entry);
  if (/^(who-to-follow|promoted-|similar-to-|toptabsrpusermodule)/.test(entryId)) return [];
  const content = at(entry, "content");
  const own = itemIn(content, entryId, kind);
  const module = partsOf(at(content, "items"), kind);
  return own ? [own, ...module] : module;
}

const partsOf = (parts: unknown, kind: Kind) =>
  each(parts, (part) => itemIn(at(part, "item"), entryIdOf(part), kind));

function itemIn(content: unknown, entryId: string, kind: Kind): Wire | undefined {
  const item = object(either(content, "content", "itemContent"));
  if (item && Object.hasOwn(item, kind.holder)) return item;
  return kind.entryId.test(entryId) ? (item ?? {}) : undefined;
}

const deepest = 6;

/** Whether a result is more than the placeholder of what is gone or withheld. */
const isVisible = (result: Wire) =>
  Object.keys(result).length > 0 && !/Unavailable|Tombstone/.test(text(result.__typename) ?? "");

/** The instructions of the timeline, anywhere under `data`; none where the answer has only the owner. */
function instructionsIn(body: unknown, owner: string): readonly unknown[] {
  const data = dataOf(body, owner);
  let level: Wire[] = [data];
  let known: Wire | undefined;
  let isOwned = false;
  let isBare = false;
  let isAnswered = false;
  for (let depth = 0; depth < deepest; depth += 1) {
    const inner: Wire[] = [];
    for (const holder of level) {
      if (Object.hasOwn(holder, "instructions")) {
        return need(array(holder.instructions), "timeline.instructions");
      }
      known ??= ownerIn(holder);
      if (isPrivate(known)) return found<never>(undefined, owner);
      for (const [name, value] of Object.entries(holder)) {
        const next = object(value);
        if (!next) continue;
        isAnswered ||= name === "result" && isVisible(next);
        isBare ||= name === "timeline" && !Object.hasOwn(next, "instructions");
        isOwned ||= name.endsWith("_timeline") && text(next.id) !== undefined;
        inner.push(next);
      }
    }
    level = inner;
  }
  // An owner without a timeline is no missing owner.
  isOwned ||= known !== undefined;
  if (isBare || (isAnswered && !isOwned)) throw new ShapeError("timeline.instructions");
  return found(isOwned ? [] : undefined, owner);
}

/** The record with an id in `holder`; the id may stand outside, also beside the placeholder of what is gone. */
function ownerIn(holder: Wire): Wire | undefined {
  const record = Object.hasOwn(holder, "result") ? object(holder.result) : holder;
  return id(holder.rest_id) !== undefined && record && isVisible(record) ? record : undefined;
}

const isPrivate = (owner: Wire | undefined) =>
  at(owner, "privacy", "protected") === true || at(owner, "legacy", "protected") === true;

/** `data` of an answer; the upstream sends an empty answer for `not_found`. */
export function dataOf(body: unknown, thing: string): Wire {
  const answer = need(object(body), "body");
  if (Object.keys(answer).length === 0) return found<never>(undefined, thing);
  const data = need(object(answer.data), "data");
  return Object.keys(data).length === 0 ? found<never>(undefined, thing) : data;
}

/** Members or moderators of a community. */
export function membersOf(body: unknown, slice: "members_slice" | "moderators_slice") {
  const community = communityIn(body);
  const held = community[slice];
  return {
    rows: rows(either(held, "items", "items_results"), `${slice}.items`, memberIn),
    next: nextOfSlice(held),
  };
}

/** Cursor of a slice. The last slice has an empty `slice_info`, so a missing one does not mean the end. */
export function nextOfSlice(slice: unknown): string | undefined {
  const info = need(object(at(slice, "slice_info")), "slice_info");
  return text(info.next_cursor);
}

/** Members found by a search, on one page. */
export function foundMembers(body: unknown) {
  const name = "member_relationship_typeahead";
  return { rows: rows(communityIn(body)[name], name, memberIn), next: undefined };
}

function communityIn(body: unknown): Wire {
  const data = dataOf(body, "community");
  const holder = { result: data.community_by_rest_id ?? at(data, "communityResults", "result") };
  return found(resultOf(holder), "community");
}

/** A page of ids; only texts are exact, and "0" is the end. */
export function idsOf(body: unknown): GraphPage<string> {
  const answer = need(object(body), "body");
  if (Object.keys(answer).length === 0) return found<never>(undefined, "user");
  const list = need(array(answer.ids), "ids");
  const ids = each(list, id);
  const next = text(answer.next_cursor_str) ?? id(answer.next_cursor);
  return {
    rows: need(list.length > 0 && ids.length === 0 ? undefined : ids, "ids[]"),
    next: next === "0" ? undefined : next,
  };
}
