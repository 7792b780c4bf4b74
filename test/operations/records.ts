import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Operation } from "../../contract/operation.ts";

/**
 * The outputs that every wire value derives, kept in test/areas/<area>/derivations.json. Renew and review with
 *
 *   UPDATE_DERIVATIONS=1 npx vitest run --project mappings test/operations/derivations -t "<operation id>"
 *
 * That command writes `derives` (wire path -> outputs; `?` after a path: its presence), `needs` (wire
 * path -> error of the whole call, or the lost row, without it) and `rows` (output list -> wire list).
 * The others are hand-written exceptions, each with its reason: `unchanged` an output that no wire
 * value changes or that only special calls show (the command adds outputs made from an input field),
 * `shared` a wire value that changes several rows, `summary` an output outside of rows that changes
 * with rows. In outputs `x[]-` and `x[]+` are a removed or added row, `x[]~` a moved one, `@…` the
 * pagination and `!type` an error of the whole call.
 */
export interface Recorded {
  derives: Record<string, string>;
  needs: Record<string, string>;
  rows: Record<string, string>;
  unchanged: Record<string, string>;
  shared: Record<string, string>;
  summary: Record<string, string>;
}

const fileOf = (op: Operation) =>
  join(import.meta.dirname, "..", "areas", op.area, "derivations.json");

function readAll(op: Operation): Record<string, Recorded> {
  if (!existsSync(fileOf(op))) return {};
  return JSON.parse(readFileSync(fileOf(op), "utf8")) as Record<string, Recorded>;
}

export function readRecord(op: Operation): Recorded | undefined {
  return readAll(op)[op.id];
}

export function needRecord(op: Operation): Recorded {
  const record = readRecord(op);
  if (record) return record;
  throw new Error(`${op.id} has no record yet: see the head of test/operations/records.ts`);
}

export function writeRecord(op: Operation, record: Recorded): void {
  const all = Object.entries({ ...readAll(op), [op.id]: record });
  const sorted = Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(fileOf(op), `${JSON.stringify(sorted, null, 2)}\n`);
}
