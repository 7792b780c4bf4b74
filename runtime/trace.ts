import type { CallLogEntry, Stage } from "./call-log.ts";

/**
 * The trace of a call, for operators: the time and process of each part. Spans are made from the marks
 * of its call log (`call-log.ts`) once the call is over, without further measurements.
 */

/**
 * Parent span of a sampled call's work, in the form of W3C Trace Context; it crosses the queue.
 * `traceparent` carries its own version; a reader that does not know the version works without a trace.
 */
export interface TraceContext {
  traceparent: string;
  tracestate?: string | undefined;
}

/** Start of a stage, in Unix milliseconds with fractions. It lasts until the next mark, or the end. */
export interface Mark<S extends string = string> {
  name: S;
  at: number;
}

/** A sampled request, or the background work that it submitted. */
export interface CallTrace {
  /** Trace id in the call log: 32 hexadecimal digits. */
  readonly traceId: string;
  /** Context for the worker's spans. */
  sent(): TraceContext;
  /** Context for work that outlives the request. */
  below(): TraceContext;
  /** `route` is the template of the path. */
  end(entry: CallLogEntry, marks: readonly Mark<Stage>[], at: number, route?: string): void;
}

/** One request to an upstream; the trace shows no more of its URL than this. */
export interface Asked {
  upstream: string;
  method?: string | undefined;
  /** "https://api.example.com". */
  origin?: string | undefined;
  /** Template of the path, where one is known. */
  path?: string | undefined;
  /** Attempts before this one. */
  resent?: number | undefined;
  /** Milliseconds of preparing the request and waiting for the limits of the upstream's account. */
  waited: number;
  /** HTTP status or the name of a fault. */
  status: number | string;
  /** Milliseconds from the request to the end of its answer, which is the present moment. */
  took: number;
}

/** The worker's trace of a sampled call's job. */
export interface WorkTrace {
  /** Goes into the outcome: a later attempt has its own trace, and the call's trace links to it. */
  readonly context: TraceContext;
  asked(one: Asked): void;
  /** A stage of the work begins. */
  stage(name: string): void;
  end(outcome: string): void;
}

export interface Work {
  jobId: string;
  pool: string;
  operation: string;
  /** 1 unless a worker was lost while it ran the job. */
  attempt: number;
  /** Milliseconds in its queue. */
  queued: number;
  /** When the worker took it, in Unix milliseconds. */
  at: number;
}

/** Every method returns undefined where the call is not sampled. */
export interface Tracing {
  /** Starts the trace of a request with these W3C Trace Context headers. */
  request(headers: Readonly<Record<string, unknown>>, at: number): CallTrace | undefined;
  /** Starts the trace of work that a traced request submitted. */
  handedIn(context: TraceContext, at: number): CallTrace | undefined;
  /** Starts the trace of a job that carries a context. */
  work(context: TraceContext, work: Work): WorkTrace | undefined;
  /** Sends the buffered spans, within a short time limit. */
  stop(): Promise<void>;
}
