import type { TracingSettings } from "./settings.ts";
import type { Tracing } from "../trace.ts";

/** Whether OpenTelemetry's own variables switch tracing on. Without an endpoint nothing is loaded. */
export const isTracingEnabled = (env: TracingSettings["env"]): boolean =>
  endpoints.some((name) => env[name]) &&
  env["OTEL_SDK_DISABLED"]?.toLowerCase() !== "true" &&
  env["OTEL_TRACES_EXPORTER"]?.toLowerCase() !== "none";

const endpoints = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
const pairs = /^\s*[^\s,=]+\s*=[^,]*(,\s*[^\s,=]+\s*=[^,]*)*,?\s*$/;

/** OpenTelemetry's specification has a wrong value ignored, with a warning. The sampler checks its own variables. */
const forms: readonly [name: string, form: RegExp, text: string][] = [
  ["OTEL_SDK_DISABLED", /^(true|false)$/i, "neither true nor false"],
  ["OTEL_TRACES_EXPORTER", /^(otlp|none)$/i, "neither otlp nor none"],
  ["OTEL_BSP_SCHEDULE_DELAY", /^[1-9]\d{0,8}$/, "no number of milliseconds"],
  ["OTEL_RESOURCE_ATTRIBUTES", pairs, "no list of name=value"],
  ["OTEL_EXPORTER_OTLP_HEADERS", pairs, "no list of name=value"],
  ...endpoints.map((name): [string, RegExp, string] => [
    name,
    /^https?:\/\/[^\s/]/i,
    "no http(s) URL",
  ]),
];

function warnOfValues({ env, warn }: TracingSettings): void {
  for (const [name, form, text] of forms)
    if (env[name] && !form.test(env[name])) warn(`${name} is ${text}`, {});
}

export async function startTracing(settings: TracingSettings): Promise<Tracing | undefined> {
  warnOfValues(settings);
  if (!isTracingEnabled(settings.env)) return undefined;
  const { createTracing } = await import("./otlp.ts");
  return createTracing(settings);
}
