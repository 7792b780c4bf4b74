import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import { dryRunHeader, maxCreditsHeader } from "../contract/dry-run.ts";
import { GatewayError, invalid } from "../contract/errors.ts";
import type { Metrics } from "../contract/metrics.ts";
import { steadyNow } from "../contract/steady.ts";
import type { Tracing } from "../contract/trace.ts";
import { type OlderVersions, currentVersion } from "../contract/version.ts";
import type { Authenticate, Caller } from "./auth.ts";
import { unauthorized } from "./auth.ts";
import { parseBody } from "./edge/body.ts";
import type { Controls } from "./admission/controls.ts";
import { allowPages } from "./edge/cors.ts";
import { checkRequestLine, guardServer, onClientError, serverOptions } from "./edge/edge.ts";
import { readDryRun, readMaxCredits, readVersion } from "./headers.ts";
import { type Rates, createDoor } from "./admission/rates.ts";
import { noStories, type Stories } from "./stories.ts";
import { Story } from "./story.ts";
import { limitHeaders, newRequestId, sendError, versionHeaders } from "./reply.ts";
import { unavailable } from "./stores.ts";
import { endWhenStalled, usualStallMs } from "./edge/unread.ts";
import { parseQuery, pathFaults } from "./edge/text.ts";

declare module "fastify" {
  interface FastifyInstance {
    endStory(request: FastifyRequest, reply: FastifyReply): void;
  }
  interface FastifyRequest {
    /** Set before the body is read, on every route that is not open. */
    caller: Caller | undefined;
    arrivedAt: number;
    /** Version of the contract that is served. */
    version: string;
    story: Story;
    /** Priced only: nothing is to run. */
    dryRun: boolean;
  }
  interface FastifyContextConfig {
    /** Answers without a key. */
    open?: boolean;
    /** Operation id, for metrics, log lines and stories. */
    operation?: string;
    pool?: string;
    /** Knows what `Svc-Dry-Run` means, beside the operations. */
    priced?: boolean;
  }
}

export interface AppOptions {
  authenticate: Authenticate;
  metrics: Metrics;
  logLevel: string;
  olderVersions: OlderVersions;
  /** Templates of the paths that have parameters. */
  paths: readonly string[];
  /** True once the process is asked to stop. */
  draining(): boolean;
  /** Addresses of load balancers, whose word on the caller's address is taken. */
  trustedProxies?: readonly string[];
  /** Origins of web pages that may call from a browser. */
  webOrigins?: readonly string[];
  /** Of an answer that is being written bytes must move within this time, in milliseconds. */
  stallMs?: number;
  /** What callers took of their rates; counted here alone when absent. */
  rates?: Rates;
  /** What operators decided about accounts and keys. */
  controls?: Pick<Controls, "checkCaller">;
  /** Where the stories of ended requests go; nowhere without it. */
  stories?: Stories;
  tracing?: Tracing;
}

const bodyLimit = 256 * 1024;

