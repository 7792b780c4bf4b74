import type { Fragment, Sql } from "./client.ts";
import type { Mode } from "./schema.ts";

/** A batch as it is read: its row, and the columns of it. */

export type BatchState = "receiving" | "running" | "cancelling" | "cancelled" | "ended";

export interface BatchRow {
  id: number;
  publicId: string;
  accountId: number;
  mode: Mode;
  keyId: string;
  version: string;
  scenario: string | null;
  state: BatchState;
  pools: string[];
  maxCredits: number | null;
  /** Selected members of the records of its items, joined by commas; null for all. */
  fields: string | null;
  total: number;
  queued: number;
  running: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  held: number;
  charged: number;
  sequence: number;
  /** Times are Unix milliseconds, by the database's clock. */
  createdAt: number;
  beganAt: number | null;
  beganWith: number;
  endedAt: number | null;
  /** Why it was cancelled, if its caller did not cancel it. */
  errorType: string | null;
  errorMessage: string | null;
}

/** The columns of a `BatchRow` from `batches b`. */
export const batchColumns = (sql: Sql): Fragment => sql`
  b.id, b.public_id as "publicId", b.account_id as "accountId", b.mode, b.key_id as "keyId",
  b.version, b.scenario, b.state, b.pools, b.max_credits as "maxCredits", b.fields, b.total,
  b.queued, b.running, b.succeeded, b.failed, b.cancelled, b.held, b.charged, b.sequence,
  b.began_with as "beganWith", extract(epoch from b.created_at)::float8 * 1000 as "createdAt",
  extract(epoch from b.began_at)::float8 * 1000 as "beganAt",
  extract(epoch from b.ended_at)::float8 * 1000 as "endedAt",
  b.error_type as "errorType", b.error_message as "errorMessage"`;
