import { CommanderError, type Command, Option } from "commander";
import { budgetPeriods } from "../contract/budget.ts";
import { budgetChanges, budgetsOf, leftOf, setBudget, usualAlertPercent } from "../db/budgets.ts";
import type { Account } from "../db/accounts.ts";
import type { Database } from "../db/client.ts";
import { findKey } from "../db/keys.ts";
import type { Mode, Period } from "../db/schema.ts";
import {
  accountName,
  addCommand,
  keyId,
  modeOption,
  mostCredits,
  whyOption,
  wholeNumber,
} from "./arguments.ts";
import { moment, table } from "./output.ts";
import type { Output, Print } from "./output.ts";
import { CliProblem } from "./problem.ts";
import { actor, withDatabase } from "./system.ts";

/** `gateway accounts budget …` and `gateway keys budget …`. */

interface Options {
  mode?: Mode;
  per?: Period;
  credits?: number;
  alert?: number;
  off?: true;
  why?: string;
}

interface Owner {
  accountId: number;
  accountName: string;
  mode: Mode | undefined;
  keyId?: string;
}

async function shown(db: Database, { accountId, accountName: account }: Owner): Promise<Output> {
  const [budgets, changes] = await Promise.all([
    budgetsOf(db, accountId),
    budgetChanges(db, accountId),
  ]);
  const rows = budgets.map((one) => [
    one.mode,
    one.keyId ?? "all",
    one.period,
    one.credits,
    one.charged,
    one.held,
    leftOf(one),
    one.alertPercent,
    moment(new Date(one.renewsAt)),
  ]);
  const headings = ["mode", "key", "per", "credits", "spent", "held", "left", "alert %", "renews"];
  return {
    json: {
      account,
      budgets: budgets.map((one) => ({
        mode: one.mode,
        key: one.keyId ?? null,
        period: one.period,
        credits: one.credits,
        charged: one.charged,
        held: one.held,
        left: leftOf(one),
        alert_percent: one.alertPercent,
        renews_at: new Date(one.renewsAt).toISOString(),
      })),
      changes: changes.map(({ keyId: key, at, ...one }) => ({
        ...one,
        key: key ?? null,
        at: at.toISOString(),
      })),
    },
    text: rows.length === 0 ? `${account} has no budgets.` : table(headings, rows),
  };
}

async function change(db: Database, owner: Owner, options: Options): Promise<Output> {
  const { per, credits, alert, off } = options;
  if (per !== undefined || credits !== undefined || off) {
    const { accountId, mode, keyId: key } = owner;
    if (!per || !mode || (credits === undefined) !== (off === true))
      throw new CommanderError(
        1,
        "gateway.usage",
        `to set a budget, use ${key ? "" : "--mode, "}--per and --credits; to remove it, use --off in place of --credits`,
      );
    await setBudget(db, {
      accountId,
      mode,
      keyId: key,
      period: per,
      credits,
      alertPercent: alert,
      ...actor(options.why),
    });
  }
  return shown(db, owner);
}

const withOptions = (command: Command): Command =>
  command
    .addOption(
      new Option("--per <period>", "period in UTC; a week begins on Monday").choices(budgetPeriods),
    )
    .option("--credits <n>", "most credits to spend in the period", wholeNumber(0, mostCredits))
    .option(
      "--alert <percent>",
      "share at which the event budget.threshold is sent",
      wholeNumber(1, 100),
      usualAlertPercent,
    )
    .option("--off", "remove the budget")
    .addOption(whyOption());

const summary =
  "limit the credits spent in a day, week or month; without options, show the budgets";

export function addAccountBudget(
  accounts: Command,
  print: Print,
  find: (db: Database, name: string) => Promise<Account>,
): void {
  withOptions(addCommand(accounts, "budget", summary))
    .argument("<name>", "name of the account", accountName)
    .addOption(modeOption())
    .action(async (name: string, options: Options) =>
      print(
        await withDatabase(async (db) => {
          const { id: accountId } = await find(db, name);
          return change(db, { accountId, accountName: name, mode: options.mode }, options);
        }),
      ),
    );
}

export function addKeyBudget(keys: Command, print: Print): void {
  withOptions(addCommand(keys, "budget", summary))
    .argument("<id>", "id of the key", keyId)
    .action(async (id: string, options: Options) =>
      print(
        await withDatabase(async (db) => {
          const key = await findKey(db, id);
          if (!key) throw new CliProblem("key_unknown", `There is no key with the id ${id}.`);
          return change(db, { ...key, keyId: id }, options);
        }),
      ),
    );
}
