import type { Command } from "commander";
import { addCredits } from "../db/accounts.ts";
import type { Database } from "../db/client.ts";
import type { Mode } from "../db/schema.ts";
import { findAccount } from "./accounts.ts";
import { addCommand, requiredAccount, requiredMode, signedCredits } from "./arguments.ts";
import { fields } from "./output.ts";
import type { Output, Print } from "./output.ts";
import { actor, withDatabase } from "./system.ts";

interface Booking {
  account: string;
  mode: Mode;
  credits: number;
  reason: string;
}

async function add(db: Database, { account, mode, credits, reason }: Booking): Promise<Output> {
  const { id, name } = await findAccount(db, account);
  const balance = await addCredits(db, id, mode, credits, reason, actor());
  const json = { account: name, mode, credits, balance };
  return { json, text: fields(json) };
}

/** `gateway credits …` */
export function addCreditsGroup(program: Command, print: Print): void {
  const credits = program.command("credits").description("credits of accounts");
  addCommand(credits, "add", "add credits; a negative number removes them")
    .addOption(requiredAccount())
    .addOption(requiredMode())
    .requiredOption("--credits <n>", "number of credits", signedCredits)
    .option("--reason <text>", "text for the ledger", "added by the operator")
    .action(async (options: Booking) => print(await withDatabase((db) => add(db, options))));
}
