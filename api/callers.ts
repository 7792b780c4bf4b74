import type { FastifyInstance, FastifyRequest } from "fastify";
import { dryRunHeader, maxCreditsHeader } from "../contract/pricing.ts";
import { type GatewayError, invalid } from "../contract/errors.ts";
import { type OlderVersions, currentVersion } from "../contract/version.ts";
import type { Controls } from "./admission/controls.ts";
import { type RateLimiter, createEntryLimiter } from "./admission/rate-limiter.ts";
import { type Authenticate, type Caller, type ClaimedKey, unauthorized } from "./auth.ts";
import { hasBody } from "./edge/edge.ts";
import { readDryRun, readMaxCredits, readVersion } from "./headers.ts";
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
    /** The route supports `Svc-Dry-Run`, as every operation does. */
    priced?: boolean;
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
export function letCallersIn(app: FastifyInstance, entrance: Entrance): void {
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
    await controls?.checkCaller(caller);
    request.version = readVersion(request.raw, olderVersions);
    void reply.headers(versionHeaders(olderVersions.get(request.version)));
    request.dryRun = readDryRun(request.raw);
    refuseIneffective(request);
  });
}

/** Refuses headers that callers rely on where they have no effect; ignoring them could cost credits. */
function refuseIneffective({ routeOptions, dryRun, raw, method }: FastifyRequest): void {
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

/** The caller of a route that needs a key. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw unauthorized();
  return request.caller;
}
