import type { FastifyRequest } from "fastify";
import { openCursor, paginationOf } from "../contract/cursor.ts";
import type { Pagination } from "../contract/envelope.ts";
import { invalid } from "../contract/errors.ts";
import type { CursorPayload } from "../contract/cursor.ts";
import type { Caller } from "./auth.ts";

/** Pages of the gateway's own lists. */

export interface AskedPage<Position extends CursorPayload> {
  /** The page begins behind this position; undefined for the first page. */
  after: Position | undefined;
  /** The `pagination` of the answer; `next` is the position behind which the next page begins. */
  pagination: (next: Position | undefined) => Pagination;
}

interface List {
  /** Cursors of the list are bound to this name and to `input`. */
  name: string;
  input: Readonly<Record<string, unknown>>;
  cursor: string | undefined;
}

/** Opens the requested page of a list; throws when its cursor is not valid. */
export function pageAsked<Position extends CursorPayload>(
  { caller: { accountId, mode }, request }: { caller: Caller; request: FastifyRequest },
  { name, input, cursor }: List,
  { secret, now }: { secret: string; now: number },
): AskedPage<Position> {
  const binding = { accountId, mode, version: request.version, operation: name, input };
  const after = cursor === undefined ? undefined : openCursor(secret, binding, cursor, now);
  if (cursor !== undefined && !after) {
    const message = "cursor: is altered, stale or belongs to another call";
    throw invalid("query", "cursor", "invalid_cursor", message);
  }
  return {
    after: after as Position | undefined,
    pagination: (next) =>
      paginationOf(secret, binding, { has_more: next !== undefined, next }, now),
  };
}
