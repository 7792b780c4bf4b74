import type { CursorPayload } from "../contract/cursor.ts";
import type { Mode } from "../contract/mode.ts";
import type { Area, DataOf, InputOf, Operation } from "../contract/operation.ts";
import type { Scenario } from "../contract/scenario.ts";
import type { ErrorType, GatewayError } from "../contract/errors.ts";
import type { UpstreamTry, UpstreamTurn } from "../runtime/call-log.ts";
import type { CrawlFound, CrawlTask } from "../runtime/crawl.ts";
import type { OwnCredential } from "../runtime/own-credentials.ts";
import type { Asked } from "../runtime/trace.ts";
import type { Reply, Upstream, UpstreamRequest } from "./transport/upstream.ts";

/** A finished attempt at an upstream. */
export type Tried = Omit<UpstreamTry, "at"> & {
  asked?: Pick<Asked, "method" | "origin" | "path" | "resent">;
};

/** Receives the events of a call's timeline, for operators. */
export interface Timeline {
  tried(one: Tried): void;
  /** Begins a stage of the work, which lasts until the next one. */
  stage(name: string): void;
  /** Sets why the call is about to fail, in a word. */
  cause(word: string): void;
  /** The operation turned from one upstream to the other. */
  turned(turn: Omit<UpstreamTurn, "at">): void;
}

/** `resting`: it failed lately, its circuit breaker is open, or an operator has switched it off. */
export type Standing = "ready" | "resting" | "no_credentials";

/** Limits of one upstream request below those of the call. */
export interface Patience {
  /** Unix time in milliseconds. */
  deadline?: number;
  /** Most retries. */
  retries?: number;
}

/** The own credentials of a call's account. */
export interface OwnCredentials {
  /** The one for these variables; `unreadable` where the account has one that this worker cannot decrypt. */
  of(variables: readonly string[]): OwnCredential | "unreadable" | undefined;
}

/** An operation's turn from one of its upstreams to the other. */
export interface Turn {
  from: Upstream;
  to: Upstream;
  reason: "resting" | ErrorType;
  /** Absent where the first upstream rested. */
  error?: GatewayError | undefined;
}

/** Receives how the preferred upstream of an operation with two fares. */
export interface Failovers {
  answered(upstream: Upstream): void;
  turned(turn: Turn): void;
}

/** The call that a handler runs, apart from the caller's input. */
export interface Call {
  /** Both request id and job id; part of every log line. */
  readonly requestId: string;
  readonly operation: string;
  readonly mode: Mode;
  readonly scenario: Scenario | undefined;
  /** Opaque id of account and mode. */
  readonly tenant: string;
  /** Opaque id of the account, whatever its mode: accounts take turns by it. */
  readonly account: string;
  /** Aborts at the deadline and when the caller leaves. */
  readonly signal: AbortSignal;
  /** Unix time in milliseconds. */
  readonly deadline: number;
  /** Unix time in milliseconds when the worker took the job. */
  readonly startedAt: number;
  /** Most billable records to return: the smaller of the requested number and the number the hold pays for. */
  readonly maxRecords: number;
  /** Most retries of an upstream request; as many as its answer suggests when absent. */
  readonly retries?: number | undefined;
  /** The account's own credentials; absent where it has none. */
  readonly own?: OwnCredentials | undefined;
  /** True when the hold pays for fewer records than the caller requested. */
  readonly shortOfCredits: boolean;
  /** Payload of the caller's cursor. */
  readonly cursor: CursorPayload | undefined;
  /** One upstream request with retries, rate limits and circuit breaker; the sandbox answers in test mode. Throws GatewayError. */
  send(upstream: Upstream, request: UpstreamRequest, patience?: Patience): Promise<Reply>;
  /** `send` as a `fetch`, for libraries with their own client. */
  fetchFor(upstream: Upstream): typeof fetch;
  /** Whether this upstream can be asked now; for operations with more than one upstream. */
  standingOf(upstream: Upstream): Promise<Standing>;
  /** Absent where no upstream's failure may be hidden: samples, stored answers, `gateway verify`. */
  readonly failovers?: Failovers | undefined;
  log(level: "info" | "warn" | "error", message: string, fields?: Record<string, unknown>): void;
  /** Set for an item of a crawl. */
  readonly crawl?: CrawlTask | undefined;
  /** Absent where no call log is written. */
  readonly timeline?: Timeline | undefined;
}

/** Result of a handler. `truncated` and `pagination` come from `list.ts` and `bulk.ts` of worker/mapping. */
export interface Answer<Data> {
  data: Data;
  pagination?: { has_more: boolean; next?: CursorPayload };
  truncated?: boolean | undefined;
  /** Addresses and names that an item of a crawl found. */
  found?: CrawlFound | undefined;
}

export type Handler<O extends Operation> = (
  input: InputOf<O>,
  call: Call,
) => Promise<Answer<DataOf<O>>>;

/** One handler for every operation of an area, checked by the compiler. */
export type Connector<A extends Area> = {
  [O in A["operations"][number] as O["id"]]: Handler<O>;
};
