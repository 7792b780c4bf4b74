import { type Actor, acting, signature } from "./changes.ts";
import type { Database } from "./client.ts";

/** Decisions of operators and their audit log, in one append-only table. */

export interface ControlRow {
  id: number;
  at: Date;
  who: string;
  why: string;
  kind: string;
  target: string;
  effect: string;
  perMinute: number | null;
  until: Date | null;
}

export interface Entry {
  who: string;
  /** The way by which the decision came. */
  via?: Actor["via"] | undefined;
  why: string;
  kind: string;
  target: string;
  effect: string;
  perMinute?: number | undefined;
  /** Minutes until the decision ends, by the database's clock. */
  minutes?: number | undefined;
}

interface Row {
  id: number;
  at: number;
  who: string;
  why: string;
  kind: string;
  target: string;
  effect: string;
  per_minute: number | null;
  until: number | null;
}

const rowOf = ({ per_minute: perMinute, at, until, ...row }: Row): ControlRow => ({
  ...row,
  perMinute,
  at: new Date(at),
  until: until === null ? null : new Date(until),
});

/** Stores a decision, which is in force from then on; returns its id. */
export async function decide(db: Database, entry: Entry): Promise<number> {
  const { who, via = "program", why, kind, target, effect, perMinute, minutes } = entry;
  const [row] = await db.answer(
    db.sql<{ id: number }[]>`
      insert into controls (who, why, kind, target, effect, per_minute, until)
      select ${signature({ who, via })}, ${why}, ${kind}, ${target}, ${effect}, ${perMinute ?? null}::integer,
        clock_timestamp() + ${minutes ?? null}::float8 * interval '1 minute'
      from ${acting(db, { who, via })}
      returning id`,
  );
  return row?.id ?? 0;
}

/** Ends a decision; false if a later one about the same target exists. Several processes may try it at once. */
export async function endControl(
  db: Database,
  id: number,
  actor: Actor & { why: string },
): Promise<boolean> {
  const [row] = await db.answer(
    db.sql<{ ended: boolean }[]>`
      select end_control(${id}::bigint, ${signature(actor)}, ${actor.why}) as ended
      from ${acting(db, actor)}`,
  );
  return row?.ended ?? false;
}

/** The latest decision about a target: in force, or ended recently. */
export interface Latest {
  id: number;
  kind: string;
  target: string;
  /** `none` once the decision was revoked or has ended. */
  effect: string;
  perMinute: number | null;
  /** Unix time in milliseconds, by the database's clock. */
  until: number | null;
  /** Milliseconds until the decision ends. */
  leftMs: number | null;
}

/** Decisions in force, and those that ended within the last day. */
export async function latestControls(db: Database): Promise<Latest[]> {
  const rows = await db.answer(
    db.sql<(Row & { until_ms: number | null; left_ms: number | null })[]>`
      select * from (
        select distinct on (c.kind, c.target) c.id, c.kind, c.target, c.effect, c.per_minute, c.at, c.until,
          extract(epoch from c.until)::float8 * 1000 as until_ms,
          extract(epoch from c.until - clock_timestamp())::float8 * 1000 as left_ms
        from controls c where c.kind <> 'job' order by c.kind, c.target, c.id desc
      ) latest
      where (effect <> 'none' and (until is null or until > now() - interval '1 day'))
        or at > now() - interval '1 day'`,
  );
  return rows.map(
    ({ id, kind, target, effect, per_minute: perMinute, until_ms: until, left_ms }) => ({
      id,
      kind,
      target,
      effect: left_ms !== null && left_ms <= 0 ? "none" : effect,
      perMinute,
      until,
      leftMs: left_ms,
    }),
  );
}

const columns = ({ sql }: Database) => sql`
  id, extract(epoch from at)::float8 * 1000 as at, who, why, kind, target, effect, per_minute,
  extract(epoch from until)::float8 * 1000 as until`;

/** Decisions in force, newest first. */
export async function standingControls(db: Database): Promise<ControlRow[]> {
  const rows = await db.answer(
    db.sql<Row[]>`
      select ${columns(db)} from (
        select distinct on (c.kind, c.target) c.* from controls c
        where c.kind <> 'job' order by c.kind, c.target, c.id desc
      ) latest
      where effect <> 'none' and (until is null or until > clock_timestamp())
      order by id desc limit 500`,
  );
  return rows.map(rowOf);
}

/** The audit log of all decisions and actions, newest first. */
export async function controlLog(db: Database, most = 100): Promise<ControlRow[]> {
  const rows = await db.answer(
    db.sql<Row[]>`
      select ${columns(db)} from controls order by id desc limit ${most}`,
  );
  return rows.map(rowOf);
}

/** True if an account of this name, or a key of this id, exists. */
export async function isKnown(
  db: Database,
  kind: "account" | "key",
  target: string,
): Promise<boolean> {
  const rows = await db.answer(
    kind === "account"
      ? db.sql`select 1 as one from accounts where name = ${target}`
      : db.sql`select 1 as one from api_keys where id = ${target}`,
  );
  return rows.length > 0;
}
