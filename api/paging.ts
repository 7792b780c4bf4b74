import type { FastifyRequest } from "fastify";
import { openCursor, pageTold } from "../contract/cursor.ts";
import type { Pagination } from "../contract/envelope.ts";
import { invalid } from "../contract/errors.ts";
import type { CursorPayload } from "../contract/job.ts";
import type { Caller } from "./auth.ts";

/** Pages of the gateway's own lists. */

export interface AskedPage<Place extends CursorPayload> {
  /** The page begins behind this place; undefined for the first page. */
  after: Place | undefined;
  /** The answer's `pagination`; the page after this one begins behind `next`. */
  pagination: (next: Place | undefined) => Pagination;
}

interface List {
  /** Its cursors are bound to this name and to `input`. */
  name: string;
  input: Readonly<Record<string, unknown>>;
  cursor: string | undefined;
}

/** The page of a list that a caller asks for. */
export function pageAsked<Place extends CursorPayload>(
  { caller: { accountId, mode }, request }: { caller: Caller; request: FastifyRequest },
  { name, input, cursor }: List,
  { secret, now }: { secret: string; now: number },
): AskedPage<Place> {
  const binding = { accountId, mode, version: request.version, operation: name, input };
  const after = cursor === undefined ? undefined : openCursor(secret, binding, cursor, now);
  if (cursor !== undefined && !after) {
    const message = "cursor: is altered, stale or belongs to another call";
    throw invalid("query", "cursor", "invalid_cursor", message);
  }
  return {
    after: after as Place | undefined,
    pagination: (next) => pageTold(secret, binding, { has_more: next !== undefined, next }, now),
  };
}
