import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Metrics } from "../runtime/metrics.ts";
import { monotonicNow } from "../runtime/monotonic.ts";
import type { Tracing } from "../runtime/trace.ts";
import { RateLimiter } from "./admission/rate-limiter.ts";
import { type CallLog, noCallLogs } from "./call-log.ts";
import { CallTimeline } from "./timeline.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** Called when the handler has ended and when the connection has closed; the later call counts. */
    endTimeline(request: FastifyRequest, reply: FastifyReply): void;
  }
  interface FastifyRequest {
    arrivedAt: number;
    timeline: CallTimeline;
  }
  interface FastifyContextConfig {
    /** Operation id, for metrics, log lines and call logs. */
    operation?: string;
    pool?: string;
  }
}

export interface Observers {
  metrics: Metrics;
  /** Receives the call logs of ended requests; they are dropped when absent. */
  callLogs?: CallLog | undefined;
  tracing?: Tracing | undefined;
}

const knownMethods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);
const methodOf = ({ method }: FastifyRequest) => (knownMethods.has(method) ? method : "other");

/** Refusals that cost a caller nothing are logged this often a second: anybody can send any number of requests. */
const mostLines = 10;
const isUnknown = ({ caller, routeOptions }: FastifyRequest, status: number) =>
  !caller && !routeOptions.config.open && status >= 400;

/** Counts and logs every request and keeps its call log, from its arrival to the end of its connection. */
export function observe(app: FastifyInstance, observers: Observers): void {
  const { metrics, tracing, callLogs = noCallLogs } = observers;
  const refusals = new RateLimiter();
  /** Refusals without a log line since the last one. */
  let notLogged = 0;
  let inFlight = 0;
  app.decorateRequest("arrivedAt", 0);
  // Each request gets its own as it arrives.
  app.decorateRequest("timeline", undefined as unknown as CallTimeline);

  app.addHook("onRequest", (request, reply, done) => {
    request.arrivedAt = monotonicNow();
    request.timeline = new CallTimeline(() => ({
      operation: request.routeOptions.config.operation ?? request.routeOptions.url ?? "other",
      account: request.caller?.accountId,
    }));
    if (tracing && !request.routeOptions.config.open)
      request.timeline.traced((at) => tracing.request(request.headers, at));
    metrics.gauge("gateway_http_requests_in_flight", {}, ++inFlight);
    reply.raw.once("close", () => {
      metrics.gauge("gateway_http_requests_in_flight", {}, --inFlight);
      request.timeline.closed = true;
      endTimeline(request, reply);
    });
    done();
  });

  app.addHook("preHandler", (request, _reply, done) => {
    request.timeline.resume();
    done();
  });

  app.addHook("onResponse", async (request, reply) => {
    const operation = request.routeOptions.config.operation ?? "other";
    const { statusCode } = reply;
    const seconds = reply.elapsedTime / 1000;
    const method = methodOf(request);
    const mode = request.caller?.mode ?? "none";
    metrics.count("gateway_http_requests_total", { method, operation, status: statusCode, mode });
    metrics.observe("gateway_http_request_duration_seconds", { operation }, seconds);
    const refused = isUnknown(request, statusCode)
      ? "unknown"
      : statusCode === 429 && `${request.caller?.accountId}`;
    if (refused !== false && refusals.take(refused, mostLines, mostLines) > 0) {
      notLogged += 1;
      return;
    }
    request.log.info(
      {
        operation,
        status: statusCode,
        ms: Math.round(reply.elapsedTime),
        key: request.caller?.keyId,
        mode: request.caller?.mode,
        not_logged: notLogged || undefined,
      },
      "answered",
    );
    notLogged = 0;
  });

  app.decorate("endTimeline", endTimeline);

  function endTimeline(request: FastifyRequest, reply: FastifyReply): void {
    const { timeline, caller, routeOptions } = request;
    const { open, operation, pool } = routeOptions.config;
    if (timeline.busy || !timeline.closed) return;
    const { headersSent, statusCode, writableFinished } = reply.raw;
    if (open) return;
    if (!writableFinished) timeline.left();
    if (isUnknown(request, statusCode) && refusals.take("call log", mostLines, mostLines) > 0)
      return;
    const status = headersSent ? statusCode : 0;
    const route = routeOptions.url;
    const callLog = timeline.end({
      status,
      method: methodOf(request),
      operation,
      pool,
      caller,
      route,
    });
    for (const step of ["reserve", "settle"] as const) {
      const ms = callLog.stages[step];
      if (ms === undefined) continue;
      metrics.count("gateway_credit_steps_total", { step });
      metrics.count("gateway_credit_step_seconds_total", { step }, ms / 1000);
    }
    // The gateway's own endpoints are logged only when they refuse.
    if (operation !== undefined || statusCode >= 400) callLogs.add(request.id, callLog);
  }
}
