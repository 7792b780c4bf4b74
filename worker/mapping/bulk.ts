import { GatewayError } from "../../contract/errors.ts";
import { steadyNow } from "../../contract/steady.ts";
import type { Call } from "../connector.ts";
import { inParallel } from "./parallel.ts";

export interface BulkOptions<Row> {
  /** Targets or keywords as the caller gave them, checked and trimmed. */
  inputs: readonly string[];
  /** Most inputs that the upstream takes in one call. */
  most: number;
  /** Splits where the upstream demands more than a number; keeps to `most` as well. */
  plan?: (inputs: string[]) => string[][];
  /** Asks for one piece; throws GatewayError. */
  ask(piece: string[]): Promise<Row[]>;
  /** The input a row answers, in the upstream's spelling. */
  key(row: Row): string;
  /** The row under the caller's spelling of its input. */
  name(row: Row, input: string): Row;
  /** Form in which two spellings of one input are the same; lower case where there is none. */
  same?: (input: string) => string;
}

export interface Bulk<Row> {
  /** In the caller's order. */
  results: Row[];
  /** Asked for, and not known to the upstream. */
  missing: string[];
  /** Not asked for, or lost with a piece that failed. */
  unprocessed: string[];
  /** The balance paid for fewer inputs than there are. */
  truncated: boolean;
}

/** Pieces of one call that are asked at the same time. */
const sideBySide = 3;
/** Times that further inputs are asked for in place of those that the upstream did not know. */
const mostRounds = 5;
/** Share of a call's time after which no further round begins. */
const patience = 0.7;

/**
 * Asks for many inputs: each once, in pieces where the upstream takes only so many, and no more at a
 * time than the call may still be charged for: those that the upstream does not know cost nothing, so
 * others are asked for in their place. A piece that fails loses no other; when all fail, the error of
 * the first is thrown.
 */
export async function bulk<Row>(call: Call, options: BulkOptions<Row>): Promise<Bulk<Row>> {
  const same = options.same ?? ((input: string) => input.toLowerCase());
  const distinct = withoutDoubles(options.inputs, same);
  const found = new Map<string, Row>();
  const failed = new Set<string>();
  const failures: GatewayError[] = [];
  let pieceCount = 0;

  async function askFor(inputs: string[]): Promise<void> {
    const planned = options.plan?.(inputs) ?? [inputs];
    const pieces = planned.flatMap((piece) => cut(piece, options.most));
    pieceCount += pieces.length;
    const outcomes = await inParallel(sideBySide, pieces, async (piece) =>
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
  const lastRoundBefore = startedAt + (deadline - startedAt) * patience;
  let asked: string[] = [];
  for (let round = 0; round < mostRounds; round += 1) {
    const inputs = distinct.slice(asked.length, asked.length + call.maxRecords - found.size);
    if (inputs.length === 0 || (round > 0 && steadyNow() > lastRoundBefore)) break;
    await askFor(inputs);
    asked = distinct.slice(0, asked.length + inputs.length);
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
  const unprocessed = new Set([...failed, ...distinct.slice(asked.length)]);
  const results = asked.flatMap((input) => {
    const row = found.get(input);
    return row === undefined ? [] : [options.name(row, input)];
  });
  return {
    results,
    missing: asked.filter((input) => !found.has(input) && !unprocessed.has(input)),
    unprocessed: distinct.filter((input) => unprocessed.has(input)),
    truncated: asked.length < distinct.length,
  };
}

function withoutDoubles(inputs: readonly string[], same: (input: string) => string): string[] {
  const seen = new Set<string>();
  return inputs.filter((input) => {
    const form = same(input);
    return !seen.has(form) && seen.add(form);
  });
}

/** Gives every row to the input that it answers: by its very text first, then by a looser reading. */
function align<Row>(
  piece: readonly string[],
  rows: readonly Row[],
  options: Pick<BulkOptions<Row>, "key">,
  same: (input: string) => string,
  found: Map<string, Row>,
): void {
  const readings = [(text: string) => text, same, (text: string) => loose(same(text))];
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

/** Lower case, without scheme, "www." and a trailing slash. */
function loose(text: string): string {
  const start = text.toLowerCase().replace(/^(https?:\/\/)?(www\.)?/, "");
  return start.endsWith("/") ? start.slice(0, -1) : start;
}

function cut(piece: string[], most: number): string[][] {
  return Array.from({ length: Math.ceil(piece.length / most) }, (_, index) =>
    piece.slice(index * most, (index + 1) * most),
  );
}
