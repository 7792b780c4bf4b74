import { type ReserveRow, replayOf, settledOf } from "./call-rows.ts";
import { callStatements } from "./call-statements.ts";
import type { Database } from "./client.ts";
import type { JobReservation, JobSettled, JobSettlement } from "./job-calls.ts";
import { type Room, keptBodies } from "./kept-bodies.ts";
import { unpacked, unpackedBytes } from "./packed.ts";
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
  idempotency?: { key: string; fingerprint: string };
  /** As of a settlement: from then on nothing is set aside. */
  notAfter?: number;
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
  | { kind: "held"; amount: number; balance: number; createdAt?: number }
  | { kind: "insufficient"; balance: number }
  /** The account's stored answers have reached their limit; nothing was reserved. */
  | { kind: "full" }
  /** `notAfter` had passed; nothing was reserved. */
  | { kind: "late" }
  /** The Idempotency-Key has an owner already; nothing was reserved. */
  | ({ kind: "taken" } & Replay);

export interface Settlement {
  requestId: string;
  credits: number;
  records: number;
  truncated: boolean;
  status: number;
  durationMs: number;
  /** The answer of a replay; "apart" when `storeBody` has its body. Without it the key is freed. */
  stored?: { contentType: string; body: Buffer | "apart" };
  /**
   * Unix time in milliseconds, on this process's steady clock, after which this statement may no longer charge
   * the call: a frozen database may run the statement long after it was sent.
   */
  notAfter?: number;
}

export type Settled =
  | ({ kind: "settled" | "already" } & Charge)
  /** The hold is void or past its grace, or `notAfter` has passed: nothing was charged; drop the outcome. */
  | { kind: "expired" };

export interface Release {
  requestId: string;
  status: number;
  errorType: string;
  durationMs: number;
}

/** A larger body is stored in its own row before the settle: see `storeBody`. */
export const inlineBodyLimitBytes = 64 * 1024;

export interface LookUp {
  /** Called with the bytes of the account's stored replays when the key is free; may throw. */
  whenFree?: (keptBytes: number) => void;
  /** Called with the size of a final answer before its body is read or decompressed; may throw. */
  room?: Room | undefined;
}

export interface CallStoreOptions {
  /** A hold can be settled until this long after its deadline, in milliseconds. */
  graceMs?: number;
  /** A replay is kept for this long, in milliseconds. */
  replayMs?: number;
}

export const defaultGraceMs = 60_000;
export const defaultReplayMs = 24 * 3600_000;

export type CallStore = ReturnType<typeof callStore>;

export function callStore(
  db: Database,
  { graceMs = defaultGraceMs, replayMs = defaultReplayMs }: CallStoreOptions = {},
) {
  const bodies = keptBodies(db);
  const statements = callStatements(db, { graceMs, replayMs });
  const { time, ofJobs } = statements;

  /**
   * Undefined when the key is free: never used, freed by an error, expired, or older than the window.
   */
  async function lookUp(
    scope: ReplayScope,
    { whenFree, room }: LookUp = {},
  ): Promise<Replay | undefined> {
    const row = await statements.lookUp(scope);
    if (row.request_id === null) {
      whenFree?.(row.kept);
      return undefined;
    }
    if (row.state === "final" && row.body_apart) {
      const body = await bodies.load(row.request_id, room);
      if (!body) return undefined;
      row.body = body;
    } else if (row.state === "final") {
      room?.(unpackedBytes(row.body, row.body.length));
      row.body = await unpacked(row.body);
    }
    return replayOf(row, time);
  }

  /** Sets credits aside and claims the key. Available credits below max(minimum, 1) are insufficient. */
  const reserve = (call: Reservation, room?: Room) => claimed(call, statements.reserve, room);

  /** `reserve` for a call without a waiting caller, which is a job from then on. */
  const accept = (call: JobReservation, room?: Room) => claimed(call, ofJobs.accept, room);

  async function claimed<Call extends Reservation>(
    call: Call,
    send: (call: Call) => Promise<ReserveRow>,
    room: Room | undefined,
  ): Promise<Reserved> {
    const row = await send(call);
    if (row.kind === "held") {
      const createdAt = row.created === undefined ? {} : { createdAt: row.created };
      return { kind: "held", amount: row.amount, balance: row.available, ...createdAt };
    }
    if (row.kind === "full" || row.kind === "late") return { kind: row.kind };
    if (row.kind === "insufficient" || !call.idempotency)
      return { kind: "insufficient", balance: row.available };
    const { accountId, mode, idempotency } = call;
    const replay = await lookUp({ accountId, mode, key: idempotency.key }, { room });
    // Without a replay the key was freed between the two statements.
    return replay ? { kind: "taken", ...replay } : claimed(call, send, room);
  }

  /** Charges at most the hold, once; a repetition returns the numbers of the first settle. */
  async function settle(call: Settlement): Promise<Settled> {
    return settledOf(await statements.settle(checked(call)));
  }

  /** `settle` for a job: the same statement ends the job and emits its event. */
  async function settleJob(call: JobSettlement): Promise<JobSettled> {
    const row = await ofJobs.settle(checked(call));
    return { ...settledOf(row), state: row.state };
  }

  /** Releases the hold and frees the key. False when the hold was settled or void already. */
  async function release(call: Release): Promise<boolean> {
    return (await statements.release(call)).released;
  }

  return {
    lookUp,
    reserve,
    accept,
    takeBack: ofJobs.takeBack,
    storeBody: bodies.store,
    settle,
    settleJob,
    release,
    clock: time,
    measureClock: statements.measureClock,
  };
}

function checked<Call extends Settlement>(call: Call): Call {
  if (call.stored && call.stored.body.length > inlineBodyLimitBytes)
    throw new RangeError("A body this large must be stored apart before the settle.");
  return call;
}
