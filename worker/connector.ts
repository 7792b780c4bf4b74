import type { CursorPayload } from "../contract/cursor.ts";
import type { Mode } from "../contract/mode.ts";
import type { Area, DataOf, InputOf, Operation } from "../contract/operation.ts";
import type { Scenario } from "../contract/scenario.ts";
import type { UpstreamTry } from "../runtime/call-log.ts";
import type { CrawlFound, CrawlTask } from "../runtime/crawl.ts";
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
  /** True when the hold pays for fewer records than the caller requested. */
  readonly shortOfCredits: boolean;
  /** Payload of the caller's cursor. */
  readonly cursor: CursorPayload | undefined;
  /** One upstream request with retries, rate limits and circuit breaker; the sandbox answers in test mode. Throws GatewayError. */
  send(upstream: Upstream, request: UpstreamRequest): Promise<Reply>;
  /** `send` as a `fetch`, for libraries with their own client. */
  fetchFor(upstream: Upstream): typeof fetch;
  /** Whether this upstream's credentials are set; for operations with more than one upstream. */
  hasCredentials(upstream: Upstream): Promise<boolean>;
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
