import type { CursorPayload, Mode } from "../contract/job.ts";
import type { Area, DataOf, InputOf, Operation } from "../contract/operation.ts";
import type { Scenario } from "../contract/scenario.ts";
import type { UpstreamTry } from "../contract/story.ts";
import type { Asked } from "../contract/trace.ts";
import type { Reply, Upstream, UpstreamRequest } from "./transport/upstream.ts";

/** One try at an upstream, told when it is over. */
export type Tried = Omit<UpstreamTry, "at"> & {
  asked?: Pick<Asked, "method" | "origin" | "path" | "resent">;
};

/** What is written down of a call for operators, as it goes. */
export interface Told {
  tried(one: Tried): void;
  /** A stage of the work begins; it lasts until the next. */
  stage(name: string): void;
  /** Why the call is about to fail, in a word. */
  cause(word: string): void;
}

/** What a handler knows about the call it carries out, beside the caller's input. */
export interface Call {
  /** Request id and job id in one; stands in every log line. */
  readonly requestId: string;
  readonly operation: string;
  readonly mode: Mode;
  readonly scenario: Scenario | undefined;
  /** Opaque id of account and mode. */
  readonly tenant: string;
  /** Aborts at the deadline and when the caller leaves. */
  readonly signal: AbortSignal;
  /** Unix time in milliseconds. */
  readonly deadline: number;
  /** Unix time in milliseconds when the worker took the job. */
  readonly startedAt: number;
  /** Most billable records that may be returned: what the caller asked for or what the hold pays for, whichever is less. */
  readonly maxRecords: number;
  /** True when the hold pays for fewer records than the caller asked for. */
  readonly shortOfCredits: boolean;
  /** Payload of the caller's cursor. */
  readonly cursor: CursorPayload | undefined;
  /** One upstream request with retries, limits and breaker; in test mode answered from samples. Throws GatewayError. */
  send(upstream: Upstream, request: UpstreamRequest): Promise<Reply>;
  /** The same way out for libraries that bring their own client. */
  fetchFor(upstream: Upstream): typeof fetch;
  /** Whether the operator has given this upstream's credentials; for operations with more than one upstream. */
  hasCredentials(upstream: Upstream): Promise<boolean>;
  log(level: "info" | "warn" | "error", message: string, fields?: Record<string, unknown>): void;
  /** Its story, where one is told. */
  readonly told?: Told;
}

/** What a handler returns. `truncated` and `pagination` come from `list.ts` and `bulk.ts` of worker/mapping. */
export interface Answer<Data> {
  data: Data;
  pagination?: { has_more: boolean; next?: CursorPayload };
  truncated?: boolean;
}

export type Handler<O extends Operation> = (
  input: InputOf<O>,
  call: Call,
) => Promise<Answer<DataOf<O>>>;

/** One handler for every operation of an area, checked by the compiler. */
export type Connector<A extends Area> = {
  [O in A["operations"][number] as O["id"]]: Handler<O>;
};
