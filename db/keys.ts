import { and, desc, eq, isNull, lt, or, sql as fragment } from "./drizzle.ts";
import { type Actor, acting } from "./changes.ts";
import type { Database } from "./client.ts";
import { DatabaseError } from "./errors.ts";
import { digestKey, generateKey, matchesDigest, parseKey } from "./key.ts";
import { retried } from "./retry.ts";
import { apiKeys } from "./schema.ts";
import type { Mode } from "./schema.ts";

export interface IssuedKey {
  id: string;
  mode: Mode;
  /** The key itself, which is shown this once. */
  key: string;
}

/** A key as the API authenticates with it; cache it for a second at most, so that revocation takes effect. */
export interface FoundKey {
  id: string;
  accountId: number;
  accountName: string;
  mode: Mode;
  digest: Buffer;
  /** Neither revoked nor expired, and its account is not disabled. */
  valid: boolean;
  disabled: boolean;
  revoked: boolean;
  /** Unix time in milliseconds. */
  expiresAt: number | undefined;
  /** Judged by the database's clock. */
  expired: boolean;
  ratePerSecond: number;
  maxInFlight: number;
  /** The key, or its account in this mode, has a budget. */
  budgeted: boolean;
  lastUsedAt: number | undefined;
  /** The stored time of its last use is over a minute old, by the database's clock. */
  touchDue: boolean;
}

