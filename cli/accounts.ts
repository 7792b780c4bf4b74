import { CommanderError, Option } from "commander";
import type { Command } from "commander";
import { accountNamed, changeAccount, createAccount, listAccounts } from "../db/accounts.ts";
import type { Account } from "../db/accounts.ts";
import type { Database } from "../db/client.ts";
import { exemptFromRobots } from "../db/crawls.ts";
import { accountName, addCommand, whyOption, wholeNumber } from "./arguments.ts";
import { addAccountBudget } from "./budgets.ts";
import { table } from "./output.ts";
import type { Output, Print } from "./output.ts";
import { CliProblem } from "./problem.ts";
import { actor, withDatabase } from "./system.ts";

interface Limits {
  why?: string;
  rate?: number;
  inFlight?: number;
}

interface Changes extends Limits {
  disable?: true;
  enable?: true;
  ignoreRobots?: "yes" | "no";
}

/** Throws CliProblem when no account has this name. */
export async function findAccount(db: Database, name: string): Promise<Account> {
  const found = await accountNamed(db, name);
  if (!found) throw new CliProblem("account_unknown", `There is no account named ${name}.`);
  return found;
}

const shown = ({ alertBelow, ...rest }: Account["balances"]["live"]) => ({
  ...rest,
  alert_below: alertBelow,
});

const toJson = (account: Account) => ({
  name: account.name,
  disabled: account.disabled,
  rate_per_second: account.ratePerSecond,
  max_in_flight: account.maxInFlight,
  created_at: account.createdAt.toISOString(),
  balances: { live: shown(account.balances.live), test: shown(account.balances.test) },
});

const toTable = (accounts: Account[]): string =>
  table(
    ["name", "disabled", "calls/s", "in flight", "live credits", "test credits"],
    accounts.map(({ name, disabled, ratePerSecond, maxInFlight, balances }) => [
      name,
      disabled,
      ratePerSecond,
      maxInFlight,
      balances.live.balance,
      balances.test.balance,
    ]),
  );

const one = (account: Account): Output => ({ json: toJson(account), text: toTable([account]) });

function changesOf({ rate, inFlight, disable, enable }: Changes) {
  return {
    ...(rate === undefined ? {} : { ratePerSecond: rate }),
    ...(inFlight === undefined ? {} : { maxInFlight: inFlight }),
    ...(disable || enable ? { disabled: disable === true } : {}),
  };
}

async function change(db: Database, name: string, options: Changes): Promise<Output> {
  const changes = changesOf(options);
  const { ignoreRobots } = options;
  if (Object.keys(changes).length > 0) {
    const { id } = await findAccount(db, name);
    await changeAccount(db, id, changes, actor(options.why));
  }
  if (ignoreRobots !== undefined) {
    const { id } = await findAccount(db, name);
    await exemptFromRobots(db, id, ignoreRobots === "yes", actor(options.why));
  }
  return one(await findAccount(db, name));
}

async function create(db: Database, name: string, options: Limits): Promise<Output> {
  await createAccount(db, name, actor(options.why));
  return change(db, name, options);
}

function set(name: string, options: Changes): Promise<Output> {
  if (options.disable && options.enable)
    throw new CommanderError(1, "gateway.usage", "--disable and --enable exclude each other");
  if (Object.keys(changesOf(options)).length === 0 && options.ignoreRobots === undefined)
    throw new CommanderError(
      1,
      "gateway.usage",
      "there is nothing to change: use --rate, --in-flight, --disable, --enable or --ignore-robots",
    );
  return withDatabase((db) => change(db, name, options));
}

async function list(db: Database): Promise<Output> {
  const accounts = await listAccounts(db);
  return {
    json: { accounts: accounts.map(toJson) },
    text: accounts.length === 0 ? "There are no accounts yet." : toTable(accounts),
  };
}

const withLimits = (command: Command): Command =>
  command
    .option("--rate <n>", "rate limit: calls per second", wholeNumber(1, 1_000_000))
    .option("--in-flight <n>", "concurrency limit: calls at once", wholeNumber(1, 1_000_000))
    .addOption(whyOption());

/** `gateway accounts …` */
export function addAccounts(program: Command, print: Print): void {
  const accounts = program.command("accounts").description("accounts of callers and their limits");
  withLimits(addCommand(accounts, "create", "create an account"))
    .argument("<name>", "name of the account", accountName)
    .action(async (name: string, options: Limits) =>
      print(await withDatabase((db) => create(db, name, options))),
    );
  addCommand(accounts, "list", "list all accounts with their limits and credits").action(async () =>
    print(await withDatabase(list)),
  );
  withLimits(addCommand(accounts, "set", "change the limits of an account, disable or enable it"))
    .argument("<name>", "name of the account", accountName)
    .option("--disable", "refuse its keys")
    .option("--enable", "accept its keys again")
    .addOption(
      new Option("--ignore-robots <answer>", "whether its crawls may ignore robots.txt").choices([
        "yes",
        "no",
      ]),
    )
    .action(async (name: string, options: Changes) => print(await set(name, options)));
  addAccountBudget(accounts, print, findAccount);
}
