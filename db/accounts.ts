import { randomUUID } from "node:crypto";
import { and, eq } from "./drizzle.ts";
import { type Actor, acting } from "./changes.ts";
import type { Database } from "./client.ts";
import { breaksCheck, DatabaseError } from "./errors.ts";
import { retried } from "./retry.ts";
import { accounts, balances } from "./schema.ts";
import type { Mode } from "./schema.ts";

export const testOpeningCredits = 1_000_000;

export interface Balance {
  balance: number;
  /** Set aside for running calls. */
  held: number;
  available: number;
  /** The account gets a webhook when its balance falls below this; null: no webhook. */
  alertBelow: number | null;
}

export interface Account {
  id: number;
  name: string;
  disabled: boolean;
  ratePerSecond: number;
  maxInFlight: number;
  createdAt: Date;
  balances: Record<Mode, Balance>;
}

/** Opens an account with an empty live balance and a filled test balance; returns its id. */
export async function createAccount(db: Database, name: string, actor?: Actor): Promise<number> {
  const [row] = await db.answer(
    db.sql<{ id: number | null }[]>`
      select create_account(${name}, ${testOpeningCredits}) as id from ${acting(db, actor)}`,
  );
  if (!row?.id)
    throw new DatabaseError("account_exists", `There is already an account named ${name}.`);
  return row.id;
}

async function select(db: Database, where: ReturnType<typeof eq> | undefined): Promise<Account[]> {
  const rows = await db.answer(
    db.orm
      .select()
      .from(accounts)
      .innerJoin(balances, eq(balances.accountId, accounts.id))
      .where(where)
      .orderBy(accounts.id),
  );
  const found = new Map<number, Account>();
  for (const { accounts: row, balances: part } of rows) {
    const none: Balance = { balance: 0, held: 0, available: 0, alertBelow: null };
    const account = found.get(row.id) ?? { ...row, balances: { live: none, test: none } };
    const { balance, held, alertBelow } = part;
    account.balances[part.mode] = { balance, held, available: balance - held, alertBelow };
    found.set(row.id, account);
  }
  return [...found.values()];
}

export async function account(db: Database, id: number): Promise<Account | undefined> {
  return (await select(db, eq(accounts.id, id)))[0];
}

export async function accountNamed(db: Database, name: string): Promise<Account | undefined> {
  return (await select(db, eq(accounts.name, name)))[0];
}

export const listAccounts = (db: Database): Promise<Account[]> => select(db, undefined);

/** Changes what an account may do. A disabled account's keys are refused. */
export async function changeAccount(
  db: Database,
  id: number,
  change: {
    disabled?: boolean | undefined;
    ratePerSecond?: number | undefined;
    maxInFlight?: number | undefined;
  },
  actor?: Actor,
): Promise<void> {
  const { disabled = null, ratePerSecond = null, maxInFlight = null } = change;
  const changed = await db.answer(
    db.sql`
      update accounts set disabled = coalesce(${disabled}::boolean, disabled),
        rate_per_second = coalesce(${ratePerSecond}::integer, rate_per_second),
        max_in_flight = coalesce(${maxInFlight}::integer, max_in_flight)
      from ${acting(db, actor)} where id = ${id} returning id`,
  );
  if (changed.length === 0) throw new DatabaseError("account_unknown", "There is no such account.");
}

/** From now on the account gets a webhook each time its balance falls below this; null switches that off. */
export async function setBalanceAlert(
  db: Database,
  accountId: number,
  mode: Mode,
  below: number | null,
): Promise<void> {
  await db.answer(
    db.orm
      .update(balances)
      .set({ alertBelow: below })
      .where(and(eq(balances.accountId, accountId), eq(balances.mode, mode))),
  );
}

/** An operator waits this long for a database that comes back, in milliseconds. */
const addedWithinMs = 40_000;

/**
 * Adds credits, or removes them when negative; returns the new balance. A statement without an answer is repeated by
 * its id, so that the credits are added once.
 */
export async function addCredits(
  db: Database,
  accountId: number,
  mode: Mode,
  credits: number,
  reason: string,
  actor?: Actor,
): Promise<number> {
  if (!Number.isSafeInteger(credits) || credits === 0)
    throw new RangeError("Credits are a whole number other than zero.");
  const grantId = `grant_${randomUUID()}`;
  try {
    const [row] = await retried(
      () =>
        db.answer(db.sql<{ balance: number | null }[]>`
          select add_credits(${accountId}, ${mode}, ${credits}, ${reason}, ${grantId}) as balance
          from ${acting(db, actor)}`),
      addedWithinMs,
    );
    if (row && row.balance !== null) return row.balance;
  } catch (error) {
    if (!breaksCheck(error)) throw error;
    const message = "Fewer credits than that are available.";
    throw new DatabaseError("balance_too_low", message, { cause: error });
  }
  throw new DatabaseError("account_unknown", "There is no such account.");
}
