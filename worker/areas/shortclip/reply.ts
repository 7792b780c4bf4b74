import { GatewayError } from "../../../contract/errors.ts";
import type { Json } from "../../../contract/json.ts";
import type { Page } from "../../mapping/list.ts";
import { unwrap } from "../../upstreams/tikhub/client.ts";
import { ShapeError, type Wire, array, at, boolean, id, integer, object, rows } from "#wire";

/**
 * The list of a reply under the first of `keys` that it has, or under a bare `data`. `thing` names the
 * list's owner: a reply with a platform fault and no list means that the owner is not found.
 */
export function listIn(
  body: unknown,
  keys: readonly string[],
  thing?: string,
): { list: readonly unknown[]; beside: Wire } {
  const beside = unwrap(body, ...keys) ?? unwrap(body, "has_more", ...statusKeys) ?? {};
  const named = [...keys, "data"].map((name) => beside[name]);
  const list = named.map(array).find((value) => value !== undefined);
  // A refusal may come with an empty list, which then says nothing about the real one.
  if (refused(beside) && (list === undefined || list.length === 0)) throw refusal(thing);
  if (list) return { list, beside };
  // A list without entries may be null.
  if (named.includes(null)) return { list: [], beside };
  throw new ShapeError(`data.${keys[0]}`);
}

/** A page of a list; `next` returns the next position, and is called only when there is more. */
export function pageIn<Row>(
  body: unknown,
  options: {
    keys: readonly string[];
    thing?: string;
    read: (row: Wire) => Row | undefined;
    /** Null where the reply states the end of the list, undefined where it states nothing. */
    next: (beside: Wire, length: number) => Json | undefined;
  },
): Page<Row> {
  const { list, beside } = listIn(body, options.keys, options.thing);
  const found = rows(list, `data.${options.keys[0]}`, options.read);
  const flag = boolean(beside.has_more) ?? boolean(beside.hasMore);
  // Without a flag the list continues as long as its pages have rows.
  const next = (flag ?? list.length > 0) ? options.next(beside, list.length) : null;
  return {
    rows: found,
    next,
    more: list.length > 0 ? flag : undefined,
    // Deleted videos may fill a page; a page without entries says nothing reliable.
    advances: flag === true && list.length > 0 && found.length === 0,
  };
}

/** The `cursor` of a reply, if it is larger than `from`: offsets only grow. */
export function later(from: number): (beside: Wire) => number | null | undefined {
  return (beside) => {
    const next = integer(beside.cursor);
    return next === undefined || next > from ? next : null;
  };
}

/**
 * The object of a reply under the first of `keys` that has one; undefined where there is none. The web
 * answers an empty object, and the app an empty list, where it has nothing.
 */
export function objectIn(body: unknown, keys: readonly string[]): Wire | undefined {
  const beside = unwrap(body, ...keys);
  const values = keys.map((key) => beside?.[key]);
  const found = values.find((value) => object(value) !== undefined && !isEmpty(value));
  if (found !== undefined || values.some(isEmpty)) return object(found);
  if (isNothing(body)) return undefined;
  throw new ShapeError(`data.${keys[0]}`);
}

/** The live room of a reply: the app's, or the web's `liveRoom` together with its `user`. */
export function roomIn(body: unknown): Wire | undefined {
  const room = unwrap(body, "liveRoom", "id_str");
  if (isEmpty(room?.liveRoom)) return undefined;
  // The web names a user who is not live, with a blank in place of the room's number.
  const shown = room ?? unwrap(body, "user");
  if (blanks.includes(at(shown, "user", "roomId")) && !id(at(shown, "liveRoom", "id")))
    return undefined;
  if (room || isNothing(body)) return room;
  throw new ShapeError("data.id_str");
}

const blanks: readonly unknown[] = ["", "0", 0];

/** True for null, an empty object and an empty list. */
function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

/** True for a reply without content: the platform refused, or `data` is null or empty at every level. */
export function isNothing(body: unknown): boolean {
  if (refused(unwrap(body, ...statusKeys) ?? {})) return true;
  let data = object(body)?.data;
  for (;;) {
    const inner = object(data);
    if (inner === undefined) return data === null;
    if (isEmpty(inner)) return true;
    data = inner.data;
  }
}

/** Keys of the platform's status code in replies of the app and of the web. */
const statusKeys = ["status_code", "statusCode"];

/** The platform's own code for success is 0. */
function refused(reply: Wire): boolean {
  return statusKeys.some((key) => (integer(reply[key]) ?? 0) !== 0);
}

function refusal(thing: string | undefined): GatewayError {
  return thing === undefined
    ? new GatewayError("upstream_error", "The platform refused the call")
    : new GatewayError("not_found", `There is no such ${thing}`);
}
