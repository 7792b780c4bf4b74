import { type Actor, acting } from "./changes.ts";
import type { Database } from "./client.ts";

/** An account's own credential for an upstream, without its secret. */
export interface CredentialRow {
  id: number;
  accountId: number;
  /** The variables that it replaces, joined by "+". */
  names: string;
  /** Requests a second; null for the upstream's own limit. */
  perSecond: number | null;
  /** Price of a record in percent of the operation's own. */
  pricePercent: number;
  changedAt: Date;
}

/** A stored credential with its secret, encrypted. */
export type StoredCredential = Omit<CredentialRow, "changedAt"> & { sealed: Buffer };

interface Row {
  id: number;
  account_id: number;
  names: string;
  sealed: Buffer;
  per_second: number | null;
  price_percent: number;
  changed_at: number;
}

/** Sets or replaces an own credential, which is used for the account's calls within a second. */
export async function setCredential(
  db: Database,
  credential: Pick<
    StoredCredential,
    "accountId" | "names" | "sealed" | "perSecond" | "pricePercent"
  >,
  actor: Actor,
): Promise<void> {
  const { accountId, names, sealed, perSecond, pricePercent } = credential;
  await db.answer(db.sql`
    insert into account_credentials as c (account_id, names, sealed, per_second, price_percent)
    select ${accountId}::bigint, ${names}, ${sealed}, ${perSecond}::float8, ${pricePercent}::integer
      from ${acting(db, actor)}
    on conflict (account_id, names) do update set
      id = nextval('account_credentials_id'), sealed = excluded.sealed, per_second = excluded.per_second,
      price_percent = excluded.price_percent, changed_at = clock_timestamp()`);
}

/** Changes the price or the limit of an own credential; false where the account has none. */
export async function changeCredential(
  db: Database,
  { accountId, names }: Pick<CredentialRow, "accountId" | "names">,
  change: { pricePercent?: number | undefined; perSecond?: number | undefined },
  actor: Actor,
): Promise<boolean> {
  const rows = await db.answer(db.sql`
    update account_credentials set id = nextval('account_credentials_id'), changed_at = clock_timestamp(),
      price_percent = coalesce(${change.pricePercent ?? null}::integer, price_percent),
      per_second = coalesce(${change.perSecond ?? null}::float8, per_second)
    from ${acting(db, actor)}
    where account_id = ${accountId} and names = ${names} returning id`);
  return rows.length > 0;
}

/** False where the account has no such credential. */
export async function removeCredential(
  db: Database,
  accountId: number,
  names: string,
  actor: Actor,
): Promise<boolean> {
  const rows = await db.answer(db.sql`
    delete from account_credentials using ${acting(db, actor)}
    where account_id = ${accountId} and names = ${names} returning id`);
  return rows.length > 0;
}

/** The own credentials of an account; their secrets stay in the database. */
export async function listCredentials(db: Database, accountId: number): Promise<CredentialRow[]> {
  const rows = await db.answer(db.sql<Omit<Row, "sealed">[]>`
    select id, account_id, names, per_second, price_percent, extract(epoch from changed_at)::float8 * 1000 as changed_at
    from account_credentials where account_id = ${accountId} order by names`);
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    names: row.names,
    perSecond: row.per_second,
    pricePercent: row.price_percent,
    changedAt: new Date(row.changed_at),
  }));
}

/** Differs after every change of an own credential: every change draws a new id. */
export async function credentialsState(db: Database): Promise<string> {
  const [row] = await db.answer(db.sql<{ state: string }[]>`
    select count(*) || ' ' || coalesce(max(id), 0) as state from account_credentials`);
  return row?.state ?? "";
}

/** All own credentials, for the processes that use them. */
export async function storedCredentials(
  db: Database,
): Promise<(StoredCredential & { account: string })[]> {
  const rows = await db.answer(db.sql<(Omit<Row, "changed_at"> & { account: string })[]>`
    select c.id, c.account_id, a.name as account, c.names, c.sealed, c.per_second, c.price_percent
    from account_credentials c join accounts a on a.id = c.account_id`);
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    account: row.account,
    names: row.names,
    sealed: row.sealed,
    perSecond: row.per_second,
    pricePercent: row.price_percent,
  }));
}

/**
 * Replaces the encrypted form of a credential by another one of the same secret: the credential keeps its id, so its
 * limits, breaker and tokens. False where it was changed or removed meanwhile.
 */
export async function resealCredential(
  db: Database,
  { id, sealed }: Pick<StoredCredential, "id" | "sealed">,
  again: Buffer,
  actor: Actor,
): Promise<boolean> {
  const rows = await db.answer(db.sql`
    update account_credentials set sealed = ${again} from ${acting(db, actor)}
    where id = ${id} and sealed = ${sealed} returning id`);
  return rows.length > 0;
}
