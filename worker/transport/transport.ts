import type { Redis } from "ioredis";
import type { Metrics } from "../../contract/metrics.ts";
import { steadyNow } from "../../contract/steady.ts";
import type { Call } from "../connector.ts";
import { Accounts } from "./accounts.ts";
import type { Caller, Context } from "./context.ts";
import { createWayOut } from "./dial.ts";
import { bodyLimitBytes } from "./exchange.ts";
import { leftTeller } from "./left.ts";
import { createLimits } from "./limits.ts";
import { reporter } from "./notice.ts";
import { quotaTeller } from "./quota.ts";
import { fromFetch, outgoingOf } from "./outgoing.ts";
import { readFetched, readJudged, toResponse } from "./reading.ts";
import { type Environment, MissingSecret, readSecrets } from "./secrets.ts";
import { tryUntilAnswered } from "./tries.ts";
import type { Reply, Upstream, UpstreamRequest } from "./upstream.ts";

export interface Transport {
  /** One upstream request with retries, limits and breaker. Throws GatewayError, or the reason of the caller's signal. */
  send(upstream: Upstream, request: UpstreamRequest, call: Caller): Promise<Reply>;
  /**
   * The same way out for libraries that bring their own client: answers are not judged, except that
   * those which mean "not now" are retried and then thrown as GatewayError.
   */
  fetchFor(upstream: Upstream, call: Caller): typeof fetch;
  hasCredentials(upstream: Upstream): Promise<boolean>;
  close(): Promise<void>;
}

export interface TransportSettings {
  redis: Redis;
  env: Environment;
  log: Call["log"];
  metrics: Pick<Metrics, "count" | "observe" | "gauge">;
  /** Addresses that may be dialled although they are not public; hosts of base URLs set by the operator may always. */
  egressAllow: readonly string[];
  /** Addresses that are never dialled but for those hosts. */
  egressDeny?: readonly string[];
  /** Name server ("ip:port") in place of the machine's own. */
  resolver?: string | undefined;
  /** Calls a minute that an operator allows an upstream; 0 is none, undefined as many as it takes. */
  allowed?: (upstream: string) => number | undefined;
  now?: () => number;
  random?: () => number;
  /** Largest answer, unpacked, in bytes. */
  bodyLimit?: number;
  /** The template that a path was made of; what callers asked for is told nowhere. */
  pathTemplate?: (upstream: string, method: string, path: string) => string | undefined;
  /** Prefix of the limits' keys in Redis. */
  limitPrefix?: string;
}

/** The one way from a worker to an upstream. */
export function createTransport(settings: TransportSettings): Transport {
  const { env, log, metrics } = settings;
  const now = settings.now ?? steadyNow;
  const random = settings.random ?? Math.random;
  const templateOf = settings.pathTemplate ?? (() => undefined);
  const context: Context = {
    env,
    now,
    random,
    notice: reporter(log, metrics),
    accounts: new Accounts(now, random, (upstream, state) => {
      metrics.gauge("gateway_upstream_breaker_open", { upstream }, state === "closed" ? 0 : 1);
      if (state !== "probing") log("warn", `breaker ${state}`, { upstream });
    }),
    limits: createLimits(settings.redis, settings.limitPrefix),
    tellQuota: quotaTeller(settings.redis),
    allowed: settings.allowed ?? (() => undefined),
    tellLeft: leftTeller(settings.redis),
    wayOut: createWayOut(settings),
    bodyLimit: settings.bodyLimit ?? bodyLimitBytes,
    send,
  };

  function send(upstream: Upstream, request: UpstreamRequest, call: Caller): Promise<Reply> {
    return tryUntilAnswered(context, upstream, call, {
      path: templateOf(upstream.name, request.method, request.path),
      outgoing: (base, authorization) => outgoingOf(base, request, authorization),
      read: (incoming) =>
        readJudged(upstream, call.operation, incoming, now(), (dollars) =>
          context.notice.cost(upstream, call, dollars),
        ),
    });
  }

  return {
    send,
    fetchFor: (upstream, call) => async (input, init) => {
      const asked = await fromFetch(input, init);
      const signal = AbortSignal.any([call.signal, asked.signal]);
      const incoming = await tryUntilAnswered(
        context,
        upstream,
        { ...call, signal },
        {
          path: templateOf(upstream.name, asked.method, URL.parse(asked.url)?.pathname ?? ""),
          outgoing: (base, authorization) => asked.outgoing(base, authorization),
          read: (answer) => readFetched(answer, now()),
        },
      );
      return toResponse(incoming, asked.url);
    },
    async hasCredentials(upstream) {
      try {
        await readSecrets(upstream.credentials, env);
        return true;
      } catch (error) {
        if (error instanceof MissingSecret) return false;
        throw error;
      }
    },
    async close() {
      context.limits.close();
      await context.wayOut.agent.destroy();
    },
  };
}
