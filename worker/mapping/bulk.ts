import { GatewayError } from "../../contract/errors.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import type { Call } from "../connector.ts";
import { firstOfEach } from "./first-of-each.map.ts";
import { inParallel } from "./parallel.ts";

export interface BulkOptions<Row> {
  /** Targets or keywords as the caller gave them, checked and trimmed. */
  inputs: readonly string[];
  /** Most inputs of one upstream call. */
  most: number;
  /** Splits inputs where the upstream has more rules than a number; pieces are cut to `most` as well. */
  plan?: ((inputs: string[]) => string[][]) | undefined;
  /** Requests one piece; throws GatewayError. */
  ask(piece: string[]): Promise<Row[]>;
  /** The input of a row, in the upstream's spelling. */
  key(row: Row): string;
  /** The row with the caller's spelling of its input. */
  name(row: Row, input: string): Row;
  /** Normal form of an input, equal for all its spellings; lower case by default. */
  same?: (input: string) => string;
}

export interface Bulk<Row> {
  /** In the caller's order. */
  results: Row[];
  /** Requested, and unknown to the upstream. */
  missing: string[];
  /** Not requested, or part of a failed piece. */
  unprocessed: string[];
  /** The balance paid for fewer inputs than there are. */
  truncated: boolean;
}

/** Concurrent requests of one call. */
const concurrency = 3;
/** Most rounds in which further inputs replace those unknown to the upstream. */
const mostRounds = 5;
/** Share of a call's time after which no further round begins. */
const lastRoundShare = 0.7;

/**
 * Requests many inputs, each once, in pieces of the upstream's size. A round requests no more inputs than
 * the call may still be charged for; unknown inputs cost nothing, so further rounds request others in
 * their place. A failed piece loses no other one; when all fail, the first error is thrown.
 */
export async function bulk<Row>(call: Call, options: BulkOptions<Row>): Promise<Bulk<Row>> {
  const same = options.same ?? ((input: string) => input.toLowerCase());
  const distinct = firstOfEach(options.inputs, same);
  const found = new Map<string, Row>();
  const failed = new Set<string>();
  const failures: GatewayError[] = [];
  let pieceCount = 0;

  async function request(inputs: string[]): Promise<void> {
    const planned = options.plan?.(inputs) ?? [inputs];
    const pieces = planned.flatMap((piece) => cut(piece, options.most));
    pieceCount += pieces.length;
    const outcomes = await inParallel(concurrency, pieces, async (piece) =>
      align(piece, await options.ask(piece), options, same, found),
    );
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === "fulfilled") continue;
      call.signal.throwIfAborted();
      if (!(outcome.reason instanceof GatewayError)) throw outcome.reason;
      failures.push(outcome.reason);
      for (const input of pieces[index] as string[]) failed.add(input);
    }
  }

  const { startedAt, deadline } = call;
  const lastRoundBefore = startedAt + (deadline - startedAt) * lastRoundShare;
  let requested: string[] = [];
  for (let round = 0; round < mostRounds; round += 1) {
    const inputs = distinct.slice(
      requested.length,
      requested.length + call.maxRecords - found.size,
    );
    if (inputs.length === 0 || (round > 0 && monotonicNow() > lastRoundBefore)) break;
    await request(inputs);
    requested = distinct.slice(0, requested.length + inputs.length);
    if (failures.length > 0) break;
  }
  const [first] = failures;
  if (first && failures.length === pieceCount) throw first;
  if (first) {
    call.log("warn", "pieces of a bulk call failed", {
      pieces: pieceCount,
      failed: failures.length,
      error_type: first.type,
    });
  }
  const unprocessed = new Set([...failed, ...distinct.slice(requested.length)]);
  const results = requested.flatMap((input) => {
    const row = found.get(input);
    return row === undefined ? [] : [options.name(row, input)];
  });
  return {
    results,
    missing: requested.filter((input) => !found.has(input) && !unprocessed.has(input)),
    unprocessed: distinct.filter((input) => unprocessed.has(input)),
    truncated: requested.length < distinct.length,
  };
}

/** Matches every row to its input: by exact text first, then by looser forms. */
function align<Row>(
  piece: readonly string[],
  rows: readonly Row[],
  options: Pick<BulkOptions<Row>, "key">,
  same: (input: string) => string,
  found: Map<string, Row>,
): void {
  const readings = [
    (text: string) => text,
    same,
    (text: string) => bare(same(text)),
    (text: string) => bare(same(text)).replace(/^www\./, ""),
  ];
  let left = [...rows];
  for (const reading of readings) {
    const waiting = new Map(
      piece.filter((input) => !found.has(input)).map((input) => [reading(input), input]),
    );
    left = left.filter((row) => {
      const key = reading(options.key(row));
      const input = waiting.get(key);
      if (input === undefined) return true;
      found.set(input, row);
      waiting.delete(key);
      return false;
    });
  }
}

/** Lower case, without scheme and a trailing slash. */
function bare(text: string): string {
  const start = text.toLowerCase().replace(/^https?:\/\//, "");
  return start.endsWith("/") ? start.slice(0, -1) : start;
}

function cut(piece: string[], most: number): string[][] {
  return Array.from({ length: Math.ceil(piece.length / most) }, (_, index) =>
    piece.slice(index * most, (index + 1) * most),
  );
}
