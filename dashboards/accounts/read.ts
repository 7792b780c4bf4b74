import { type ErrorsOfAccount, accountActivity } from "../../db/account-list.ts";
import { type Account, accountNamed } from "../../db/accounts.ts";
import { type OwnedBudget, budgetsOf } from "../../db/budgets.ts";
import { type Change, listChanges } from "../../db/changes.ts";
import type { Database } from "../../db/client.ts";
import { type ControlRow, standingControls } from "../../db/controls.ts";
import { type CredentialRow, listCredentials } from "../../db/credentials.ts";
import { type ListedKey, listKeys } from "../../db/keys.ts";
import type { Mode } from "../../db/schema.ts";
import { type UsageRow, usageBy } from "../../db/usage.ts";

const dayMs = 24 * 3_600_000;
export const shownDays = 7;
const shownChanges = 10;
const modes: readonly Mode[] = ["live", "test"];

export interface AccountReading {
  account: Account;
  budgets: OwnedBudget[];
  keys: ListedKey[];
  credentials: CredentialRow[];
  /** Use of the last days (UTC), today included. */
  usage: (UsageRow & { mode: Mode })[];
  inFlight: Record<Mode, number>;
  errors: ErrorsOfAccount[];
  /** Decisions in force about the account and its keys. */
  controls: ControlRow[];
  /** The latest ones. */
  changes: Change[];
}

/** Undefined where there is no such account. */
export async function readAccount(
  db: Database,
  name: string,
  now: number,
): Promise<AccountReading | undefined> {
  const account = await accountNamed(db, name);
  if (!account) return undefined;
  const { id } = account;
  const today = new Date(now).setUTCHours(0, 0, 0, 0);
  const range = { from: new Date(today - (shownDays - 1) * dayMs), to: new Date(today + dayMs) };
  const [budgets, keys, credentials, activity, controls, changes, ...usage] = await Promise.all([
    budgetsOf(db, id),
    listKeys(db, id),
    listCredentials(db, id),
    accountActivity(db, id),
    standingControls(db),
    listChanges(db, { account: name, limit: shownChanges }),
    ...modes.map(async (mode) =>
      (await usageBy(db, id, mode, range)).map((row) => ({ ...row, mode })),
    ),
  ]);
  const own = new Set(keys.map((key) => key.id));
  return {
    account,
    budgets,
    keys,
    credentials,
    usage: usage.flat(),
    ...activity,
    changes,
    controls: controls.filter(
      ({ kind, target }) =>
        (kind === "account" && target === name) || (kind === "key" && own.has(target)),
    ),
  };
}
