import type { TracingSettings } from "./settings.ts";
import type { Tracing } from "../trace.ts";

/** Whether OpenTelemetry's own variables switch tracing on. Without an endpoint nothing is loaded. */
export const isTracingEnabled = (env: TracingSettings["env"]): boolean =>
  Boolean(env["OTEL_EXPORTER_OTLP_ENDPOINT"] || env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]) &&
  env["OTEL_SDK_DISABLED"]?.toLowerCase() !== "true" &&
  env["OTEL_TRACES_EXPORTER"]?.toLowerCase() !== "none";

export async function startTracing(settings: TracingSettings): Promise<Tracing | undefined> {
  if (!isTracingEnabled(settings.env)) return undefined;
  const { createTracing } = await import("./otlp.ts");
  return createTracing(settings);
}
