import { randomUUID } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { GatewayError } from "../contract/errors.ts";
import { type OlderVersion, currentVersion } from "../contract/version.ts";
import { errorBody } from "./envelope.ts";
import type { Acquired, Limits } from "./admission/call-limiter.ts";

export const jsonType = "application/json; charset=utf-8";

/** Never only digits and without a colon, because BullMQ uses it as the job's id. */
export function newRequestId(): string {
  return `svc_${randomUUID().replaceAll("-", "")}`;
}

/** Headers of every answer. */
export function commonHeaders(requestId: string, version = currentVersion): Record<string, string> {
  return {
    "content-type": jsonType,
    "svc-version": version,
    "svc-request-id": requestId,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
}

export function errorHeaders(error: GatewayError): Record<string, string> {
  return {
    ...(error.type === "unauthorized" ? { "www-authenticate": "Bearer" } : {}),
    ...(error.retryAfter === undefined ? {} : { "retry-after": String(error.retryAfter) }),
  };
}

/** The state of the key's rate limit, in the fields of the IETF draft. */
export function limitHeaders(limits: Limits, acquired: Acquired): Record<string, string> {
  const resetSeconds = Math.max(1, Math.ceil(acquired.waitMs / 1000));
  return {
    "ratelimit-policy": `"rate";q=${limits.ratePerSecond};w=1, "concurrency";q=${limits.maxInFlight}`,
    ratelimit: `"rate";r=${acquired.remaining};t=${resetSeconds}`,
  };
}

export function versionHeaders(older: OlderVersion | undefined): Record<string, string> {
  if (!older) return {};
  return {
    deprecation: `@${Math.floor(older.deprecatedAt.getTime() / 1000)}`,
    sunset: older.sunsetAt.toUTCString(),
  };
}

/** A signal that aborts when the caller disconnects before the answer is written. */
export function leaving(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

export function sendError(
  reply: FastifyReply,
  error: GatewayError,
  request: Pick<FastifyRequest, "id" | "version">,
): FastifyReply {
  return reply
    .code(error.status)
    .headers({ ...commonHeaders(request.id, request.version), ...errorHeaders(error) })
    .send(errorBody(error, request.id));
}
