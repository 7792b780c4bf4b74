import type { FastifyInstance, FastifyRequest } from "fastify";
import { dryRunHeader, maxCreditsHeader } from "../contract/dry-run.ts";
import { type GatewayError, invalid } from "../contract/errors.ts";
import { type OlderVersions, currentVersion } from "../contract/version.ts";
import type { Controls } from "./admission/controls.ts";
import { type Rates, createDoor } from "./admission/rates.ts";
import { type Authenticate, type Caller, unauthorized } from "./auth.ts";
import { readDryRun, readMaxCredits, readVersion } from "./headers.ts";
import { limitHeaders, versionHeaders } from "./reply.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set before the body is read, on every route that is not open. */
    caller: Caller | undefined;
    /** Version of the contract that is served. */
    version: string;
    /** Priced only: nothing is to run. */
    dryRun: boolean;
  }
  interface FastifyContextConfig {
    /** Answers without a key. */
    open?: boolean;
    /** Knows what `Svc-Dry-Run` means, beside the operations. */
    priced?: boolean;
  }
}

export interface Entrance {
  authenticate: Authenticate;
  olderVersions: OlderVersions;
  /** What callers took of their rates; counted here alone when absent. */
  rates?: Rates | undefined;
  /** What operators decided about accounts and keys. */
  controls?: Pick<Controls, "checkCaller"> | undefined;
}

/** Lets in whoever has a key and room in its rate, before a body is read, on every route that is not open. */
export function letCallersIn(app: FastifyInstance, entrance: Entrance): void {
  const { authenticate, olderVersions, controls } = entrance;
  const door = createDoor(entrance.rates);
  app.decorateRequest("caller", undefined);
  app.decorateRequest("version", currentVersion);
  app.decorateRequest("dryRun", false);

  app.addHook("onRequest", async (request, reply) => {
    if (request.routeOptions.config.open) return;
    const caller = await authenticate(request.headers.authorization, () =>
      door.checkAddress(request.ip),
    ).catch((error: GatewayError) => {
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
    await controls?.checkCaller(caller);
    request.version = readVersion(request.raw, olderVersions);
    void reply.headers(versionHeaders(olderVersions.get(request.version)));
    request.dryRun = readDryRun(request.raw);
    refuseUnheard(request);
  });
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
