import { GatewayError } from "../../contract/errors.ts";
import type { CursorPayload } from "../../contract/cursor.ts";
import type { Json } from "../../contract/json.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import type { Answer, Call } from "../connector.ts";
import { firstOfEach } from "./first-of-each.map.ts";
import { ShapeError } from "./wire.ts";

/** One page of an upstream's list. */
export interface Page<Row> {
  rows: Row[];
  /** Position of the next page; null when the upstream states the end, absent when it states neither. */
  next?: Json | undefined;
  /** Whether the upstream states that more follows; absent where it does not. */
  more?: boolean | undefined;
  /** True where the list goes on behind this page for certain, so that a page without rows is not its end. */
  advances?: boolean | undefined;
}

export interface Collected<Row> {
  rows: Row[];
  pagination: { has_more: boolean; next?: CursorPayload };
  truncated: boolean;
}

/** Share of a call's time after which a list returns its rows so far. */
const lastPageShare = 0.7;
/** Most consecutive empty pages that are followed, when the upstream claims that more follows. */
const emptyPagesFollowed = 2;
/** Most consecutive empty pages that are followed in a call where the list goes on for certain. */
const advancingPagesFollowed = 10;

interface Options<Row> {
  /** The caller's `limit`. */
  limit: number;
  fetch(position: Json | undefined): Promise<Page<Row>>;
  /** Identity of a row, where it has one; a row already seen in this call is dropped. */
  key?: ((row: Row) => string | undefined) | undefined;
  /** First position, including looked-up ids; a cursor contains its own. */
  start?: Json | undefined;
}

/**
 * Fills `limit` from several upstream pages. The cursor holds the upstream's own position (`u`) and the
 * number of rows of that page already delivered (`o`), so a page cut by the limit or by the balance
 * continues at the first undelivered row.
 */
export async function collect<Row>(call: Call, options: Options<Row>): Promise<Collected<Row>> {
  const rowLimit = Math.min(options.limit, call.maxRecords);
  const slowAfter = call.startedAt + (call.deadline - call.startedAt) * lastPageShare;
  const seen = new Set<string>();
  /** Positions of this call. */
  const visited = new Set<string | undefined>();
  const rows: Row[] = [];
  let position: Json | undefined = call.cursor?.u ?? options.start;
  let offset = typeof call.cursor?.o === "number" ? call.cursor.o : 0;
  let empty = 0;

  const stop = (next: CursorPayload | undefined): Collected<Row> => ({
    rows,
    pagination: next ? { has_more: true, next } : { has_more: false },
    truncated:
      next !== undefined &&
      call.shortOfCredits &&
      rows.length >= rowLimit &&
      rowLimit < options.limit,
  });
  const at = (u: Json | undefined, o: number): CursorPayload => ({
    ...(u === undefined ? {} : { u }),
    ...(o === 0 ? {} : { o }),
  });

  for (;;) {
    let page: Page<Row>;
    try {
      page = await options.fetch(position);
      // The next cursor is not where the mapping looks: ending here would silently lose the rest.
      if (page.next === undefined && page.more === true) throw new ShapeError("next page");
    } catch (error) {
      // The collected rows are worth more to the caller than the fault of a later page.
      if (rows.length === 0 || !(error instanceof GatewayError)) throw error;
      const path = error instanceof ShapeError ? { path: error.path } : {};
      call.log("warn", "a later page failed", { error_type: error.type, ...path });
      return stop(at(position, offset));
    }
    const before = rows.length;
    for (let index = offset; index < page.rows.length; index += 1) {
      if (rows.length === rowLimit) return stop(at(position, index));
      const row = page.rows[index] as Row;
      const key = options.key?.(row);
      if (key !== undefined && seen.has(key)) continue;
      if (key !== undefined) seen.add(key);
      rows.push(row);
    }
    // A page of repeated rows only counts as empty.
    empty = rows.length > before ? 0 : empty + 1;
    const { next } = page;
    visited.add(JSON.stringify(position));
    // A position that leads back is the end, although the upstream does not state it: its pages would come for ever.
    if (next === undefined || next === null || visited.has(JSON.stringify(next))) {
      return stop(undefined);
    }
    const advances = page.advances === true;
    if (empty > emptyPagesFollowed && !advances) return stop(undefined);
    position = next;
    offset = 0;
    if (rows.length === rowLimit || empty > advancingPagesFollowed) return stop(at(position, 0));
    const isWorthStopping = rows.length > 0 || advances;
    if (monotonicNow() >= slowAfter && isWorthStopping) return stop(at(position, 0));
  }
}

/** `collect` as the whole answer of an operation whose `data` is the list itself. */
export async function listed<Row>(call: Call, options: Options<Row>): Promise<Answer<Row[]>> {
  const { rows, ...rest } = await collect(call, options);
  return { data: rows, ...rest };
}

/** `listed` for rows with an id, without duplicates in a call. */
export const listedById = <Row extends { id: string }>(
  call: Call,
  { limit }: { limit: number },
  fetch: Options<Row>["fetch"],
  start?: Json,
) => listed(call, { limit, fetch, start, key: (row) => row.id });

/** The answer of a list without pages, cut at the balance or at the operation's own limit. */
export function whole<Row>(
  call: Pick<Call, "maxRecords" | "shortOfCredits">,
  rows: Row[],
  /** Identity of a row, where it has one; a second row with it is dropped. */
  key: (row: Row) => string | undefined = () => undefined,
): Answer<Row[]> {
  const shown = firstOfEach(rows, key);
  return {
    data: shown.slice(0, call.maxRecords),
    truncated: call.shortOfCredits && shown.length > call.maxRecords,
  };
}

/** `whole` for rows with an id, without duplicates. */
export const wholeById = <Row extends { id?: string | undefined }>(
  call: Pick<Call, "maxRecords" | "shortOfCredits">,
  rows: Row[],
): Answer<Row[]> => whole(call, rows, (row) => row.id);
