import type { FastifyInstance, FastifyRequest } from "fastify";
import type { RequestHeader } from "../contract/endpoint.ts";
import { type GatewayError, invalid } from "../contract/errors.ts";
import { type OlderVersions, currentVersion } from "../contract/version.ts";
import type { Controls } from "./admission/controls.ts";
import { type RateLimiter, createEntryLimiter } from "./admission/rate-limiter.ts";
import type { RefusedBytes } from "./admission/refused-bytes.ts";
import { type Authenticate, type Caller, type ClaimedKey, unauthorized } from "./auth.ts";
import { hasBody } from "./edge/edge.ts";
import { readDryRun, readVersion } from "./headers.ts";
import { readPrefer } from "./jobs/prefer.ts";
import { limitHeaders, versionHeaders } from "./reply.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set before the body is read, on every route that needs a key. */
    caller: Caller | undefined;
    /** Version of the contract that serves this request. */
    version: string;
    /** The request is priced only; nothing runs. */
    dryRun: boolean;
  }
  interface FastifyContextConfig {
    /** The route answers without a key. */
    open?: boolean;
    /** The headers with an effect on this endpoint, of those that every operation reads. */
    headers?: readonly RequestHeader[];
    /** The route reads its body as a stream. */
    streamed?: boolean;
  }
}

export interface Entrance {
  authenticate: Authenticate;
  olderVersions: OlderVersions;
  /** Rate limits of callers; a counter of this process alone when absent. */
  rates?: RateLimiter | undefined;
  /** Operators' decisions about accounts and keys. */
  controls?: Pick<Controls, "checkCaller"> | undefined;
}

/**
 * Authenticates callers and applies their rate limit before a body is read, on every route that needs a key.
 */
export function letCallersIn(
  app: FastifyInstance,
  entrance: Entrance,
  refusedBytes: RefusedBytes,
): void {
  const { authenticate, olderVersions, controls } = entrance;
  const limiter = createEntryLimiter(entrance.rates);
  app.decorateRequest("caller", undefined);
  app.decorateRequest("version", currentVersion);
  app.decorateRequest("dryRun", false);

  app.addHook("onRequest", async (request, reply) => {
    if (request.routeOptions.config.open) return;
    let claimed: ClaimedKey | undefined;
    const caller = await authenticate(request.headers.authorization, (key) =>
      limiter.checkAddress(request.ip, (claimed = key)),
    ).catch((error: GatewayError) => {
      if (error.type === "unauthorized") limiter.refused(request.ip, claimed);
      // A caller without a key needs a connection for each refusal. With a body, closing could lose the answer.
      if (error.type !== "upstream_unavailable" && !hasBody(request.raw))
        void reply.header("connection", "close");
      throw error;
    });
    request.caller = caller;
    if (caller.mode === "test") void reply.header("svc-mode", "test");
    const refusal = limiter.enter(caller);
    if (refusal) {
      void reply.headers(limitHeaders(caller, refusal.limits));
      throw refusal.error;
    }
    // A streamed body has a limiter of its own (`batches/upload-limiter.ts`).
    if (hasBody(request.raw) && !request.routeOptions.config.streamed) {
      const declared = Number(request.headers["content-length"]);
      refusedBytes.check(caller, declared || request.routeOptions.bodyLimit);
    }
    await controls?.checkCaller(caller);
    request.version = readVersion(request.raw, olderVersions);
    void reply.headers(versionHeaders(olderVersions.get(request.version)));
    refuseIneffective(request);
    // HEAD of an operation validates and prices the call: a request without an answer's body must cost nothing.
    const isHead = request.method === "HEAD" && request.routeOptions.config.operation !== undefined;
    request.dryRun = readDryRun(request.raw) || isHead;
  });
}

/** Headers of operations, and where else they have an effect. */
const headersOfCalls = {
  "Svc-Dry-Run": "is for operations and POST /batches",
  "Svc-Fields": "is for operations, POST /batches and results of jobs",
  "Svc-Max-Credits": "is for operations; POST /batches and POST /jobs have max_credits",
  "Svc-Test-Scenario": "is for operations, POST /batches and POST /jobs",
  "Svc-Webhook-Url": "is for operations and POST /batches; POST /jobs has webhook_url",
  Prefer: "is for operations; POST /jobs submits a job",
} as const;

/** Refuses headers that callers rely on where they have no effect; ignoring them could cost credits. */
function refuseIneffective({ routeOptions, raw, is404 }: FastifyRequest): void {
  const { operation, headers = [] } = routeOptions.config;
  if (operation !== undefined || is404) return;
  const effective: readonly string[] = headers;
  for (const [name, where] of Object.entries(headersOfCalls)) {
    if (raw.headers[name.toLowerCase()] === undefined || effective.includes(name)) continue;
    // Without an effect anywhere: `false`, and preferences that the gateway does not know.
    if (name === "Svc-Dry-Run" && !readDryRun(raw)) continue;
    if (name === "Prefer" && readPrefer(raw.headers.prefer) === undefined) continue;
    throw invalid("header", name, "not_a_call", `${name}: ${where}`);
  }
}

/** The caller of a route that needs a key. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw unauthorized();
  return request.caller;
}
