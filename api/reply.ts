import { randomUUID } from "node:crypto";
import type { FastifyReply } from "fastify";
import { GatewayError } from "../contract/errors.ts";
import { currentVersion } from "../contract/version.ts";
import { errorBody } from "./envelope.ts";
import type { Acquired, Limits } from "./limits.ts";

export const jsonType = "application/json; charset=utf-8";

/** Never only digits and without a colon: it is the job's id as well. */
export function newRequestId(): string {
  return `svc_${randomUUID().replaceAll("-", "")}`;
}

/** Headers of every answer, whoever writes it. */
export function commonHeaders(requestId: string): Record<string, string> {
  return {
    "content-type": jsonType,
    "svc-version": currentVersion,
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

/** The caller's standing against its key's rate, in the words of the IETF draft. */
export function limitHeaders(limits: Limits, acquired: Acquired): Record<string, string> {
  const resetSeconds = Math.max(1, Math.ceil(acquired.waitMs / 1000));
  return {
    "ratelimit-policy": `"rate";q=${limits.ratePerSecond};w=1, "concurrency";q=${limits.maxInFlight}`,
    ratelimit: `"rate";r=${acquired.remaining};t=${resetSeconds}`,
  };
}

export function sendError(
  reply: FastifyReply,
  error: GatewayError,
  requestId: string,
): FastifyReply {
  return reply
    .code(error.status)
    .headers({ ...commonHeaders(requestId), ...errorHeaders(error) })
    .send(errorBody(error, requestId));
}
