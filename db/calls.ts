import type {
  Join,
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
import type { DatabaseClock } from "./clock.ts";
import type {
  JobReservation,
  JobSettled,
  JobSettlement,
  TakenBack,
  TakingBack,
} from "./job-calls.ts";
import { type Room, keptBodies } from "./kept-bodies.ts";
import { unpacked, unpackedBytes } from "./packed.ts";

/** A larger body is stored in its own row before the settle: see `storeBody`. */
export const inlineBodyLimitBytes = 64 * 1024;

export interface LookUp {
  /** Called with the bytes of the account's stored replays when the key is free; may throw. */
  whenFree?: ((keptBytes: number) => void) | undefined;
  /** Called with the size of a final answer before its body is read or decompressed; may throw. */
  room?: Room | undefined;
}

export const defaultGraceMs = 60_000;
export const defaultReplayMs = 24 * 3600_000;

export class CallStore {
  readonly clock: DatabaseClock;
  readonly measureClock: () => Promise<number>;
  readonly takeBack: (job: TakenBack) => Promise<TakingBack>;
  readonly storeBody: (requestId: string, body: Buffer) => Promise<void>;
  readonly #statements: ReturnType<typeof callStatements>;
  readonly #bodies: ReturnType<typeof keptBodies>;

  constructor(
    db: Database,
    { graceMs = defaultGraceMs, replayMs = defaultReplayMs }: CallStoreOptions = {},
  ) {
    this.#bodies = keptBodies(db);
    this.#statements = callStatements(db, { graceMs, replayMs });
    this.clock = this.#statements.time;
    this.measureClock = this.#statements.measureClock;
    this.takeBack = this.#statements.ofJobs.takeBack;
    this.storeBody = this.#bodies.store;
  }

  /**
   * Undefined when the key is free: never used, freed by an error, expired, or older than the window.
   */
  async lookUp(scope: ReplayScope, { whenFree, room }: LookUp = {}): Promise<Replay | undefined> {
    const row = await this.#statements.lookUp(scope);
    if (row.request_id === null) {
      whenFree?.(row.kept);
      return undefined;
    }
    if (row.state === "final" && row.body_apart) {
      const body = await this.#bodies.load(row.request_id, room);
      if (!body) return undefined;
      row.body = body;
    } else if (row.state === "final") {
      room?.(unpackedBytes(row.body, row.body.length));
      row.body = await unpacked(row.body);
    }
    return replayOf(row, this.clock);
  }

  /** Sets credits aside and claims the key. Available credits below max(minimum, 1) are insufficient. */
  reserve(call: Reservation, room?: Room): Promise<Reserved> {
    return this.#claim(call, this.#statements.reserve, room);
  }

  /** `reserve` for a call without a waiting caller, which is a job from then on. */
  accept(call: JobReservation, room?: Room): Promise<Reserved> {
    return this.#claim(call, this.#statements.ofJobs.accept, room);
  }

  /** Charges at most the hold, once; a repetition returns the numbers of the first settle. */
  async settle(call: Settlement): Promise<Settled> {
    return settledOf(await this.#statements.settle(checked(call)));
  }

  /** `settle` for a job: the same statement ends the job and emits its event. */
  async settleJob(call: JobSettlement): Promise<JobSettled> {
    const row = await this.#statements.ofJobs.settle(checked(call));
    return { ...settledOf(row), state: row.state };
  }

  /** Releases the hold and frees the key. False when the hold was settled or void already, or the call joined. */
  async release(call: Release): Promise<boolean> {
    return (await this.#statements.release(call)).released;
  }

  /**
   * Call before a request waits for a running call of its key: the hold is not released with the first request
   * then. False when the call runs no more.
   */
  async join(call: Join): Promise<boolean> {
    return (await this.#statements.join(call)).joined;
  }

  async #claim<Call extends Reservation>(
    call: Call,
    send: (call: Call) => Promise<ReserveRow>,
    room: Room | undefined,
  ): Promise<Reserved> {
    const row = await send(call);
    if (row.kind === "held") {
      const { amount, available: balance, created: createdAt } = row;
      return { kind: "held", amount, balance, createdAt };
    }
    const { kind } = row;
    if (kind === "full" || kind === "late" || kind === "revoked") return { kind };
    if (row.kind === "insufficient" || !call.idempotency)
      return { kind: "insufficient", balance: row.available };
    const { accountId, mode, idempotency } = call;
    const replay = await this.lookUp({ accountId, mode, key: idempotency.key }, { room });
    // Without a replay the key was freed between the two statements.
    return replay ? { kind: "taken", ...replay } : this.#claim(call, send, room);
  }
}

function checked<Call extends Settlement>(call: Call): Call {
  if (call.stored && call.stored.body.length > inlineBodyLimitBytes)
    throw new RangeError("A body this large must be stored apart before the settle.");
  return call;
}
