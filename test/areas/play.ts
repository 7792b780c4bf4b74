import { operations } from "../../contract/index.ts";
import type { CursorPayload } from "../../contract/cursor.ts";
import type { Scenario } from "../../contract/scenario.ts";
import { createSandbox } from "../../worker/sandbox/sandbox.ts";
import type { Samples } from "../../worker/sandbox/sample.ts";
import { type Played, play as playOperation } from "../operations/play.ts";

interface Options {
  /** Answers in place of the bundled samples. */
  samples?: readonly Samples[];
  cursor?: CursorPayload | undefined;
  scenario?: Scenario;
  maxRecords?: number;
}

/** Runs one call by its operation's id, with `input` in the caller's form. */
export async function play(
  id: string,
  input: Record<string, unknown>,
  options: Options = {},
): Promise<Played> {
  const operation = operations.get(id);
  if (!operation) throw new Error(`no operation ${id}`);
  const { samples, ...rest } = options;
  return playOperation(operation, operation.input.parse(input) as Record<string, unknown>, {
    ...rest,
    ...(samples ? { outbound: createSandbox(samples) } : {}),
  });
}

/** Follows a list to its end; every page must succeed. */
export async function playToEnd<Row>(
  id: string,
  input: Record<string, unknown>,
  options: Options = {},
): Promise<Row[][]> {
  const pages: Row[][] = [];
  let cursor: CursorPayload | undefined;
  do {
    const played = await play(id, input, { ...options, cursor });
    if (!played.ok) throw new Error(`${played.type}: ${played.message}`);
    pages.push(played.data as Row[]);
    cursor = played.pagination?.next;
  } while (cursor && pages.length < 100);
  return pages;
}
