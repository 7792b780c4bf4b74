import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyRequest,
} from "fastify";
import { currentVersion } from "../contract/version.ts";
import { RefusedBytes } from "./admission/refused-bytes.ts";
import { type Entrance, letCallersIn } from "./callers.ts";
import { parseBody } from "./edge/body.ts";
import { isLarge, parseInTurn } from "./edge/body-turns.ts";
import { allowPages } from "./edge/cors.ts";
import {
  checkRequestLine,
  dropTypeOfNothing,
  guardServer,
  onClientError,
  serverFor,
} from "./edge/edge.ts";
import { asGatewayError, badPath } from "./edge/framework-errors.ts";
import { KnownPaths, addFallback } from "./edge/known-paths.ts";
import { leaveLongBody } from "./edge/unread-body.ts";
import { parseQuery } from "./edge/text.ts";
import { endWhenStalled, defaultStallMs } from "./edge/slow-readers.ts";
import { type Observers, observe } from "./observe.ts";
import { newRequestId, sendError } from "./reply.ts";
import { unavailable } from "./stores.ts";

export interface AppOptions extends Entrance, Observers {
  /** Silent when absent. */
  log?: FastifyBaseLogger | undefined;
  /** True once the process has been requested to stop. */
  draining(): boolean;
  /** Addresses of load balancers whose X-Forwarded-For is trusted. */
  trustedProxies?: readonly string[] | undefined;
  /** Origins of web pages that may call from a browser. */
  webOrigins?: readonly string[] | undefined;
  /** While an answer is written, some bytes must move within this time, in milliseconds. */
  stallMs?: number | undefined;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Media types of the route's body; application/json alone when absent. */
    mediaTypes?: readonly string[];
  }
}

const bodyLimit = 256 * 1024;
/** With these statuses the rest of the request was not read, so the connection cannot be reused. */
const closesConnection = new Set([408, 413, 415, 431]);

/**
 * A Fastify without routes: reading, limits, authentication, and one error envelope for all answers, those of
 * unknown paths too.
 */
export function createApp(options: AppOptions): FastifyInstance {
  const app = createFastify(options, () => paths.templates);
  const paths = new KnownPaths(app);
  guardServer(app.server);
  allowPages(app, options.webOrigins ?? []);
  const refusedBytes = new RefusedBytes();
  const bodyLengths = readJson(app);
  // The order of the hooks below is the order in which a request meets them.
  observe(app, options);
  guardConnections(app, options);
  letCallersIn(app, options, refusedBytes);

  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const mapped = asGatewayError(error, request.routeOptions.config.mediaTypes);
    request.timeline.failed(mapped);
    if (mapped.type === "validation_error" && request.caller)
      refusedBytes.refused(request.caller, bodyLengths.get(request) ?? 0);
    options.metrics.count("gateway_errors_total", { type: mapped.type });
    if (mapped.type === "internal_error") request.log.error({ err: error }, "bug");
    else if (mapped.cause) request.log.warn({ err: mapped.cause }, mapped.message);
    if (closesConnection.has(mapped.status)) void reply.header("connection", "close");
    return sendError(reply, mapped, request);
  });
  addFallback(app, paths);
  return app;
}

function createFastify(
  { trustedProxies, log }: AppOptions,
  pathTemplates: () => Iterable<string>,
): FastifyInstance {
  return Fastify({
    serverFactory: serverFor,
    trustProxy: trustedProxies?.length ? [...trustedProxies] : false,
    bodyLimit,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: "idle",
    genReqId: newRequestId,
    logController: new Fastify.LogController({
      requestIdLogLabel: "request_id",
      disableRequestLogging: true,
    }),
    // No route has a schema of Fastify's, so its compilers, which are slow to load, stay out.
    schemaController: {
      compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas },
    },
    ...(log ? { loggerInstance: log } : {}),
    clientErrorHandler: onClientError,
    routerOptions: {
      maxParamLength: 2048,
      querystringParser: (text) => parseQuery(text) as unknown as Record<string, string>,
    },
    frameworkErrors: (error, request, reply) => {
      const path = (request.raw.url as string).split(/[?#]/, 1)[0] as string;
      const mapped =
        error.code === "FST_ERR_BAD_URL" ? badPath(path, pathTemplates()) : asGatewayError(error);
      void sendError(reply, mapped, { id: request.id, version: currentVersion });
    },
  });
}

function noSchemas(): never {
  throw new Error("Inputs are validated by the contract, not by schemas of Fastify");
}

/** Returns the lengths of the bodies that were read, in bytes. */
function readJson(app: FastifyInstance): WeakMap<FastifyRequest, number> {
  const lengths = new WeakMap<FastifyRequest, number>();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    request.timeline.resume();
    lengths.set(request, body.length);
    const bytes = body as Buffer;
    if (isLarge(bytes)) {
      const account = String(request.caller?.accountId ?? "");
      parseInTurn(bytes, account, () => request.timeline.resume()).then(
        (value) => done(null, value),
        (error: Error) => done(error),
      );
      return;
    }
    try {
      done(null, parseBody(bytes));
    } catch (error) {
      done(error as Error);
    }
  });
  return lengths;
}

/** Closes connections that cannot be trusted, are not read, or would delay a stop. */
function guardConnections(app: FastifyInstance, options: AppOptions): void {
  const { stallMs = defaultStallMs } = options;
  app.addHook("onRequest", (request, reply, done) => {
    if (options.draining() && !request.routeOptions.config.open) {
      throw unavailable("The service is restarting");
    }
    try {
      checkRequestLine(request.raw);
    } catch (error) {
      // If the request line cannot be trusted, neither can the bytes that follow it on the connection.
      void reply.header("connection", "close");
      throw error;
    }
    dropTypeOfNothing(request.raw);
    done();
  });

  // A kept-alive connection would delay the stop until its idle time is over.
  app.addHook("onSend", (request, reply, _payload, done) => {
    endWhenStalled(reply.raw, stallMs);
    // A client that streams a body is told of its end only behind it.
    if (!request.routeOptions.config.streamed) leaveLongBody(request.raw, reply.raw);
    if (options.draining()) void reply.header("connection", "close");
    done();
  });
}
