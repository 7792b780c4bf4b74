import type { Mode } from "./schema.ts";

/** Batches as a whole: reading, cancelling, retrying and removing them. */

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
}

export interface Owner {
  accountId: number;
  mode: Mode;
}
