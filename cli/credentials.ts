import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { InvalidArgumentError, Option } from "commander";
import {
  changeCredential,
  type CredentialRow,
  listCredentials,
  removeCredential,
  setCredential,
} from "../db/credentials.ts";
import type { Database } from "../db/client.ts";
import { namesOf, sealStored } from "../runtime/own-credentials.ts";
import type { Upstream } from "../worker/transport/upstream.ts";
import { upstreams } from "../worker/sandbox/upstreams.ts";
import { findAccount } from "./accounts.ts";
import { addCommand, requiredAccount, whyOption, wholeNumber } from "./arguments.ts";
import { moment, type Output, type Print, table } from "./output.ts";
import { CliProblem } from "./problem.ts";
import { keysOf, rotate } from "./credentials-keys.ts";
import { actor, withDatabase } from "./system.ts";

const mostSecretLength = 2000;

const keyed = upstreams.filter(({ credentials }) => credentials.length > 0);

interface Target {
  account: string;
  upstream: Upstream;
  why?: string;
}

interface Terms {
  pricePercent?: number;
  perSecond?: number;
}

function upstreamNamed(name: string): Upstream {
  const found = keyed.find((one) => one.name === name);
  if (found) return found;
  const names = [...new Set(keyed.map((one) => one.name))].join(", ");
  throw new InvalidArgumentError(`It must be one of ${names}.`);
}

function rate(value: string): number {
  const number = Number(value);
  if (/^\d{1,5}(\.\d{1,3})?$/.test(value) && number > 0) return number;
  throw new InvalidArgumentError("It must be a number of requests a second above 0.");
}

/** The upstreams that read the same variables, and so use the same credential. */
const usersOf = (names: string): string[] => [
  ...new Set(keyed.filter((one) => namesOf(one.credentials) === names).map((one) => one.name)),
];

/** The secrets on standard input: one alone, or a line `NAME=value` for each variable. */
async function readSecrets({ name, credentials }: Upstream): Promise<Record<string, string>> {
  if (process.stdin.isTTY) {
    throw new CliProblem(
      "usage",
      "The credential is read from standard input, so that no history keeps it: add `< file`.",
    );
  }
  return secretsIn((await text(process.stdin)).trim(), name, credentials);
}

/** Throws CliProblem for another form; no message repeats a part of the text. */
export function secretsIn(
  content: string,
  upstream: string,
  variables: readonly string[],
): Record<string, string> {
  const [only, ...more] = variables as [string, ...string[]];
  const lines = content.split("\n").map((line) => line.trim());
  const named = new Map(
    lines.flatMap((line) => {
      const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.+)$/.exec(line) ?? [];
      return name !== undefined && variables.includes(name) ? [[name, value as string]] : [];
    }),
  );
  if (more.length === 0 && named.size === 0 && lines.length === 1) named.set(only, content);
  const missing = variables.filter((name) => !named.get(name));
  const isLong = [...named.values()].some((value) => value.length > mostSecretLength);
  if (missing.length === 0 && !isLong) return Object.fromEntries(named);
  const form = variables.map((name) => `${name}=…`).join(", ");
  throw new CliProblem(
    "usage",
    isLong
      ? `A credential has at most ${mostSecretLength} characters.`
      : `Standard input must have ${more.length === 0 ? "the credential, or the line" : "the lines"} ${form} for ${upstream}.`,
  );
}

const termsOf = ({ perSecond, pricePercent }: CredentialRow) =>
  [
    `${pricePercent} % of the price`,
    ...(perSecond === null ? [] : [`at most ${perSecond} requests a second`]),
  ].join(", ");

async function shown(db: Database, account: { id: number; name: string }): Promise<Output> {
  const rows = await listCredentials(db, account.id);
  return {
    json: {
      account: account.name,
      credentials: rows.map(({ names, pricePercent, perSecond, changedAt }) => ({
        upstreams: usersOf(names),
        variables: names.split("+"),
        price_percent: pricePercent,
        per_second: perSecond,
        changed_at: changedAt.toISOString(),
      })),
    },
    text:
      rows.length === 0
        ? `${account.name} has no credentials of its own.`
        : table(
            ["upstreams", "variables", "terms", "changed"],
            rows.map((row) => [
              usersOf(row.names).join(", "),
              row.names.replaceAll("+", ", "),
              termsOf(row),
              moment(row.changedAt),
            ]),
          ),
  };
}

function set(target: Target & Terms): Promise<Output> {
  return withDatabase(async (db, system) => {
    const [key] = keysOf(system);
    const account = await findAccount(db, target.account);
    const names = namesOf(target.upstream.credentials);
    const sealed = sealStored(key, account.id, names, await readSecrets(target.upstream));
    const { perSecond = null, pricePercent = 100 } = target;
    const row = { accountId: account.id, names, sealed, perSecond, pricePercent };
    await setCredential(db, row, actor(target.why));
    return shown(db, account);
  });
}

function change(target: Target & Terms): Promise<Output> {
  if (target.pricePercent === undefined && target.perSecond === undefined)
    throw new CliProblem("usage", "Nothing to change: give --price-percent or --per-second.");
  return withDatabase(async (db) => {
    const account = await findAccount(db, target.account);
    const row = { accountId: account.id, names: namesOf(target.upstream.credentials) };
    if (!(await changeCredential(db, row, target, actor(target.why)))) throw none(target);
    return shown(db, account);
  });
}

function remove(target: Target): Promise<Output> {
  return withDatabase(async (db) => {
    const account = await findAccount(db, target.account);
    const names = namesOf(target.upstream.credentials);
    if (!(await removeCredential(db, account.id, names, actor(target.why)))) throw none(target);
    return shown(db, account);
  });
}

const none = ({ account, upstream }: Target) =>
  new CliProblem(
    "credential_unknown",
    `${account} has no credential of its own for ${upstream.name}.`,
  );

/** `gateway credentials …` */
export function addCredentials(program: Command, print: Print): void {
  const credentials = program
    .command("credentials")
    .description("accounts' own credentials for upstreams");
  const upstream = () =>
    new Option("--upstream <name>", "name of the upstream")
      .argParser(upstreamNamed)
      .makeOptionMandatory();
  const withTerms = (command: Command) =>
    command
      .option(
        "--price-percent <n>",
        "price of a record in percent of the operation's own",
        wholeNumber(0, 100),
      )
      .option("--per-second <n>", "limit in place of the upstream's own", rate);
  withTerms(addCommand(credentials, "set", "set or replace one, read from standard input"))
    .addOption(requiredAccount())
    .addOption(upstream())
    .addOption(whyOption())
    .action(async (target: Target & Terms) => print(await set(target)));
  withTerms(addCommand(credentials, "change", "change price or limit, and keep the credential"))
    .addOption(requiredAccount())
    .addOption(upstream())
    .addOption(whyOption())
    .action(async (target: Target & Terms) => print(await change(target)));
  addCommand(credentials, "list", "list them; a credential is never shown")
    .addOption(requiredAccount())
    .action(async ({ account }: { account: string }) =>
      print(await withDatabase(async (db) => shown(db, await findAccount(db, account)))),
    );
  addCommand(
    credentials,
    "rotate",
    "encrypt all of them under CREDENTIALS_KEY that CREDENTIALS_KEY_PREVIOUS encrypted",
  )
    .addOption(whyOption())
    .action(async (options: { why?: string }) => print(await rotate(options)));
  addCommand(credentials, "remove", "remove one; the operator's is used again")
    .addOption(requiredAccount())
    .addOption(upstream())
    .addOption(whyOption())
    .action(async (target: Target) => print(await remove(target)));
}