/** A Fastify without routes: reading, limits, authentication, and one error envelope for everything. */
export function createApp(options: AppOptions): FastifyInstance {
  const app = Fastify({
    http: serverOptions,
    trustProxy: options.trustedProxies?.length ? [...options.trustedProxies] : false,
    requestTimeout: serverOptions.requestTimeout,
    keepAliveTimeout: 65_000,
    bodyLimit,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: "idle",
    genReqId: newRequestId,
    logController: new Fastify.LogController({
      requestIdLogLabel: "request_id",
      disableRequestLogging: true,
    }),
    logger: { level: options.logLevel, base: { role: "api", pid: process.pid } },
    clientErrorHandler: onClientError,
    routerOptions: {
      maxParamLength: 2048,
      querystringParser: (text) => parseQuery(text) as unknown as Record<string, string>,
    },
    frameworkErrors: (error, request, reply) => {
      const path = (request.raw.url as string).split(/[?#]/, 1)[0] as string;
      const mapped = error.code === "FST_ERR_BAD_URL" ? badPath(path, options.paths) : known(error);
      void sendError(reply, mapped, { id: request.id, version: currentVersion });
    },
  });
  guardServer(app.server);
  allowPages(app, options.webOrigins ?? []);
  const door = createDoor(options.rates);
  const stories = options.stories ?? noStories;

  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
    try {
      done(null, parseBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });

  app.decorateRequest("caller", undefined);
  app.decorateRequest("arrivedAt", 0);
  app.decorateRequest("version", currentVersion);
  app.decorateRequest("dryRun", false);
  // Each request gets its own as it arrives.
  app.decorateRequest("story", undefined as unknown as Story);

  app.addHook("onRequest", async (request, reply) => {
    request.arrivedAt = steadyNow();
    request.story = new Story();
    const { tracing } = options;
    if (tracing && !request.routeOptions.config.open)
      request.story.traced((at) => tracing.request(request.headers, at));
    options.metrics.gauge("gateway_http_requests_in_flight", {}, ++inFlight);
    reply.raw.once("close", () => {
      options.metrics.gauge("gateway_http_requests_in_flight", {}, --inFlight);
      request.story.closed = true;
      endStory(request, reply);
    });
    if (options.draining() && !request.routeOptions.config.open) {
      throw unavailable("The service is restarting");
    }
    // Where the request line is not to be trusted, neither is what follows on the connection.
    void reply.header("connection", "close");
    checkRequestLine(request.raw);
    void reply.removeHeader("connection");
    if (!request.routeOptions.config.open) {
      const caller = await options
        .authenticate(request.headers.authorization, () => door.checkAddress(request.ip))
        .catch((error: GatewayError) => {
          if (error.type === "unauthorized") door.refused(request.ip);
          throw error;
        });
      request.caller = caller;
      if (caller.mode === "test") void reply.header("svc-mode", "test");
      const turnedAway = door.enter(caller);
      if (turnedAway) {
        void reply.headers(limitHeaders(caller, turnedAway.limits));
        throw turnedAway.error;
      }
      await options.controls?.checkCaller(caller);
      request.version = readVersion(request.raw, options.olderVersions);
      void reply.headers(versionHeaders(options.olderVersions.get(request.version)));
      request.dryRun = readDryRun(request.raw);
      refuseUnheard(request);
    }
  });
  let inFlight = 0;

  // A connection kept alive would hold up the stop until its idle time is over.
  app.addHook("onSend", async (_request, reply) => {
    endWhenStalled(reply.raw, options.stallMs ?? usualStallMs);
    if (options.draining()) void reply.header("connection", "close");
  });

  app.addHook("onResponse", async (request, reply) => {
    const operation = request.routeOptions.config.operation ?? "other";
    const { statusCode } = reply;
    const seconds = reply.elapsedTime / 1000;
    const { metrics } = options;
    const method = knownMethods.has(request.method) ? request.method : "other";
    metrics.count("gateway_http_requests_total", { method, operation, status: statusCode });
    metrics.observe("gateway_http_request_duration_seconds", { operation }, seconds);
    request.log.info(
      {
        operation,
        status: statusCode,
        ms: Math.round(reply.elapsedTime),
        key: request.caller?.keyId,
        mode: request.caller?.mode,
      },
      "answered",
    );
  });

  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const mapped = known(error);
    request.story.failed(mapped);
    options.metrics.count("gateway_errors_total", { type: mapped.type });
    if (mapped.type === "internal_error") request.log.error({ err: error }, "bug");
    else if (mapped.cause) request.log.warn({ err: mapped.cause }, mapped.message);
    if (closesConnection.has(mapped.status)) void reply.header("connection", "close");
    return sendError(reply, mapped, request);
  });

  app.decorate("endStory", endStory);
  return app;

  /** Called when the handler has ended and when the connection has; the later of the two counts. */
  function endStory(request: FastifyRequest, reply: FastifyReply): void {
    const { story, caller, routeOptions } = request;
    const { open, operation, pool } = routeOptions.config;
    if (story.busy || !story.closed) return;
    const { headersSent, statusCode, writableFinished } = reply.raw;
    if (open) return;
    if (!writableFinished) story.left();
    const status = headersSent ? statusCode : 0;
    const method = knownMethods.has(request.method) ? request.method : "other";
    const route = routeOptions.url;
    const told = story.end({ status, method, operation, pool, caller, route });
    // The gateway's own endpoints are told only where they refuse.
    if (operation !== undefined || statusCode >= 400) stories.add(request.id, told);
  }
}

const knownMethods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);
/** After these the rest of the request was not read. */
const closesConnection = new Set([408, 413, 415, 431]);

function badPath(path: string, templates: readonly string[]): GatewayError {
  const issues = pathFaults(path, templates);
  const [first] = issues;
  const message = first?.path ? `${first.path}: ${first.message}` : "The path is not valid";
  return new GatewayError("validation_error", message, { issues });
}

/** Turns whatever was thrown into one of the ten types; a fault of ours shows no detail. */
function known(error: Error & { code?: string; statusCode?: number }): GatewayError {
  if (error instanceof GatewayError) return error;
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return invalid("body", "", "too_large", "The body is too large", { status: 413 });
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
    case "FST_ERR_CTP_INVALID_TYPE": {
      const message = "Content-Type: must be application/json";
      return invalid("header", "Content-Type", "unsupported", message, { status: 415 });
    }
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return invalid(
        "header",
        "Content-Length",
        "mismatch",
        "Content-Length: does not fit the body",
      );
    case "FST_ERR_MAX_PARAM_LENGTH":
    case "FST_ERR_PARAM_TOO_LONG":
      return invalid("path", "", "too_long", "The path is too long", { status: 414 });
  }
  if (error.statusCode === 414) {
    return invalid("path", "", "too_long", "The path is too long", { status: 414 });
  }
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return invalid("body", "", "malformed", "The request could not be read");
  }
  return new GatewayError("internal_error", "Internal error", { cause: error });
}

/** What a caller relies on is not passed over in silence where it has no meaning. */
function refuseUnheard({ routeOptions, dryRun, raw, method }: FastifyRequest): void {
  const { operation, priced } = routeOptions.config;
  if (operation !== undefined || method === "GET") return;
  if (dryRun && !priced) {
    const message = `${dryRunHeader}: is for operations and POST /batches`;
    throw invalid("header", dryRunHeader, "not_a_call", message);
  }
  if (readMaxCredits(raw) !== undefined) {
    const message = `${maxCreditsHeader}: is for single calls; a batch has max_credits`;
    throw invalid("header", maxCreditsHeader, "not_a_call", message);
  }
}

/** The caller of a route that is not open. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw unauthorized();
  return request.caller;
}
