import { Option } from "commander";
import type { Command } from "commander";
import { type ChangeKind, changedValues, changeKinds, listChanges } from "../db/changes.ts";
import type { Database } from "../db/client.ts";
import { findAccount } from "./accounts.ts";
import { accountName, addCommand, wholeNumber } from "./arguments.ts";
import { type Output, type Print, moment, table } from "./output.ts";
import { withDatabase } from "./system.ts";

interface Question {
  account?: string;
  kind?: ChangeKind;
  who?: string;
  limit: number;
}

async function list(db: Database, question: Question): Promise<Output> {
  if (question.account !== undefined) await findAccount(db, question.account);
  const changes = await listChanges(db, question);
  const rows = changes.map((change) => {
    const { before, after } = changedValues(change);
    const { at, who, via, kind, target, why } = change;
    return [moment(at), who, via, kind, target, before, after, why || "-"];
  });
  const headings = ["when", "who", "by", "kind", "what", "before", "after", "why"];
  return {
    json: { changes },
    text: rows.length === 0 ? "There are no such changes." : table(headings, rows),
  };
}

/** `gateway changes` */
export function addChanges(program: Command, print: Print): void {
  addCommand(
    program,
    "changes",
    "show who changed what: decisions, limits, credits, keys, budgets; and replays",
  )
    .option("--account <name>", "only changes of this account", accountName)
    .addOption(new Option("--kind <kind>", "only changes of this kind").choices([...changeKinds]))
    .option("--who <name>", "only changes by this operator or program")
    .option("--limit <n>", "most changes to show", wholeNumber(1, 10_000), 50)
    .action(async (question: Question) => print(await withDatabase((db) => list(db, question))));
}
