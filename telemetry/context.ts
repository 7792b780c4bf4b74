import { type HrTime, type SpanContext, TraceFlags, createTraceState } from "@opentelemetry/api";
import { parseTraceParent } from "@opentelemetry/core";
import type { TraceContext } from "../contract/trace.ts";

/** What W3C Trace Context asks everybody to pass on. */
const stateLimit = 512;

/** As a tuple: numbers from before this process's start would be taken for something else. */
export function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}

/** A span elsewhere; undefined where the header is not one that can be read. */
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

/** A span of this process for whoever goes on with it. */
export function contextOf({ traceId, spanId, traceState }: SpanContext): TraceContext {
  const flags = TraceFlags.SAMPLED.toString(16).padStart(2, "0");
  const tracestate = traceState?.serialize();
  return {
    traceparent: `00-${traceId}-${spanId}-${flags}`,
    ...(tracestate ? { tracestate } : {}),
  };
}
