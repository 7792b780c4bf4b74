import type { CursorPayload } from "../../../contract/cursor.ts";
import type { Json } from "../../../contract/json.ts";
import { GatewayError, invalid } from "../../../contract/errors.ts";
import type { Answer, Call } from "../../connector.ts";
import { listed } from "../../mapping/list.ts";
import type { Upstream } from "../../transport/upstream.ts";
import { either as preferred } from "../../mapping/preference.ts";
import { get as getComplement } from "../../upstreams/twitter283/client.ts";
import { get as getOfficial, type Thing } from "../../upstreams/x/client.ts";
import { at, text } from "#wire";
import type { OfficialPage } from "./official.map.ts";
import { preference } from "./preference.ts";
import type { GraphPage } from "./timeline.map.ts";

/** Answers an operation that both X's own API and the complement have. */
export function either<T>(
  call: Call,
  own: (call: Call, upstream: Upstream) => Promise<T>,
  complement: (call: Call) => Promise<T>,
): Promise<T> {
  const begunAt = beganAt(call.cursor);
  return preferred(
    begunAt ? { ...call, cursor: { ...call.cursor, via: begunAt } } : call,
    preference,
    {
      x: own,
      twitter283: complement,
    },
  );
}

/** Cursors of release 0.2.0 name their upstream in the position only. */
function beganAt(cursor: CursorPayload | undefined): "x" | "twitter283" | undefined {
  if (cursor?.via !== undefined) return undefined;
  if (text(at(cursor?.u, "x")) !== undefined) return "x";
  return text(at(cursor?.u, "g")) === undefined ? undefined : "twitter283";
}

interface Paging {
  limit: number;
}

interface OfficialList<Row> {
  thing: Thing;
  path: string;
  query?: Record<string, string | undefined>;
  /** Page sizes that the API accepts. */
  size: { least: number; most: number };
  /** Name of the parameter that selects the next page. */
  token?: "next_token" | "pagination_token";
  read(body: unknown): OfficialPage<Row>;
}

interface ComplementList<Row> {
  path: string;
  query: Record<string, string | number | boolean | undefined>;
  read(body: unknown): GraphPage<Row>;
}

/** A list of X's own API. It requests no surplus rows, since each row is paid for. */
export function officialList<Row>(
  call: Call,
  upstream: Upstream,
  paging: Paging,
  list: OfficialList<Row>,
): Promise<Answer<Row[]>> {
  const { least, most } = list.size;
  // The request repeats the rows that an earlier call already delivered from this page.
  const delivered = typeof call.cursor?.o === "number" ? call.cursor.o : 0;
  let owed = delivered + Math.min(paging.limit, call.maxRecords);
  return listed(call, {
    limit: paging.limit,
    async fetch(position) {
      const body = await getOfficial(call, upstream, list.thing, list.path, {
        ...list.query,
        max_results: Math.min(most, Math.max(least, owed)),
        [list.token ?? "pagination_token"]: tokenIn(position, "x"),
      });
      const page = list.read(body);
      owed = Math.max(0, owed - page.rows.length);
      const next = page.next === undefined ? undefined : { x: page.next };
      // X drops rows after it has cut its pages: a page may be empty, and only its token tells whether more follows.
      return { rows: page.rows, next, advances: next !== undefined };
    },
    key: (row) => identity(row),
  });
}

/** A list of the complement; the platform chooses the page size. */
export function complementList<Row>(
  call: Call,
  paging: Paging,
  list: ComplementList<Row>,
): Promise<Answer<Row[]>> {
  return listed(call, {
    limit: paging.limit,
    async fetch(position) {
      const cursor = tokenIn(position, "g");
      const body = await getComplement(call, list.path, { ...list.query, cursor });
      const page = pageBehind(cursor, (answer) => list.read(answer), body);
      const next = page.next === undefined ? undefined : { g: page.next };
      return { rows: page.rows, next, more: page.more, advances: page.advances };
    },
    key: (row) => identity(row),
  });
}

/** A page at `cursor`. Behind another page the owner is there: an empty answer is the end, as a page without entries is. */
export function pageBehind<Row>(
  cursor: string | undefined,
  read: (body: unknown) => GraphPage<Row>,
  body: unknown,
): GraphPage<Row> {
  try {
    return read(body);
  } catch (error) {
    const isEnd = error instanceof GatewayError && error.type === "not_found";
    if (cursor === undefined || !isEnd) throw error;
    return { rows: [], next: undefined };
  }
}

/** A list that both upstreams have. */
export function eitherList<Row>(
  call: Call,
  paging: Paging,
  own: OfficialList<Row>,
  complement: ComplementList<Row>,
): Promise<Answer<Row[]>> {
  return either(
    call,
    (within, upstream) => officialList(within, upstream, paging, own),
    (within) => complementList(within, paging, complement),
  );
}

/** The upstream's own token of a position; a token of the other upstream is ignored. */
function tokenIn(position: Json | undefined, source: "x" | "g"): string | undefined {
  if (position === undefined) return undefined;
  const token = text(at(position, source));
  if (token === undefined) {
    throw invalid("query", "cursor", "invalid_cursor", "cursor: belongs to another data source");
  }
  return token;
}

function identity(row: unknown): string {
  return typeof row === "string" ? row : String((row as { id: string }).id);
}

/** Rows in the order of the request. */
export function inOrder<Row>(
  requested: readonly string[],
  rows: readonly Row[],
  key: (row: Row) => string | undefined,
): Row[] {
  const byKey = new Map(rows.map((row) => [key(row)?.toLowerCase(), row]));
  return requested.flatMap((name) => byKey.get(name.toLowerCase()) ?? []);
}
