import type { Database } from "./client.ts";

/** The log of changes that operators make: who, when, what, before and after. */

/** The operator or program that makes a change, and the reason where one was given. */
export interface Actor {
  who: string;
  via: "page" | "command line" | "program";
  why?: string | undefined;
}

export const changeKinds = [
  "control",
  "job",
  "batch",
  "account",
  "limits",
  "credits",
  "key",
  "budget",
  "webhook",
  "credential",
  "replay",
] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** The actor in the logs of decisions and of budgets, which have no column for the way. */
export const signature = ({ who, via }: Actor): string =>
  via === "command line" ? `${who} (command line)` : who;

/**
 * One row to select a change from: the functions and triggers of db/functions/changes.sql then know the actor.
 * The setting ends with the statement, so it also holds behind a pooler.
 */
export const acting = ({ sql }: Database, actor: Actor | undefined) =>
  sql`(select set_config('gateway.actor', ${actor ? JSON.stringify(actor) : ""}, true)) acting`;

/** Notes a change that no function or trigger notes. */
export async function noteChange(
  db: Database,
  actor: Actor,
  change: { kind: ChangeKind; target: string; accountId?: number | undefined; after?: unknown },
): Promise<void> {
  const { kind, target, accountId = null, after } = change;
  await db.answer(db.sql`
    select note_change(${kind}, ${target}, ${accountId}::bigint, null,
      ${after === undefined ? null : JSON.stringify(after)}::text::jsonb, '') from ${acting(db, actor)}`);
}

type Values = Record<string, string | number | boolean>;

export interface Change {
  id: number;
  at: Date;
  who: string;
  via: string;
  why: string;
  kind: string;
  target: string;
  account: string | null;
  /** Null for what did not exist. */
  before: Values | null;
  after: Values | null;
}

export interface ChangeFilter {
  account?: string | undefined;
  kind?: string | undefined;
  who?: string | undefined;
  /** Only changes before the one with this id. */
  beforeId?: number | undefined;
  limit: number;
}

/** Newest first. */
export async function listChanges(db: Database, filter: ChangeFilter): Promise<Change[]> {
  const { sql } = db;
  const { account, kind, who, beforeId, limit } = filter;
  const rows = await db.answer(
    sql<(Omit<Change, "at"> & { at: number })[]>`
      select c.id, extract(epoch from c.at)::float8 * 1000 as at, c.who, c.via, c.why, c.kind, c.target,
        a.name as account, c.before, c.after
      from changes c left join accounts a on a.id = c.account_id
      where true
        ${account === undefined ? sql`` : sql`and c.account_id = (select id from accounts where name = ${account})`}
        ${kind === undefined ? sql`` : sql`and c.kind = ${kind}`}
        ${who === undefined ? sql`` : sql`and c.who = ${who}`}
        ${beforeId === undefined ? sql`` : sql`and c.id < ${beforeId}`}
      order by c.id desc limit ${limit}`,
    5_000,
  );
  return rows.map(({ at, ...row }) => ({ ...row, at: new Date(at) }));
}

/** The values that differ, as text; all of them where none does. */
export function changedValues({ before, after }: Pick<Change, "before" | "after">): {
  before: string;
  after: string;
} {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const differing = names.filter((name) => before?.[name] !== after?.[name]);
  const listed = differing.length > 0 ? differing : names;
  const text = (values: Values | null) =>
    listed
      .filter((name) => values?.[name] !== undefined)
      .map(
        (name) =>
          `${name === "effect" ? "" : `${name.replaceAll("_", " ")} `}${shown(values?.[name])}`,
      )
      .join(", ");
  return { before: text(before) || "–", after: after === null ? "removed" : text(after) || "–" };
}

function shown(value: string | number | boolean | undefined): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return value.toLocaleString("en-US");
  // A time in the form of the pages, to the minute.
  return String(value).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, "$1 $2Z");
}
