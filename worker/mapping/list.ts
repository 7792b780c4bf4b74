import { GatewayError } from "../../contract/errors.ts";
import type { CursorPayload, Json } from "../../contract/job.ts";
import { steadyNow } from "../../contract/steady.ts";
import type { Answer, Call } from "../connector.ts";
import { ShapeError } from "./wire.ts";

/** One page of an upstream's list. */
export interface Page<Row> {
  rows: Row[];
  /** Where the upstream continues; null where it says that it ends, absent where it says neither. */
  next?: Json | undefined;
  /** The upstream says that there is more, or that there is not; absent where it does not say. */
  more?: boolean | undefined;
}

export interface Collected<Row> {
  rows: Row[];
  pagination: { has_more: boolean; next?: CursorPayload };
  truncated: boolean;
}

/** Share of a call's time after which a list returns what it has. */
const patience = 0.7;
/** Upstreams claim more behind an empty page; believed this many times in a row. */
const emptyPagesFollowed = 2;

interface Options<Row> {
  /** The caller's `limit`. */
  limit: number;
  fetch(position: Json | undefined): Promise<Page<Row>>;
  /** Identity of a row; a row already seen in this call is dropped. */
  key?(row: Row): string;
  /** Where the list begins, with what was looked up to find it; a cursor has its own. */
  start?: Json | undefined;
}

/**
 * Fills `limit` from several upstream pages. The cursor holds the upstream's own position (`u`) and the
 * number of rows of that page already delivered (`o`), so a page cut by the limit or by the balance
 * continues at the first undelivered row.
 */
export async function collect<Row>(call: Call, options: Options<Row>): Promise<Collected<Row>> {
  const wanted = Math.min(options.limit, call.maxRecords);
  const slowAfter = call.startedAt + (call.deadline - call.startedAt) * patience;
  const seen = new Set<string>();
  const rows: Row[] = [];
  let position: Json | undefined = call.cursor?.u ?? options.start;
  let offset = typeof call.cursor?.o === "number" ? call.cursor.o : 0;
  let empty = 0;

  const stop = (next: CursorPayload | undefined): Collected<Row> => ({
    rows,
    pagination: next ? { has_more: true, next } : { has_more: false },
    truncated:
      next !== undefined && call.shortOfCredits && rows.length >= wanted && wanted < options.limit,
  });
  const at = (u: Json | undefined, o: number): CursorPayload => ({
    ...(u === undefined ? {} : { u }),
    ...(o === 0 ? {} : { o }),
  });

  for (;;) {
    let page: Page<Row>;
    try {
      page = await options.fetch(position);
      // The cursor stands where nobody looks: a list that ended here would lack its rest in silence.
      if (page.next === undefined && page.more === true) throw new ShapeError("next page");
    } catch (error) {
      // What was already collected is worth more to the caller than the fault of a later page.
      if (rows.length === 0 || !(error instanceof GatewayError)) throw error;
      const path = error instanceof ShapeError ? { path: error.path } : {};
      call.log("warn", "a later page failed", { error_type: error.type, ...path });
      return stop(at(position, offset));
    }
    const before = rows.length;
    for (let index = offset; index < page.rows.length; index += 1) {
      if (rows.length === wanted) return stop(at(position, index));
      const row = page.rows[index] as Row;
      const key = options.key?.(row);
      if (key !== undefined && seen.has(key)) continue;
      if (key !== undefined) seen.add(key);
      rows.push(row);
    }
    // A page of nothing but repeats is as empty as one without rows.
    empty = rows.length > before ? 0 : empty + 1;
    const { next } = page;
    // A position that does not move is an end that the upstream does not admit.
    if (next === undefined || next === null || same(next, position)) return stop(undefined);
    if (empty > emptyPagesFollowed) return stop(undefined);
    position = next;
    offset = 0;
    if (rows.length === wanted) return stop(at(position, 0));
    if (steadyNow() >= slowAfter && rows.length > 0) return stop(at(position, 0));
  }
}

/** `collect` as the whole answer of an operation whose `data` is the list itself. */
export async function listed<Row>(call: Call, options: Options<Row>): Promise<Answer<Row[]>> {
  const { rows, ...rest } = await collect(call, options);
  return { data: rows, ...rest };
}

/** `listed` for rows with an id, none of which comes twice in a call. */
export const listedById = <Row extends { id: string }>(
  call: Call,
  { limit }: { limit: number },
  fetch: Options<Row>["fetch"],
  start?: Json,
) => listed(call, { limit, fetch, start, key: (row) => row.id });

/** The answer of a list without pages, cut where the balance or the operation's own bound is. */
export function whole<Row>(
  call: Pick<Call, "maxRecords" | "shortOfCredits">,
  rows: Row[],
): Answer<Row[]> {
  return {
    data: rows.slice(0, call.maxRecords),
    truncated: call.shortOfCredits && rows.length > call.maxRecords,
  };
}

function same(a: Json, b: Json | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