export interface ListedKey {
  id: string;
  mode: Mode;
  valid: boolean;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

export const defaultOverlapMs = 24 * 3600_000;
/** Time limit of a revocation, which cancels all jobs of the key. */
const revocationMs = 30_000;
const aMinuteAgo = fragment`now() - interval '1 minute'`;

const refusals = {
  account_unknown: "There is no such account.",
  key_limit: "The account has two valid keys in this mode; revoke one first.",
  key_unknown: "There is no such valid key.",
} as const;

type Outcome = "created" | keyof typeof refusals;

function expectCreated(rows: readonly { outcome: Outcome }[]): void {
  const outcome = rows[0]?.outcome ?? "key_unknown";
  if (outcome !== "created") throw new DatabaseError(outcome, refusals[outcome]);
}

/** DatabaseError `key_limit` for a third valid key of an account and mode. */
export async function createKey(
  db: Database,
  pepper: string,
  owner: { accountId: number; mode: Mode },
  actor?: Actor,
): Promise<IssuedKey> {
  const { id, mode, text } = generateKey(owner.mode);
  expectCreated(
    await db.answer(db.sql<{ outcome: Outcome }[]>`
      select create_api_key(${id}, ${owner.accountId}, ${mode}, ${digestKey(text, pepper)}) as outcome
      from ${acting(db, actor)}`),
  );
  return { id, mode, key: text };
}

/** Issues a successor; the old key stays valid for `overlapMs` (0 ends it at once). */
export async function rotateKey(
  db: Database,
  pepper: string,
  oldId: string,
  {
    overlapMs = defaultOverlapMs,
    actor,
  }: { overlapMs?: number | undefined; actor?: Actor | undefined } = {},
): Promise<IssuedKey> {
  const [old] = await db.answer(
    db.orm.select({ mode: apiKeys.mode }).from(apiKeys).where(eq(apiKeys.id, oldId)),
  );
  if (!old) throw new DatabaseError("key_unknown", refusals.key_unknown);
  const { id, mode, text } = generateKey(old.mode);
  expectCreated(
    await db.answer(db.sql<{ outcome: Outcome }[]>`
      select rotate_api_key(${oldId}, ${id}, ${digestKey(text, pepper)},
        ${overlapMs} * interval '1 ms') as outcome from ${acting(db, actor)}`),
  );
  return { id, mode, key: text };
}

/** Revokes a key and cancels its jobs and batches, at once in the database. Revoking it again changes nothing. */
export async function revokeKey(db: Database, id: string, actor?: Actor): Promise<void> {
  const [row] = await db.answer(
    db.sql<{ known: boolean }[]>`select revoke_api_key(${id}) as known from ${acting(db, actor)}`,
    revocationMs,
  );
  if (!row?.known) throw new DatabaseError("key_unknown", refusals.key_unknown);
}

/** All keys of an account, newest first. */
export async function listKeys(db: Database, accountId: number): Promise<ListedKey[]> {
  const { id, mode, createdAt, expiresAt, revokedAt, lastUsedAt } = apiKeys;
  const expired = fragment<boolean>`coalesce(${expiresAt} <= clock_timestamp(), false)`;
  const rows = await db.answer(
    db.orm
      .select({ id, mode, createdAt, expiresAt, revokedAt, lastUsedAt, expired })
      .from(apiKeys)
      .where(eq(apiKeys.accountId, accountId))
      .orderBy(desc(createdAt)),
  );
  return rows.map(({ expired: isExpired, ...row }) => ({
    ...row,
    valid: row.revokedAt === null && !isExpired,
  }));
}

/** Ids of the valid keys of all accounts, the latest first. */
export async function validKeyIds(db: Database, atMost = 100_000): Promise<string[]> {
  const rows = await db.answer(db.sql<{ id: string }[]>`
    select id from api_keys
    where revoked_at is null and (expires_at is null or expires_at > clock_timestamp())
    order by created_at desc limit ${atMost}`);
  return rows.map(({ id }) => id);
}

interface KeyRow {
  asked: string;
  /** Null without such a key, as all that follows. */
  id: string | null;
  account_id: number;
  name: string;
  mode: Mode;
  digest: Buffer;
  disabled: boolean;
  revoked: boolean;
  expires_at: number | null;
  expired: boolean;
  rate_per_second: number;
  max_in_flight: number;
  budgeted: boolean;
  last_used_at: number | null;
  touch_due: boolean;
}

const keyRow = (db: Database, id: string) =>
  db.answer(db.sql<KeyRow[]>`
    select asked.id as asked, k.id, k.account_id, a.name, k.mode, k.digest, a.disabled, a.rate_per_second,
      a.max_in_flight, b.budgeted, k.revoked_at is not null as revoked,
      extract(epoch from k.expires_at)::float8 * 1000 as expires_at,
      coalesce(k.expires_at <= clock_timestamp(), false) as expired,
      extract(epoch from k.last_used_at)::float8 * 1000 as last_used_at,
      coalesce(k.last_used_at < now() - interval '1 minute', true) as touch_due
    from (select ${id}::text as id) as asked
      left join api_keys k on k.id = asked.id
      left join accounts a on a.id = k.account_id
      left join balances b on b.account_id = k.account_id and b.mode = k.mode`);

/**
 * The single query of an authentication, whether it succeeds or fails. It answers one row that names the id
 * it was asked for, whether the key exists or not: an answer without that row was lost on its way, and a
 * lost answer refuses nobody.
 */
export async function findKey(db: Database, id: string): Promise<FoundKey | undefined> {
  const row = await retried(async () => {
    const [answered] = await keyRow(db, id);
    if (answered?.asked === id) return answered;
    throw new DatabaseError("unavailable", "The answer to the look-up of a key has no row of it.");
  });
  if (row.id === null) return undefined;
  return {
    id: row.id,
    accountId: row.account_id,
    accountName: row.name,
    mode: row.mode,
    digest: row.digest,
    valid: !row.disabled && !row.revoked && !row.expired,
    disabled: row.disabled,
    revoked: row.revoked,
    expiresAt: row.expires_at ?? undefined,
    expired: row.expired,
    ratePerSecond: row.rate_per_second,
    maxInFlight: row.max_in_flight,
    budgeted: row.budgeted,
    lastUsedAt: row.last_used_at ?? undefined,
    touchDue: row.touch_due,
  };
}

/**
 * The key's row when `text` is a valid key. A malformed key or a wrong checksum makes no query; an
 * unknown id, a wrong secret and a revoked key all take one query and one HMAC.
 * `find` is `findKey` or a cache of it.
 */
export async function authenticate(
  text: string,
  pepper: string,
  find: (id: string) => Promise<FoundKey | undefined>,
): Promise<FoundKey | undefined> {
  const parsed = parseKey(text);
  if (!parsed) return undefined;
  const found = await find(parsed.id);
  const matches = matchesDigest(text, pepper, found?.digest);
  return matches && found?.valid && found.mode === parsed.mode ? found : undefined;
}

/** Stores the time of a key's last use, at most once a minute; clears `touchDue` for the cache that holds `key`. */
export async function touchKey(db: Database, key: FoundKey): Promise<void> {
  if (!key.touchDue) return;
  key.touchDue = false;
  await db.answer(
    db.orm
      .update(apiKeys)
      .set({ lastUsedAt: fragment`now()` })
      .where(
        and(
          eq(apiKeys.id, key.id),
          or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, aMinuteAgo)),
        ),
      ),
  );
}
