import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isPart } from "./admission/partial-read-limit.ts";
import type { Operation } from "../contract/operation.ts";
import type { OlderVersion, OlderVersions } from "../contract/version.ts";
import { callerOf } from "./callers.ts";
import { budgetHeaders } from "./admission/budgets.ts";
import type { Request, Response, Services } from "./call.ts";
import { dryRun } from "./dry-run.ts";
import { chosenIn, narrowed } from "./fields.ts";
import { execute } from "./execute.ts";
import type { Jobs } from "./jobs/jobs.ts";
import { readPrefer } from "./jobs/prefer.ts";
import { preferred } from "./jobs/preferred.ts";
import { readIdempotencyKey, readMaxCredits, readScenario, readWebhookUrl } from "./headers.ts";
import { commonHeaders, leaving, limitHeaders } from "./reply.ts";
import { routeOf, withHead } from "./edge/known-paths.ts";
import { bodyLimitOf } from "./edge/size.ts";
import type { Query } from "./edge/text.ts";
import type { Unread } from "./edge/slow-readers.ts";
import { downgraded, upgraded } from "./version-changes.ts";
import { refuseWithoutJob } from "./webhooks/jobs.ts";

/** Adds a route for every data operation; all of them run `execute`. */
export function addOperations(
  app: FastifyInstance,
  operations: Iterable<Operation>,
  services: Services,
  olderVersions: OlderVersions,
  jobs: Jobs,
): void {
  for (const op of operations) {
    app.route({
      method: withHead(op.method),
      url: routeOf(op.path),
      bodyLimit: bodyLimitOf(op),
      config: { operation: op.id, pool: op.pool },
      handler: async (request, reply) => {
        const { timeline } = request;
        services.unread.check(callerOf(request));
        const older = olderVersions.get(request.version);
        const { fields, query } = chosenIn(op, request.raw, request.query as Query);
        const call = { ...read(op, request, query, reply, older), fields };
        const part = isPart(request.raw, fields);
        call.admitBytes = (bytes) => {
          if (part) services.partialReads.take(call.caller, bytes);
          services.unread.take(call.caller, reply.raw, bytes);
        };
        const preference = readPrefer(request.headers.prefer);
        const webhookUrl = readWebhookUrl(request.raw);
        refuseWithoutJob(webhookUrl, preference !== undefined);
        const running = request.dryRun
          ? dryRun(op, call, services)
          : preference
            ? preferred(jobs, op, call, preference, webhookUrl)
            : execute(op, call, services);
        services.running.add(running);
        timeline.busy = true;
        try {
          const whole = await running;
          void reply.headers(await budgetHeaders(call.caller, services.budgets));
          timeline.enter("write");
          // A price has no records.
          const response = request.dryRun ? whole : narrowed(whole, fields);
          return write(
            reply,
            call,
            // Prices are the same in every version.
            older && !request.dryRun ? downgraded(op, response, older) : response,
            services.unread,
          );
        } catch (error) {
          if (call.limits) void reply.headers(limitHeaders(call.caller, call.limits));
          void reply.headers(await budgetHeaders(call.caller, services.budgets));
          timeline.enter("write");
          throw error;
        } finally {
          services.running.delete(running);
          timeline.busy = false;
          if (timeline.closed) setImmediate(() => app.endTimeline(request, reply));
        }
      },
    });
  }
}

function read(
  op: Operation,
  request: FastifyRequest,
  query: Query,
  reply: FastifyReply,
  older: OlderVersion | undefined,
): Request {
  const caller = callerOf(request);
  const { raw } = request;
  const scenario = readScenario(raw, caller.mode);
  return {
    requestId: request.id,
    caller,
    method: request.method,
    path: (raw.url as string).split("?", 1)[0] as string,
    raw: {
      path: request.params as Record<string, string>,
      query,
      body: upgraded(op, request.body, older),
    },
    version: request.version,
    idempotencyKey: readIdempotencyKey(raw),
    scenario,
    maxCredits: readMaxCredits(raw),
    arrivedAt: request.arrivedAt,
    gone: leaving(reply),
    timeline: request.timeline,
  };
}

export function write(
  reply: FastifyReply,
  call: Pick<Request, "caller" | "version" | "limits">,
  response: Response,
  unread: Unread,
): FastifyReply {
  const { status, body, requestId, replayed, headers } = response;
  // A replay can be sent again, so it may be refused here; a charged answer is written in any case.
  if (replayed) unread.take(call.caller, reply.raw, body.length);
  else unread.add(call.caller, reply.raw, body.length);
  return reply
    .code(status)
    .headers({
      ...commonHeaders(requestId, call.version),
      ...(replayed ? { "idempotency-replayed": "true" } : {}),
      ...(call.limits ? limitHeaders(call.caller, call.limits) : {}),
      ...headers,
    })
    .send(body);
}
