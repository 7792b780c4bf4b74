import { CommanderError } from "commander";
import type { Command } from "commander";
import type { Database } from "../db/client.ts";
import type { Mode } from "../db/schema.ts";
import { usageBy } from "../db/usage.ts";
import { findAccount } from "./accounts.ts";
import { addCommand, day, modeOption, requiredAccount } from "./arguments.ts";
import { table } from "./output.ts";
import type { Output, Print } from "./output.ts";
import { withDatabase } from "./system.ts";

const dayMs = 24 * 3600_000;
/** Days to show without --from, including the last one. */
const defaultDays = 30;

interface Question {
  account: string;
  mode?: Mode;
  from?: Date;
  to?: Date;
}

const text = (date: Date): string => date.toISOString().slice(0, 10);

function daysOf({ from, to }: Question): { from: Date; to: Date } {
  const last = to ?? new Date(Math.floor(Date.now() / dayMs) * dayMs);
  const first = from ?? new Date(last.getTime() - (defaultDays - 1) * dayMs);
  if (first > last)
    throw new CommanderError(
      1,
      "gateway.usage",
      `--from ${text(first)} is later than --to ${text(last)}`,
    );
  return { from: first, to: last };
}

async function answer(
  db: Database,
  question: Question,
  { from, to }: { from: Date; to: Date },
): Promise<Output> {
  const { id, name } = await findAccount(db, question.account);
  const until = new Date(to.getTime() + dayMs);
  const modes: Mode[] = question.mode ? [question.mode] : ["live", "test"];
  const rows = [];
  for (const mode of modes) {
    for (const row of await usageBy(db, id, mode, { from, to: until })) rows.push({ mode, ...row });
  }
  const total = { calls: 0, errors: 0, records: 0, credits: 0 };
  for (const row of rows) {
    total.calls += row.calls;
    total.errors += row.errors;
    total.records += row.records;
    total.credits += row.credits;
  }
  const { calls, errors, records, credits } = total;
  const lines = rows.map((row) => [
    row.day,
    row.mode,
    row.operation,
    row.calls,
    row.errors,
    row.records,
    row.credits,
  ]);
  return {
    json: { account: name, from: text(from), to: text(to), rows, total },
    text:
      rows.length === 0
        ? `${name} made no calls from ${text(from)} to ${text(to)}.`
        : table(
            ["day", "mode", "operation", "calls", "errors", "records", "credits"],
            [...lines, ["total", "", "", calls, errors, records, credits]],
          ),
  };
}

/** `gateway usage` */
export function addUsage(program: Command, print: Print): void {
  addCommand(program, "usage", "show calls and credits by day and operation")
    .addOption(requiredAccount())
    .addOption(modeOption())
    .option(
      "--from <day>",
      `first day in UTC (default: ${defaultDays} days with the last one)`,
      day,
    )
    .option("--to <day>", "last day in UTC, included (default: today)", day)
    .action(async (question: Question) => {
      const days = daysOf(question);
      print(await withDatabase((db) => answer(db, question, days)));
    });
}
