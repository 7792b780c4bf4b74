import type {
  Join,
  Release,
  Replay,
  ReplayScope,
  Reservation,
  Settled,
  Settlement,
} from "./call-types.ts";
import type { DatabaseClock, TimedRow } from "./clock.ts";

/** Inputs of the SQL functions of calls, as JSON, and the rows that they return. */

export interface ReserveRow extends TimedRow {
  kind: "held" | "insufficient" | "taken" | "full" | "late" | "revoked";
  amount: number;
  available: number;
  /** Only of a job. */
  created?: number;
}

export interface SettleRow extends TimedRow {
  kind: "settled" | "already" | "expired";
  credits: number;
  records: number;
  truncated: boolean;
  available: number;
}

export interface FreeRow extends TimedRow {
  request_id: null;
  kept: number;
}

export interface ReplayRow extends TimedRow {
  request_id: string;
  fingerprint: string;
  state: "running" | "final";
  content_type: string;
  body: Buffer;
  body_apart: boolean;
  operation: string;
  amount: number;
  deadline: number;
  status: number;
  credits: number;
  records: number;
  truncated: boolean;
  available: number;
}

export function settledOf({ kind, available, credits, records, truncated }: SettleRow): Settled {
  if (kind === "expired") return { kind };
  return { kind, credits, records, balance: available, truncated };
}

export function replayOf(row: ReplayRow, time: DatabaseClock): Replay {
  const call = {
    requestId: row.request_id,
    operation: row.operation,
    fingerprint: row.fingerprint,
  };
  if (row.state === "running")
    return {
      state: "running",
      ...call,
      deadline: time.fromDatabase(row.deadline),
      held: row.amount,
      maxRecords: row.amount,
    };
  return {
    state: "final",
    ...call,
    status: row.status,
    contentType: row.content_type,
    body: row.body,
    billing: {
      credits: row.credits,
      records: row.records,
      balance: row.available,
      truncated: row.truncated,
    },
  };
}

export const lookUpInput = (scopes: ReplayScope[]): string =>
  JSON.stringify(scopes.map(({ accountId, mode, key }) => ({ account_id: accountId, mode, key })));

export const reserveInput = (calls: Reservation[], time: DatabaseClock): string =>
  JSON.stringify(calls.map((call) => reservationInput(call, time)));

export const reservationInput = (call: Reservation, time: DatabaseClock) => ({
  request_id: call.requestId,
  account_id: call.accountId,
  mode: call.mode,
  key_id: call.keyId,
  operation: call.operation,
  minimum: call.minimum,
  most: call.most,
  deadline: time.toDatabase(call.deadline),
  idempotency_key: call.idempotency?.key,
  fingerprint: call.idempotency?.fingerprint,
  not_after: call.notAfter === undefined ? undefined : time.toDatabaseExactly(call.notAfter),
  knows_revoked: true,
});

export const settleInput = (calls: Settlement[], time: DatabaseClock): string =>
  JSON.stringify(calls.map((call) => settlementInput(call, time)));

export const settlementInput = ({ stored, ...call }: Settlement, time: DatabaseClock) => ({
  request_id: call.requestId,
  credits: call.credits,
  records: call.records,
  truncated: call.truncated,
  status: call.status,
  duration_ms: Math.round(call.durationMs),
  content_type: stored?.contentType,
  body: stored?.body instanceof Buffer ? stored.body.toString("base64") : undefined,
  body_apart: stored?.body === "apart",
  not_after: call.notAfter === undefined ? undefined : time.toDatabaseExactly(call.notAfter),
});

export const releaseInput = (calls: Release[]): string =>
  JSON.stringify(
    calls.map((call) => ({
      request_id: call.requestId,
      status: call.status,
      error_type: call.errorType,
      duration_ms: Math.round(call.durationMs),
      unless_joined: call.unlessJoined,
    })),
  );

export const joinInput = (calls: Join[]): string =>
  JSON.stringify(calls.map(({ requestId }) => ({ request_id: requestId })));
