import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { DiagLogLevel, ROOT_CONTEXT, SpanKind, diag, trace } from "@opentelemetry/api";
import { setGlobalErrorHandler } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from "@opentelemetry/resources";
import { BatchSpanProcessor, RandomIdGenerator, TracerProvider } from "@opentelemetry/sdk-trace";
import {
  ATTR_SERVICE_INSTANCE_ID,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_NAMESPACE,
} from "@opentelemetry/semantic-conventions";
import type { Tracing } from "../trace.ts";
import { RequestSpans } from "./call.ts";
import { hrTime, parentOf } from "./context.ts";
import { sampled, samplerOf } from "./sampling.ts";
import type { Spans } from "./spans.ts";
import type { TracingSettings } from "./settings.ts";
import { JobSpans } from "./work.ts";

/** Longest time that a span waits for its batch. */
const defaultDelayMs = 1000;
/** Longest time that a stop waits for the collector. */
const flushMs = 2000;
/** Shortest time between two warnings about an unreachable collector. */
const warnEveryMs = 60_000;

/** A queue holds up to 2,048 spans, which are sent in the background; a full queue drops further spans. */
export function createTracing({ role, env, warn }: TracingSettings): Tracing {
  let warnedAt = -Infinity;
  const complain = (what: unknown) => {
    if (performance.now() - warnedAt < warnEveryMs) return;
    warnedAt = performance.now();
    const error = what instanceof Error ? what.message || what.name : String(what);
    warn("traces", { error: error.slice(0, 200) });
  };
  setGlobalErrorHandler(complain);
  const quiet = () => undefined;
  diag.setLogger(
    { error: complain, warn: complain, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );

  let presetId: string | undefined;
  const takePresetId = () => {
    const id = presetId;
    presetId = undefined;
    return id;
  };
  const provider = providerOf({ role, env, warn }, takePresetId);
  const tracer = provider.getTracer("public-data-gateway");

  const spans: Spans = {
    newId: () => randomBytes(8).toString("hex"),
    begin(name, { parent, links = [], from, kind = SpanKind.INTERNAL, attributes = {}, id }) {
      presetId = id;
      return tracer.startSpan(
        name,
        {
          kind,
          startTime: hrTime(from),
          attributes,
          links: links.map((context) => ({ context })),
          root: parent === undefined,
        },
        sampled(parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT),
      );
    },
  };

  return {
    request({ traceparent, tracestate }, at) {
      const parent = parentOf(traceparent, tracestate);
      const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
      const span = tracer.startSpan(
        "request",
        { kind: SpanKind.SERVER, startTime: hrTime(at) },
        context,
      );
      return span.isRecording() ? new RequestSpans(spans, span) : undefined;
    },
    handedIn({ traceparent, tracestate }, at) {
      const parent = parentOf(traceparent, tracestate);
      return parent && new RequestSpans(spans, spans.begin("carry out", { parent, from: at }));
    },
    work({ traceparent, tracestate }, work) {
      const sent = parentOf(traceparent, tracestate);
      return sent && new JobSpans(spans, sent, work);
    },
    async stop() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, flushMs)));
      await Promise.race([provider.shutdown().catch(complain), late]);
      clearTimeout(timer);
    },
  };
}

/** `takePresetId` returns the id of the next span, where that was chosen before. */
function providerOf(
  { role, env, warn }: TracingSettings,
  takePresetId: () => string | undefined,
): TracerProvider {
  const random = new RandomIdGenerator();
  return new TracerProvider({
    sampler: samplerOf(env, (message) => warn(message, {})),
    resource: defaultResource()
      .merge(
        resourceFromAttributes({
          [ATTR_SERVICE_NAMESPACE]: "public-data-gateway",
          [ATTR_SERVICE_NAME]: `gateway-${role}`,
          [ATTR_SERVICE_INSTANCE_ID]: `${hostname()}-${process.pid}`,
        }),
      )
      .merge(
        detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }),
      ),
    // This limit also cuts attribute values made from an error's message.
    spanLimits: { attributeValueLengthLimit: 200 },
    idGenerator: {
      generateTraceId: () => random.generateTraceId(),
      generateSpanId: () => takePresetId() ?? random.generateSpanId(),
    },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter(),
        scheduledDelayMillis: Math.max(0, Number(env["OTEL_BSP_SCHEDULE_DELAY"])) || defaultDelayMs,
      }),
    ],
  });
}
