import { type HrTime, type SpanContext, TraceFlags, createTraceState } from "@opentelemetry/api";
import { parseTraceParent } from "@opentelemetry/core";
import type { TraceContext } from "../trace.ts";

/** W3C Trace Context asks every participant to pass on at least this many characters of `tracestate`. */
const stateLimit = 512;

/** A tuple, because OpenTelemetry reads a number below the process's start time as an offset from it. */
export function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}

/** The context of a remote span; undefined where the header cannot be parsed. */
export function parentOf(traceparent: unknown, tracestate: unknown): SpanContext | undefined {
  if (typeof traceparent !== "string") return undefined;
  const parsed = parseTraceParent(traceparent);
  if (!parsed) return undefined;
  const state = typeof tracestate === "string" && tracestate.length <= stateLimit && tracestate;
  return {
    ...parsed,
    isRemote: true,
    ...(state ? { traceState: createTraceState(state) } : {}),
  };
}

/** The context of a local span, for the process that continues the trace. */
export function contextOf({ traceId, spanId, traceState }: SpanContext): TraceContext {
  const flags = TraceFlags.SAMPLED.toString(16).padStart(2, "0");
  const tracestate = traceState?.serialize();
  return {
    traceparent: `00-${traceId}-${spanId}-${flags}`,
    tracestate: tracestate || undefined,
  };
}
