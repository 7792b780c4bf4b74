import type {
  ReplayScope,
  Replay,
  Reservation,
  Reserved,
  Settlement,
  Settled,
  Release,
  CallStoreOptions,
} from "./call-types.ts";
import { type ReserveRow, replayOf, settledOf } from "./call-rows.ts";
import { callStatements } from "./call-statements.ts";
import type { Database } from "./client.ts";
import type { JobReservation, JobSettled, JobSettlement } from "./job-calls.ts";
import { type Room, keptBodies } from "./kept-bodies.ts";
import { unpacked, unpackedBytes } from "./packed.ts";

/** A larger body is stored in its own row before the settle: see `storeBody`. */
export const inlineBodyLimitBytes = 64 * 1024;

export interface LookUp {
  /** Called with the bytes of the account's stored replays when the key is free; may throw. */
  whenFree?: (keptBytes: number) => void;
  /** Called with the size of a final answer before its body is read or decompressed; may throw. */
  room?: Room | undefined;
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
