import type { CursorBinding } from "../contract/cursor.ts";
import type { CursorPayload } from "../contract/job.ts";
import type { Metrics } from "../contract/metrics.ts";
import type { Operation } from "../contract/operation.ts";
import type { Scenario } from "../contract/scenario.ts";
import type { TraceContext, Tracing } from "../contract/trace.ts";
import type { BudgetStore } from "../db/budgets.ts";
import type { Background, CallStore } from "../db/calls.ts";
import type { JobState } from "../db/schema.ts";
import type { Caller } from "./auth.ts";
import type { Controls } from "./admission/controls.ts";
import type { Dispatcher } from "./queue/dispatch.ts";
import type { Doubts } from "./doubts.ts";
import type { RawInput } from "./input.ts";
import type { Acquired } from "./admission/limits.ts";
import type { Stories } from "./stories.ts";
import type { Story } from "./story.ts";
import type { Cuts } from "./admission/cuts.ts";
import type { Unread } from "./edge/unread.ts";
import type { Webhooks } from "./webhooks/webhooks.ts";

/** One HTTP request to a data operation, read but not yet understood. */
export interface Request {
  requestId: string;
  caller: Caller;
  method: string;
  /** As sent, without the query. */
  path: string;
  raw: RawInput;
  version: string;
  idempotencyKey: string | undefined;
  scenario: Scenario | undefined;
  /** The most that the caller lets the call cost. */
  maxCredits?: number | undefined;
  /** The members of a record that the caller wants; without it all. */
  fields?: readonly string[] | undefined;
  /** Unix time in milliseconds. */
  arrivedAt: number;
  /** Aborts when the connection closes before the answer is written. */
  gone: AbortSignal;
  /** Where what becomes of it is written down. */
  story?: Story | undefined;
  /** Of work that a traced request has handed in. */
  trace?: TraceContext | undefined;
  /** Counts an answer against what its caller may leave unread, before it is read from a store; may throw. */
  room?: (bytes: number) => void;
  /** Set once the call has been measured against its key's limits; told on errors as well. */
  limits?: Acquired;
}

/** An HTTP answer. `requestId` differs from the request's own on a replay. */
export interface Response {
  status: number;
  body: Buffer;
  requestId: string;
  replayed?: boolean;
  /** More headers than every answer has. */
  headers?: Record<string, string>;
  /** How the job ended that was charged for this answer. */
  ended?: JobState;
}

export interface Services {
  calls: CallStore;
  budgets: BudgetStore;
  dispatcher: Dispatcher;
  metrics: Metrics;
  cursorSecret: string;
  /** Calls being carried out, also those whose caller has left. */
  running: Set<Promise<unknown>>;
  /** Idempotency-Keys that are being claimed; resolves to whether the claim succeeded. */
  claims: Map<string, Promise<boolean>>;
  /** What a store was asked for and may have done without an answer. */
  doubts: Doubts;
  unread: Unread;
  cuts: Cuts;
  webhooks: Webhooks;
  /** What operators decided; without it nothing was. */
  controls?: Controls;
  /** Where the stories of what was handed in go. */
  stories?: Stories;
  tracing?: Tracing | undefined;
  /** What an account's kept answers may take at rest, in bytes. */
  keptBytesLimit: number;
  log(level: "warn" | "error", message: string, fields: Record<string, unknown>): void;
}

/** A call that has been understood. */
export interface Call {
  op: Operation;
  input: Record<string, unknown>;
  cursor: CursorPayload | undefined;
  binding: CursorBinding;
  deadline: number;
  most: number;
  fingerprint: string | undefined;
  request: Request;
  /** Set where the call is carried out without a waiting caller: how it is noted. */
  background?: Background & {
    /** Nobody can have used its Idempotency-Key before. */
    isNew?: boolean;
    /** When a worker took it, in Unix milliseconds, once that is known. */
    startedAt?: number;
  };
  /** Milliseconds that the work itself may take, where the deadline allows for a longer wait. */
  runMs?: number;
}
