import type { Mode } from "./schema.ts";

/** Credits of a call, from its hold to its settle, and the replay that its Idempotency-Key remembers. */

/** An Idempotency-Key belongs to one account and mode. */
export interface ReplayScope {
  accountId: number;
  mode: Mode;
  key: string;
}

/** The price of a finished call; `balance` is the credit available right after it, and never changes. */
export interface Charge {
  credits: number;
  records: number;
  balance: number;
  truncated: boolean;
}

export interface RunningReplay {
  state: "running";
  requestId: string;
  operation: string;
  fingerprint: string;
  /** Unix time in milliseconds, on this process's steady clock. */
  deadline: number;
  /** Credits set aside. */
  held: number;
  /** Billable records the hold pays for; a record costs one credit. */
  maxRecords: number;
}

export interface FinalReplay {
  state: "final";
  requestId: string;
  operation: string;
  fingerprint: string;
  status: number;
  contentType: string;
  body: Buffer;
  billing: Charge;
}

export type Replay = RunningReplay | FinalReplay;

export interface Reservation {
  requestId: string;
  accountId: number;
  mode: Mode;
  keyId: string;
  operation: string;
  /** Least credits that a successful call costs. */
  minimum: number;
  /** Credits for the most records that the call can return. */
  most: number;
  /** Unix time in milliseconds, on this process's steady clock. */
  deadline: number;
  idempotency?: { key: string; fingerprint: string } | undefined;
  /** As of a settlement: from then on nothing is set aside. */
  notAfter?: number | undefined;
}

/** The additional columns of a call that is carried out without a waiting caller. */
export interface Background {
  /** The process that carries it out. */
  owner: string;
  /** JSON from which a process that takes the call over parses it again. */
  call: string;
  version: string;
  /** Selected members of its records, joined by commas. */
  fields?: string | undefined;
}

export type Reserved =
  /** `createdAt`: of a job, Unix time in milliseconds by the database's clock. */
  | { kind: "held"; amount: number; balance: number; createdAt?: number | undefined }
  | { kind: "insufficient"; balance: number }
  /** The account's stored answers have reached their limit; nothing was reserved. */
  | { kind: "full" }
  /** `notAfter` had passed; nothing was reserved. */
  | { kind: "late" }
  /** The key was revoked meanwhile; nothing was reserved. */
  | { kind: "revoked" }
  /** The Idempotency-Key has an owner already; nothing was reserved. */
  | ({ kind: "taken" } & Replay);

export interface Settlement {
  requestId: string;
  /** The account of its hold. Calls without it wait together for a locked balance. */
  accountId?: number | undefined;
  credits: number;
  records: number;
  truncated: boolean;
  status: number;
  durationMs: number;
  /** The answer of a replay; "apart" when `storeBody` has its body. Without it the key is freed. */
  stored?: { contentType: string; body: Buffer | "apart" } | undefined;
  /**
   * Unix time in milliseconds, on this process's steady clock, after which this statement may no longer charge
   * the call: a frozen database may run the statement long after it was sent.
   */
  notAfter?: number | undefined;
}

export type Settled =
  | ({ kind: "settled" | "already" } & Charge)
  /** The hold is void or past its grace, or `notAfter` has passed: nothing was charged; drop the outcome. */
  | { kind: "expired" };

export interface Release {
  requestId: string;
  /** As of a settlement. */
  accountId?: number | undefined;
  /** Leaves a call that another request has joined by its key. */
  unlessJoined?: boolean | undefined;
  status: number;
  errorType: string;
  durationMs: number;
}

/** A running call that a request with its key joins. */
export interface Join {
  requestId: string;
  /** The account of its hold. */
  accountId: number;
}

export interface CallStoreOptions {
  /** A hold can be settled until this long after its deadline, in milliseconds. */
  graceMs?: number | undefined;
  /** A replay is kept for this long, in milliseconds. */
  replayMs?: number | undefined;
}
