import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { GatewayError, invalid } from "../contract/errors.ts";
import type { Operation } from "../contract/operation.ts";
import { callerOf } from "./app.ts";
import { type Request, type Response, type Services, execute } from "./execute.ts";
import { readIdempotencyKey, readScenario, readVersion } from "./headers.ts";
import { commonHeaders, limitHeaders } from "./reply.ts";
import { bodyLimitOf } from "./size.ts";

/** One route for every data operation: all of them end in `execute`. */
export function addOperations(
  app: FastifyInstance,
  operations: Iterable<Operation>,
  services: Services,
): void {
  for (const op of operations) {
    app.route({
      method: op.method,
      url: routeOf(op.path),
      bodyLimit: bodyLimitOf(op),
      config: { operation: op.id },
      handler: async (request, reply) => {
        const call = read(op, request, reply);
        const running = execute(op, call, services);
        services.running.add(running);
        try {
          const response = await running;
          services.faultPoint("before_write");
          return write(reply, call, response);
        } catch (error) {
          if (call.limits) reply.headers(limitHeaders(call.caller, call.limits));
          throw error;
        } finally {
          services.running.delete(running);
        }
      },
    });
  }
}

/** Fastify's spelling of a path template. */
export function routeOf(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

function read(op: Operation, request: FastifyRequest, reply: FastifyReply): Request {
  const caller = callerOf(request);
  const { raw } = request;
  const version = readVersion(raw);
  const scenario = readScenario(raw, caller.mode);
  const idempotencyKey = op.method === "POST" ? readIdempotencyKey(raw) : undefined;
  if (caller.mode === "test") reply.header("svc-mode", "test");
  const leaving = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) leaving.abort();
  });
  return {
    requestId: request.id,
    caller,
    method: request.method,
    path: (raw.url as string).split("?", 1)[0] as string,
    raw: {
      path: request.params as Record<string, string>,
      query: request.query as URLSearchParams,
      body: request.body,
    },
    version,
    idempotencyKey,
    scenario,
    arrivedAt: request.arrivedAt,
    gone: leaving.signal,
  };
}

function write(reply: FastifyReply, call: Request, response: Response): FastifyReply {
  const { status, body, requestId, replayed } = response;
  return reply
    .code(status)
    .headers({
      ...commonHeaders(requestId),
      ...(replayed ? { "idempotency-replayed": "true" } : {}),
      ...(call.limits ? limitHeaders(call.caller, call.limits) : {}),
    })
    .send(body);
}

/** Unknown paths are 404, known ones with another method 405 with Allow. */
export function addFallback(app: FastifyInstance, paths: ReadonlyMap<string, string[]>): void {
  const rules = [...paths].map(([path, methods]) => ({
    rule: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
    methods,
  }));
  app.setNotFoundHandler((request, reply) => {
    const path = (request.raw.url as string).split("?", 1)[0] as string;
    const allowed = rules.filter(({ rule }) => rule.test(path)).flatMap(({ methods }) => methods);
    if (allowed.length === 0) throw new GatewayError("not_found", "There is no such path");
    reply.header("allow", allowed.join(", "));
    const message = `The method must be ${allowed.join(" or ")}`;
    throw invalid("header", "", "method_not_allowed", message, { status: 405 });
  });
}
