import type { Database } from "./client.ts";
import { DatabaseError } from "./errors.ts";
import type { Owner } from "./owner.ts";

/** The Idempotency-Keys of writes to the gateway itself, and what a repeated request is answered from. */

export interface OwnWrite {
  key: string;
  /** Of method, path and body. */
  fingerprint: string;
  requestId: string;
}

/** The first request with a key: the thing that it made or changed. */
export interface EarlierWrite {
  requestId: string;
  subject: string;
  /** Sealed. */
  secret: Buffer | undefined;
}

export interface Claim extends OwnWrite {
  subject: string;
  secret?: Buffer | undefined;
  /** Unix time in milliseconds, on the clock of the database, from which on nothing is claimed. */
  notAfter?: number | undefined;
}

/** The argument of `claim_write`; null without a key. */
export function claimJson(owner: Owner, claim: Claim | undefined): string | null {
  if (claim === undefined) return null;
  return JSON.stringify({
    account_id: owner.accountId,
    mode: owner.mode,
    key: claim.key,
    fingerprint: claim.fingerprint,
    request_id: claim.requestId,
    subject: claim.subject,
    secret: claim.secret?.toString("hex"),
    not_after: claim.notAfter,
  });
}

/** The answer of `claim_write`. */
export type ClaimRow =
  | { late: true }
  | {
      late?: false;
      fingerprint: string;
      request_id: string;
      subject: string;
      secret: string | null;
    }
  | null;

/**
 * The earlier request with this key; undefined where the key is claimed now. DatabaseError `key_reused` if the key
 * belongs to another request, `unavailable` if the claim came too late.
 */
export function earlierIn(row: ClaimRow, { fingerprint }: OwnWrite): EarlierWrite | undefined {
  if (row === null) return undefined;
  if (row.late) throw new DatabaseError("unavailable", "A write came too late to be carried out.");
  if (row.fingerprint !== fingerprint)
    throw new DatabaseError("key_reused", "The key was used for another request.");
  return {
    requestId: row.request_id,
    subject: row.subject,
    secret: row.secret === null ? undefined : Buffer.from(row.secret, "hex"),
  };
}

/** Claims the key of a write that can be repeated itself. */
export async function claimWrite(
  db: Database,
  owner: Owner,
  claim: Claim,
): Promise<EarlierWrite | undefined> {
  const [row] = await db.answer(db.sql<{ earlier: ClaimRow }[]>`
    select claim_write(${claimJson(owner, claim)}::text::jsonb) as earlier`);
  return earlierIn(row?.earlier ?? null, claim);
}

/** Frees the key of a request that changed nothing. */
export async function releaseWrite(
  db: Database,
  { accountId, mode }: Owner,
  { key, requestId }: OwnWrite,
): Promise<void> {
  await db.answer(db.sql`
    delete from own_writes where account_id = ${accountId} and mode = ${mode} and key = ${key}
      and request_id = ${requestId}`);
}

/** Locks the key of a write that is undone, and frees it unless a repeated request was answered from it. */
export const withdrawnClaim = (
  { sql }: Database,
  { accountId, mode }: Owner,
  write?: OwnWrite,
) => sql`
  claimed as (
    select w.ctid, w.answered from own_writes w
    where w.account_id = ${accountId} and w.mode = ${mode} and w.key = ${write?.key ?? null}
      and w.request_id = ${write?.requestId ?? null}
    for update
  ), freed as (
    delete from own_writes w using claimed c where w.ctid = c.ctid and not c.answered
  )`;

const keptMs = 24 * 3600_000;

/** Deletes keys whose time is over. */
export async function pruneWrites(db: Database): Promise<void> {
  await db.answer(
    db.sql`
      delete from own_writes where ctid = any (array(
        select w.ctid from own_writes w
        where w.created_at <= now() - ${keptMs} * interval '1 ms' limit 5000))`,
    10_000,
  );
}
