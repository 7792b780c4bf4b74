import type { CallStory, Stage } from "./story.ts";

/**
 * The trace of a call, for operators: which part of it took place when, in which process. Spans are made
 * from the marks of its story (`story.ts`) once it is over; nothing else is measured for them.
 */

/**
 * What crosses the queue with a sampled call: the span that the work belongs below, as W3C Trace Context
 * writes it. The format is versioned by `traceparent` itself; who cannot read it works without a trace.
 */
export interface TraceContext {
  traceparent: string;
  tracestate?: string;
}

/** When something began, in Unix milliseconds with fractions. It lasts until the next one, or the end. */
export interface Mark<S extends string = string> {
  name: S;
  at: number;
}

/** A sampled request, or the work that one has handed in. */
export interface CallTrace {
  /** Told in the story: 32 hexadecimal digits. */
  readonly traceId: string;
  /** What a worker goes on with. */
  sent(): TraceContext;
  /** What work goes on with that outlives the request. */
  below(): TraceContext;
  /** `route` is the template of the path. */
  end(story: CallStory, marks: readonly Mark<Stage>[], at: number, route?: string): void;
}

/** One request to an upstream; of its URL no more than this is told. */
export interface Asked {
  upstream: string;
  method?: string | undefined;
  /** "https://api.example.com". */
  origin?: string | undefined;
  /** Template of the path, where one is known. */
  path?: string | undefined;
  /** Tries before this one. */
  resent?: number | undefined;
  /** Milliseconds in which it was prepared and waited for the limits of the upstream's account. */
  waited: number;
  /** HTTP status or the name of a fault. */
  status: number | string;
  /** Milliseconds from the request to the end of its answer, which is now. */
  took: number;
}

/** A job in the hands of a worker, of a call that is sampled. */
export interface WorkTrace {
  /** For the outcome: a later attempt has a trace of its own, and the call's points to it. */
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
  /** 1 unless an earlier worker was lost with the job. */
  attempt: number;
  /** Milliseconds in its queue. */
  queued: number;
  /** When the worker took it, in Unix milliseconds. */
  at: number;
}

/** Undefined where a call is not sampled. */
export interface Tracing {
  /** A request has arrived, with these headers of W3C Trace Context. */
  request(headers: Readonly<Record<string, unknown>>, at: number): CallTrace | undefined;
  /** Work that a traced request has handed in begins. */
  handedIn(context: TraceContext, at: number): CallTrace | undefined;
  /** A worker has taken a job that came with a context. */
  work(context: TraceContext, work: Work): WorkTrace | undefined;
  /** Sends what has gathered, for a short while. */
  stop(): Promise<void>;
}
