import type { Json } from "../../../contract/json.ts";
import { invalid } from "../../../contract/errors.ts";
import type { Answer, Call } from "../../connector.ts";
import { listed } from "../../mapping/list.ts";
import type { Upstream } from "../../transport/upstream.ts";
import { get as getComplement, twitter283 } from "../../upstreams/twitter283/client.ts";
import { get as getOfficial, type Thing, x, xApp } from "../../upstreams/x/client.ts";
import { at, text } from "#wire";
import type { OfficialPage } from "./official.map.ts";
import type { GraphPage } from "./timeline.map.ts";

/** X's own API, with whichever of its two credentials the operator has set. */
async function officialOf(call: Call): Promise<Upstream | undefined> {
  if (await call.hasCredentials(x)) return x;
  return (await call.hasCredentials(xApp)) ? xApp : undefined;
}

/** The official API, or the complement where only its credentials are set. */
export async function official<T>(
  call: Call,
  own: (upstream: Upstream) => Promise<T>,
  complement: () => Promise<T>,
): Promise<T> {
  const upstream = await officialOf(call);
  if (upstream) return own(upstream);
  return (await call.hasCredentials(twitter283)) ? complement() : own(x);
}

/** The complement, or the official API where only its credentials are set. */
export async function complementary<T>(
  call: Call,
  complement: () => Promise<T>,
  own: (upstream: Upstream) => Promise<T>,
): Promise<T> {
  if (await call.hasCredentials(twitter283)) return complement();
  const upstream = await officialOf(call);
  return upstream ? own(upstream) : complement();
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
      return { rows: page.rows, next: page.next === undefined ? undefined : { x: page.next } };
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
      const page = list.read(await getComplement(call, list.path, { ...list.query, cursor }));
      const next = page.next === undefined ? undefined : { g: page.next };
      return { rows: page.rows, next, more: page.more };
    },
    key: (row) => identity(row),
  });
}

/** A list that both upstreams have, from the official API where its credentials are set. */
export function eitherList<Row>(
  call: Call,
  paging: Paging,
  own: OfficialList<Row>,
  complement: ComplementList<Row>,
): Promise<Answer<Row[]>> {
  return official(
    call,
    (upstream) => officialList(call, upstream, paging, own),
    () => complementList(call, paging, complement),
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
