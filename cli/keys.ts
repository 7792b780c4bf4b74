import type { Command } from "commander";
import { accountNamed, addCredits, createAccount } from "../db/accounts.ts";
import type { Account } from "../db/accounts.ts";
import type { Database } from "../db/client.ts";
import { DatabaseError } from "../db/errors.ts";
import {
  createKey,
  defaultOverlapMs,
  findKey,
  listKeys,
  revokeKey,
  rotateKey,
} from "../db/keys.ts";
import type { FoundKey, IssuedKey, ListedKey } from "../db/keys.ts";
import type { Mode } from "../db/schema.ts";
import { findAccount } from "./accounts.ts";
import {
  addCommand,
  hours,
  keyId,
  mostCredits,
  requiredAccount,
  requiredMode,
  whyOption,
  wholeNumber,
} from "./arguments.ts";
import { addKeyBudget } from "./budgets.ts";
import { fields, moment, table } from "./output.ts";
import type { Output, Print } from "./output.ts";
import { CliProblem } from "./problem.ts";
import { actor, pepperOf, withDatabase } from "./system.ts";
import type { System } from "./system.ts";

const shownOnce = "Keep the key now: it is not shown again.";
const hourMs = 3600_000;

async function findOrCreate(db: Database, name: string): Promise<Account> {
  if (!(await accountNamed(db, name))) {
    try {
      await createAccount(db, name, actor());
    } catch (error) {
      // A concurrent command may have created the account first.
      if (!(error instanceof DatabaseError) || error.code !== "account_exists") throw error;
    }
  }
  return findAccount(db, name);
}

/** Adds the credits. On failure it revokes the key, which nobody has seen and which counts towards the key limit. */
async function creditsFor(
  db: Database,
  account: Account,
  issued: IssuedKey,
  credits: number | undefined,
): Promise<number> {
  if (credits === undefined) return account.balances[issued.mode].balance;
  try {
    return await addCredits(db, account.id, issued.mode, credits, "added with a key", actor());
  } catch (error) {
    await revokeKey(db, issued.id, actor("its credits could not be added"));
    throw error;
  }
}

async function create(
  db: Database,
  system: System,
  options: { account: string; mode: Mode; credits?: number; why?: string },
): Promise<Output> {
  const pepper = pepperOf(system);
  const account = await findOrCreate(db, options.account);
  const owner = { accountId: account.id, mode: options.mode };
  const issued = await createKey(db, pepper, owner, actor(options.why));
  const balance = await creditsFor(db, account, issued, options.credits);
  const { mode, id, key } = issued;
  const json = { account: account.name, mode, id, key, balance };
  return { json, text: `${fields(json)}\n${shownOnce}` };
}

function stateOf(key: ListedKey): string {
  if (key.revokedAt !== null) return "revoked";
  if (key.expiresAt === null) return "valid";
  return `${key.valid ? "valid until" : "ended"} ${moment(key.expiresAt)}`;
}

async function list(db: Database, options: { account: string }): Promise<Output> {
  const account = await findAccount(db, options.account);
  const keys = await listKeys(db, account.id);
  const text = table(
    ["id", "mode", "state", "created", "last used"],
    keys.map((key) => [
      key.id,
      key.mode,
      stateOf(key),
      moment(key.createdAt),
      moment(key.lastUsedAt),
    ]),
  );
  const iso = (date: Date | null) => date?.toISOString() ?? null;
  return {
    json: {
      account: account.name,
      keys: keys.map((key) => ({
        id: key.id,
        mode: key.mode,
        valid: key.valid && !account.disabled,
        created_at: iso(key.createdAt),
        expires_at: iso(key.expiresAt),
        revoked_at: iso(key.revokedAt),
        last_used_at: iso(key.lastUsedAt),
      })),
    },
    text: keys.length === 0 ? `${account.name} has no keys.` : text,
  };
}

async function known(db: Database, id: string): Promise<FoundKey> {
  const found = await findKey(db, id);
  if (!found) throw new CliProblem("key_unknown", `There is no key with the id ${id}.`);
  return found;
}

async function rotate(
  db: Database,
  system: System,
  oldId: string,
  { overlapMs, why }: { overlapMs: number; why?: string | undefined },
): Promise<Output> {
  const pepper = pepperOf(system);
  const old = await known(db, oldId);
  if (old.revoked || old.expired)
    throw new CliProblem(
      "key_unknown",
      `The key ${oldId} is no longer valid: create a new one instead.`,
    );
  const { mode, id, key } = await rotateKey(db, pepper, oldId, {
    overlapMs,
    actor: actor(why),
  });
  const ends = (await findKey(db, oldId))?.expiresAt;
  const until = ends === undefined ? null : new Date(ends);
  const json = { account: old.accountName, mode, id, key };
  return {
    json: { ...json, replaces: { id: oldId, valid_until: until?.toISOString() ?? null } },
    text: `${fields({ ...json, replaces: oldId, "old key until": moment(until) })}\n${shownOnce}`,
  };
}

async function revoke(db: Database, id: string, why?: string): Promise<Output> {
  const { accountName, mode } = await known(db, id);
  await revokeKey(db, id, actor(why));
  return {
    json: { account: accountName, mode, id, revoked: true },
    text: `The key ${id} of ${accountName} (${mode}) is revoked.`,
  };
}

/** `gateway keys …` */
export function addKeys(program: Command, print: Print): void {
  const keys = program.command("keys").description("API keys of accounts");
  addCommand(keys, "create", "issue a key; a missing account is created")
    .addOption(requiredAccount())
    .addOption(requiredMode())
    .option("--credits <n>", "credits to add in that mode", wholeNumber(1, mostCredits))
    .addOption(whyOption())
    .action(async (options: { account: string; mode: Mode; credits?: number; why?: string }) =>
      print(await withDatabase((db, system) => create(db, system, options))),
    );
  addCommand(keys, "list", "list the keys of an account, newest first")
    .addOption(requiredAccount())
    .action(async (options: { account: string }) =>
      print(await withDatabase((db) => list(db, options))),
    );
  addCommand(keys, "rotate", "issue a successor; the old key stays valid for a while")
    .argument("<id>", "id of the old key", keyId)
    .option("--overlap-hours <n>", "hours until the old key ends", hours, defaultOverlapMs / hourMs)
    .addOption(whyOption())
    .action(async (id: string, options: { overlapHours: number; why?: string }) => {
      const overlapMs = Math.round(options.overlapHours * hourMs);
      print(
        await withDatabase((db, system) => rotate(db, system, id, { overlapMs, why: options.why })),
      );
    });
  addKeyBudget(keys, print);
  addCommand(keys, "revoke", "revoke a key at once")
    .argument("<id>", "id of the key", keyId)
    .addOption(whyOption())
    .action(async (id: string, options: { why?: string }) =>
      print(await withDatabase((db) => revoke(db, id, options.why))),
    );
}
