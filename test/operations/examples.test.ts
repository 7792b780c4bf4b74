import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Shown } from "../../api/openapi/answers.ts";
import { areas } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";
import { exampleOf } from "./inputs.ts";
import { answer, mapped } from "./play.ts";
import { validatorOf } from "./schema.ts";

/**
 * The contract's answer for every operation, kept in contract/areas/<area>/answers.json: the
 * shortened test-mode answer of its example. Renew and review with
 *
 *   UPDATE_ANSWERS=1 npx vitest run --project mappings test/operations/examples
 *
 * The browser's answers are hand-written, because its test mode renders real pages.
 */

const update = process.env["UPDATE_ANSWERS"] !== undefined;
const startedAt = Date.UTC(2026, 6, 1, 12);
const mostItems = 2;
const mostText = 300;

const fileOf = (area: string) =>
  join(import.meta.dirname, "..", "..", "contract", "areas", area, "answers.json");

/** Long lists and texts shortened, because people read the examples. */
function shortened(value: unknown): unknown {
  if (typeof value === "string" && value.length > mostText && !/^https?:/.test(value)) {
    return `${value.slice(0, mostText)}…`;
  }
  if (Array.isArray(value)) return value.slice(0, mostItems).map(shortened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, shortened(member)]),
  );
}

async function shownOf(op: Operation): Promise<Shown> {
  const played = await answer(op, exampleOf(op), { startedAt });
  const data = shortened(played.data);
  const { records } = op;
  const rows = records.kind === "one" ? 1 : records.rows(data as never).length;
  return { data, records: rows, has_more: played.pagination?.has_more ?? false };
}

const read = (area: string): Record<string, Shown> =>
  existsSync(fileOf(area)) ? (JSON.parse(readFileSync(fileOf(area), "utf8")) as never) : {};

test.each(areas.map(({ name, operations }) => ({ name, operations })))(
  "$name: shows the test-mode answers of the examples",
  async ({ name, operations }) => {
    const kept = read(name);
    const made: Record<string, Shown> = {};
    for (const op of operations) {
      made[op.id] = mapped.includes(op) ? await shownOf(op) : (kept[op.id] as Shown);
      const validate = validatorOf(op);
      expect(validate(made[op.id]?.data), `${op.id}: ${JSON.stringify(validate.errors?.[0])}`).toBe(
        true,
      );
    }
    if (update) writeFileSync(fileOf(name), `${JSON.stringify(made, null, 2)}\n`);
    expect(made, "renew with the command at the head of this file").toEqual(read(name));
  },
);
