import { type Actor, acting, signature } from "./changes.ts";
import type { Database } from "./client.ts";
import { DatabaseError } from "./errors.ts";
import type { Mode, Period } from "./schema.ts";

/** The most that an account, or one of its keys, may spend in a day, a week or a month of UTC. */
export interface Budget {
  /** The latest of the keys that replaced each other; undefined for a budget of all keys of the account and mode. */
  keyId: string | undefined;
  period: Period;
  credits: number;
  /** Spent in the current period. */
  charged: number;
  /** Set aside for running calls. */
  held: number;
  alertPercent: number;
  /** Unix time in milliseconds. */
  renewsAt: number;
  /** Milliseconds until then, by the database's clock. */
  renewsInMs: number;
}

/** The credits and budgets that limit a key at this moment. */
export interface Standing {
  /** Credits of the account that are not set aside. */
  available: number;
  budgets: Budget[];
}

export const leftOf = ({ credits, charged, held }: Budget): number =>
  Math.max(0, credits - charged - held);

interface Row {
  key_id: string;
  period: Period;
  credits: number;
  charged: number;
  held: number;
  alert_percent: number;
  renews_at: number;
  renews_in_ms: number;
}

const budgetOf = (row: Row): Budget => ({
  keyId: row.key_id === "" ? undefined : row.key_id,
  period: row.period,
  credits: row.credits,
  charged: row.charged,
  held: row.held,
  alertPercent: row.alert_percent,
  renewsAt: row.renews_at,
  renewsInMs: row.renews_in_ms,
});

/** Budgets in their current period: charges of earlier periods do not count. */
const current = ({ sql }: Database) => sql`
  select g.account_id, g.mode, g.key_id, g.period, g.credits, g.held, g.alert_percent,
    case when g.began >= p.start then g.charged else 0 end as charged,
    extract(epoch from p.renews)::float8 * 1000 as renews_at,
    extract(epoch from p.renews - clock_timestamp())::float8 * 1000 as renews_in_ms
  from budgets g cross join lateral (
    select s.start, budget_renews(g.period, greatest(g.began, s.start)) as renews
    from (select budget_began(g.period, clock_timestamp()) as start) s) p`;

export type BudgetStore = ReturnType<typeof budgetStore>;

export function budgetStore(db: Database) {
  async function standing(caller: {
    accountId: number;
    mode: Mode;
    keyId: string;
  }): Promise<Standing> {
    const { accountId, mode, keyId } = caller;
    const [row] = await db.answer(
      db.sql<{ available: number; budgets: Row[] }[]>`
        select b.balance - b.held as available, coalesce((
          select jsonb_agg(to_jsonb(g) order by g.renews_at, g.key_id) from (${current(db)}) g
          where g.account_id = b.account_id and g.mode = b.mode and g.key_id in ('', budget_key_of(${keyId}))
        ), '[]') as budgets
        from balances b where b.account_id = ${accountId} and b.mode = ${mode}`,
    );
    return { available: row?.available ?? 0, budgets: (row?.budgets ?? []).map(budgetOf) };
  }

  return { standing };
}

export interface BudgetSetting {
  accountId: number;
  mode: Mode;
  /** Limits this key, with those that it replaced or that replaced it; without it, all keys together. */
  keyId?: string | undefined;
  period: Period;
  /** Without it the budget is removed. */
  credits?: number | undefined;
  alertPercent?: number | undefined;
  who: string;
  /** The way by which the change came, and its reason. */
  via?: Actor["via"] | undefined;
  why?: string | undefined;
}

export const usualAlertPercent = 80;

/** Sets or removes a budget; credits spent in the period so far count. */
export async function setBudget(db: Database, setting: BudgetSetting): Promise<void> {
  const {
    accountId,
    mode,
    keyId = "",
    period,
    credits = null,
    who,
    via = "program",
    why,
  } = setting;
  const alert = setting.alertPercent ?? usualAlertPercent;
  const [row] = await db.answer(
    db.sql<{ known: boolean }[]>`
      select set_budget(${accountId}, ${mode}, ${keyId}, ${period}, ${credits}::bigint, ${alert},
        ${signature({ who, via })}) as known from ${acting(db, { who, via, why })}`,
    10_000,
  );
  if (!row?.known) throw new DatabaseError("account_unknown", "There is no such account.");
}

export interface OwnedBudget extends Budget {
  mode: Mode;
}

/** Every budget of an account and of its keys. */
export async function budgetsOf(db: Database, accountId: number): Promise<OwnedBudget[]> {
  const rows = await db.answer(
    db.sql<(Row & { mode: Mode })[]>`
      select * from (${current(db)}) g where g.account_id = ${accountId}
      order by g.mode, g.key_id, g.renews_at`,
  );
  return rows.map((row) => ({ ...budgetOf(row), mode: row.mode }));
}

export interface BudgetChange {
  at: Date;
  who: string;
  mode: Mode;
  keyId: string | undefined;
  period: Period;
  /** Null where the budget was removed. */
  credits: number | null;
}

/** The audit log of an account's budgets, newest first. */
export async function budgetChanges(db: Database, accountId: number): Promise<BudgetChange[]> {
  const rows = await db.answer(
    db.sql<(Omit<BudgetChange, "keyId" | "at"> & { key_id: string; at: number })[]>`
      select extract(epoch from c.at)::float8 * 1000 as at, c.who, c.mode, c.key_id, c.period, c.credits
      from budget_changes c where c.account_id = ${accountId} order by c.id desc limit 50`,
  );
  return rows.map(({ key_id, at, ...row }) => ({
    ...row,
    at: new Date(at),
    keyId: key_id === "" ? undefined : key_id,
  }));
}
