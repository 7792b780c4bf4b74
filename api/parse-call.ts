import { hash } from "node:crypto";
import { canonicalJson } from "../contract/canonical.ts";
import { openCursor } from "../contract/cursor.ts";
import { maxCreditsHeader, neededFor } from "../contract/pricing.ts";
import { invalid } from "../contract/errors.ts";
import type { CursorPayload } from "../contract/cursor.ts";
import { type Operation, mostRecords } from "../contract/operation.ts";
import type { Call, Request } from "./call.ts";
import { cursorNameIn, decodeInput } from "./input.ts";

/** Validates a request and parses it into a call; throws when it is not valid. */
export function parseCall(
  op: Operation,
  request: Request,
  cursorSecret: string,
  /** Unix time in milliseconds against which the age of cursors is measured. */
  now = request.arrivedAt,
): Call {
  const input = decodeInput(op, request.raw) as Record<string, unknown>;
  const { version, caller } = request;
  const { accountId, mode } = caller;
  const binding = { accountId, operation: op.id, version, mode, input };
  let cursor: CursorPayload | undefined;
  if (op.paginated && typeof input.cursor === "string") {
    cursor = openCursor(cursorSecret, binding, input.cursor, now);
    if (!cursor) {
      const where = op.method === "POST" ? "body" : "query";
      const name = cursorNameIn(op, request.raw);
      const message = `${name}: is altered, stale or belongs to another call`;
      throw invalid(where, name, "invalid_cursor", message);
    }
  }
  const requested = request.scenario === "truncated" ? 1 : mostRecords(op, input);
  return {
    op,
    input,
    cursor,
    binding,
    deadline: request.arrivedAt + op.deadlineMs(input),
    most: Math.min(requested, cap(op, request)),
    fingerprint: request.idempotencyKey === undefined ? undefined : fingerprintOf(request),
    request,
  };
}

/** The most records that the caller's cap on credits allows. */
function cap(op: Operation, { maxCredits }: Request): number {
  if (maxCredits === undefined) return Infinity;
  const needed = neededFor(op);
  if (maxCredits >= needed) return maxCredits;
  // No balance would make this call possible, so it is a fault of the request.
  const message = `${maxCreditsHeader}: the call costs at least ${needed} credits`;
  throw invalid("header", maxCreditsHeader, "too_small", message);
}

/** Binds a key to its request: the same key with another fingerprint is refused. */
function fingerprintOf(request: Request): string {
  const query = [...request.raw.query.entries()].map((pair) => pair.join("=")).toSorted();
  return hash(
    "sha256",
    canonicalJson([
      request.method,
      request.path,
      query,
      request.raw.body ?? null,
      request.version,
      request.scenario ?? null,
      // Absent without the header, so that keys of earlier releases keep their fingerprint.
      ...(request.maxCredits === undefined ? [] : [request.maxCredits]),
    ]),
    "base64url",
  );
}
