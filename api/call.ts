import type { CursorBinding } from "../contract/cursor.ts";
import type { CursorPayload } from "../contract/cursor.ts";
import type { Metrics } from "../runtime/metrics.ts";
import type { Operation } from "../contract/operation.ts";
import type { Scenario } from "../contract/scenario.ts";
import type { TraceContext, Tracing } from "../runtime/trace.ts";
import type { BudgetStore } from "../db/budgets.ts";
import type { CallStore } from "../db/calls.ts";
import type { Background } from "../db/call-types.ts";
import type { JobState } from "../db/schema.ts";
import type { Caller } from "./auth.ts";
import type { Controls } from "./admission/controls.ts";
import type { Dispatcher } from "./queue/dispatch.ts";
import type { Doubts } from "./doubts.ts";
import type { OwnCredentials } from "./own-credentials.ts";
import type { RawInput } from "./input.ts";
import type { Acquired } from "./admission/call-limiter.ts";
import type { CallLog } from "./call-log.ts";
import type { CallTimeline } from "./timeline.ts";
import type { PartialReadLimit } from "./admission/partial-read-limit.ts";
import type { Unread } from "./edge/slow-readers.ts";
import type { Webhooks } from "./webhooks/webhooks.ts";

/** Counts an answer before a store reads it; throws when its caller must first read other answers. */
export type AdmitBytes = (bytes: number) => void;

/** One HTTP request to a data operation, before validation. */
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
  /** The members of a record to return; all of them when absent. */
  fields?: readonly string[] | undefined;
  /** Unix time in milliseconds. */
  arrivedAt: number;
  /** Aborts when the connection closes before the answer is written. */
  gone: AbortSignal;
  /** Its call log while it is served. */
  timeline?: CallTimeline | undefined;
  /** The trace context of work that a traced request submitted. */
  trace?: TraceContext | undefined;
  /** Counts against the bytes that the caller may leave unread. */
  admitBytes?: AdmitBytes | undefined;
  /** Set once the call was measured against its limits; sent with errors as well. */
  limits?: Acquired;
}

/** An HTTP answer. `requestId` differs from the request's own on a replay. */
export interface Response {
  status: number;
  body: Buffer;
  requestId: string;
  replayed?: boolean;
  /** Headers beside those of every answer. */
  headers?: Record<string, string>;
  /** The end of the job that was charged for this answer. */
  ended?: JobState;
}

export interface Services {
  calls: CallStore;
  budgets: BudgetStore;
  dispatcher: Dispatcher;
  metrics: Metrics;
  cursorSecret: string;
  /** Running calls, including those whose caller has left. */
  running: Set<Promise<unknown>>;
  /** Idempotency-Keys that are being claimed; resolves to whether the claim succeeded. */
  claims: Map<string, Promise<boolean>>;
  /** Store steps without an answer, whose outcome is unknown. */
  doubts: Doubts;
  unread: Unread;
  partialReads: PartialReadLimit;
  webhooks: Webhooks;
  /** The accounts' own credentials; none has any when absent. */
  credentials?: Pick<OwnCredentials, "forJob"> | undefined;
  /** Operators' decisions; none apply when absent. */
  controls?: Controls;
  /** Receives the call logs of submitted work. */
  callLogs?: CallLog;
  tracing?: Tracing | undefined;
  /** The most bytes that an account's kept answers may occupy. */
  keptBytesLimit: number;
  log(level: "warn" | "error", message: string, fields: Record<string, unknown>): void;
}

/** A validated call. */
export interface Call {
  op: Operation;
  input: Record<string, unknown>;
  cursor: CursorPayload | undefined;
  binding: CursorBinding;
  deadline: number;
  most: number;
  fingerprint: string | undefined;
  request: Request;
  /** Set when no caller waits for the call: how its job is stored. */
  background?: Background & {
    /** The key is new, so no earlier call can have used it. */
    isNew?: boolean;
    /** When a worker started the job, in Unix milliseconds, once that is known. */
    startedAt?: number;
  };
  /** Milliseconds for the work itself, when the deadline allows a longer wait in the queue. */
  runMs?: number;
}
