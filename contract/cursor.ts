import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { canonicalJson } from "./canonical.ts";
import type { Pagination } from "./envelope.ts";
import type { Json } from "./json.ts";
import type { Mode } from "./mode.ts";

/** A JSON object that a connector stores in a cursor to find the next record. */
export type CursorPayload = { [key: string]: Json };

/** Whether records follow, and from where on. */
export interface Page {
  has_more: boolean;
  next?: CursorPayload | undefined;
}

/** A cursor expires this many milliseconds after it was issued. */
export const cursorLifeMs = 24 * 60 * 60 * 1000;
const tagBytes = 16;

/** A cursor is valid only for this account, operation, version, mode and these parameters. */
export interface CursorBinding {
  accountId: number;
  operation: string;
  version: string;
  mode: Mode;
  /** Every parameter of the call; `cursor`, `limit` and `offset` are ignored, as the cursor holds the position itself. */
  input: Readonly<Record<string, unknown>>;
}

/** Text for `pagination.next_cursor`: payload and expiry in base64url, then a dot and the tag. */
export function signCursor(
  secret: string,
  binding: CursorBinding,
  payload: CursorPayload,
  now: number,
): string {
  const body = Buffer.from(JSON.stringify({ p: payload, e: now + cursorLifeMs })).toString(
    "base64url",
  );
  return `${body}.${tag(secret, binding, body).toString("base64url")}`;
}

/** The payload, or undefined when the text is foreign, altered, expired or belongs to another call. */
export function openCursor(
  secret: string,
  binding: CursorBinding,
  text: string,
  now: number,
): CursorPayload | undefined {
  const dot = text.indexOf(".");
  if (dot < 1) return undefined;
  const body = text.slice(0, dot);
  // Compared as text: base64url has several spellings of the same bytes, and an altered cursor is refused.
  const given = Buffer.from(text.slice(dot + 1));
  const expected = Buffer.from(tag(secret, binding, body).toString("base64url"));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  // The tag proves that this very text was written by signCursor.
  const { p, e } = JSON.parse(Buffer.from(body, "base64url").toString()) as {
    p: CursorPayload;
    e: number;
  };
  return now < e ? p : undefined;
}

/** The `pagination` sent to a caller. `next_cursor` is always present: `null` ends a caller's loop. */
export function paginationOf(
  secret: string,
  binding: CursorBinding,
  page: Page,
  now: number,
): Pagination {
  const { has_more, next } = page;
  const next_cursor = next === undefined ? null : signCursor(secret, binding, next, now);
  return { has_more, next_cursor };
}

function tag(secret: string, binding: CursorBinding, body: string): Buffer {
  const { cursor: _cursor, limit: _limit, offset: _offset, ...bound } = binding.input;
  const parameters = hash("sha256", canonicalJson(bound), "base64url");
  return createHmac("sha256", secret)
    .update(
      [
        String(binding.accountId),
        binding.operation,
        binding.version,
        binding.mode,
        parameters,
        body,
      ].join("\n"),
    )
    .digest()
    .subarray(0, tagBytes);
}
