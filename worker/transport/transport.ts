import type { Redis } from "ioredis";
import type { ErrorType } from "../../contract/errors.ts";
import type { Metrics } from "../../runtime/metrics.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import type { Call, Standing } from "../connector.ts";
import { Accounts } from "./accounts.ts";
import type { Caller, Context } from "./context.ts";
import { accountOf, hasCredentials, ownOf } from "./credentials.ts";
import { createDialer } from "./dial.ts";
import { bodyLimitBytes } from "./exchange.ts";
import { remainingReporter } from "./remaining-calls.ts";
import type { Heard } from "./heard.ts";
import { createLimits } from "./limits.ts";
import { reporter } from "./reporting.ts";
import { quotaReporter } from "./quota.ts";
import { fromFetch, outgoingOf, questionOf } from "./outgoing.ts";
import { readFetched, readJudged, toResponse } from "./reading.ts";
import type { Environment } from "./secrets.ts";
import { tryUntilAnswered } from "./retry-loop.ts";
import type { Reply, Upstream, UpstreamRequest } from "./upstream.ts";

export interface Transport {
  /** One upstream request with retries, rate limits and circuit breaker. Throws GatewayError, or the reason of the caller's signal. */
  send(upstream: Upstream, request: UpstreamRequest, call: Caller): Promise<Reply>;
  /**
   * `send` as a `fetch`, for libraries with their own client. Answers are not judged, but temporary
   * failures are retried and then thrown as GatewayError.
   */
  fetchFor(upstream: Upstream, call: Caller): typeof fetch;
  /** Whether an upstream's credential is set: the operator's, or the own one of the call's account. */
  hasCredentials(upstream: Upstream, call?: Pick<Caller, "own">): Promise<boolean>;
  /** Which upstreams rest, for operations that another one can answer. */
  rests: {
    standing(upstream: Upstream, call: Caller): Promise<Standing>;
    fared(upstream: Upstream, call: Caller, failure: ErrorType | undefined): void;
  };
  close(): Promise<void>;
}

export interface TransportSettings {
  redis: Redis;
  env: Environment;
  log: Call["log"];
  metrics: Pick<Metrics, "count" | "observe" | "gauge">;
  /** Exceptions to the SSRF filter; hosts of base URLs set by the operator are always allowed. */
  egressAllow: readonly string[];
  /** Addresses that are never dialled, except for the hosts of those base URLs. */
  egressDeny?: readonly string[];
  /** Name server ("ip:port") that replaces the machine's own. */
  resolver?: string | undefined;
  /** Operator's rate limit of an upstream, in calls a minute; 0 blocks it, undefined is unlimited. */
  allowed?: (upstream: string) => number | undefined;
  /** Called when a request of an operation begins to wait for limits; the returned function when it no longer waits. */
  waitsForLimits?: (operation: string) => () => void;
  now?: () => number;
  random?: () => number;
  /** Largest answer, unpacked, in bytes. */
  bodyLimit?: number;
  /** The template of a path, so that traces contain no caller's input. */
  pathTemplate?:
    | ((upstream: string, method: string, path: string) => string | undefined)
    | undefined;
  /** Receives every answer, good or not. */
  heard?: ((answer: Heard) => void) | undefined;
  /** Prefix of the limits' keys in Redis. */
  limitPrefix?: string;
}

/** The only way from a worker to an upstream. */
export function createTransport(settings: TransportSettings): Transport {
  const { env, log, metrics } = settings;
  const now = settings.now ?? monotonicNow;
  const random = settings.random ?? Math.random;
  const templateOf = settings.pathTemplate ?? (() => undefined);
  const { heard } = settings;
  const context: Context = {
    env,
    now,
    random,
    notice: reporter(log, metrics),
    accounts: new Accounts(now, random, (upstream, state, isOwn) => {
      if (isOwn) {
        if (state !== "probing")
          log("info", `circuit breaker of an own credential ${state}`, { upstream });
        return;
      }
      metrics.gauge("gateway_upstream_breaker_open", { upstream }, state === "closed" ? 0 : 1);
      if (state !== "probing") log("warn", `circuit breaker ${state}`, { upstream });
    }),
    limits: createLimits(settings.redis, settings.limitPrefix),
    reportQuota: quotaReporter(settings.redis),
    waitsForLimits: settings.waitsForLimits ?? (() => () => undefined),
    allowed: settings.allowed ?? (() => undefined),
    reportRemaining: remainingReporter(settings.redis),
    dialer: createDialer(settings),
    publicDialer: createDialer(settings),
    bodyLimit: settings.bodyLimit ?? bodyLimitBytes,
    // Requests for tokens: nobody else hears their answers.
    send: (upstream, request, call) => send(upstream, request, call, undefined, true),
  };

  function send(
    upstream: Upstream,
    request: UpstreamRequest,
    call: Caller,
    listener?: (answer: Heard) => void,
    isForToken = false,
  ): Promise<Reply> {
    const { method, path } = request;
    return tryUntilAnswered(context, upstream, call, {
      path: templateOf(upstream.name, method, path),
      isForToken,
      units: upstream.units?.(request),
      outgoing: (base, authorization) => outgoingOf(base, request, authorization),
      read: (incoming) =>
        readJudged(
          upstream,
          call.operation,
          incoming,
          now(),
          (dollars) => context.notice.cost(upstream, call, dollars),
          (parsed, verdict) =>
            listener?.({
              ...aboutOf(upstream, call, method, path),
              question: () => questionOf(request),
              incoming,
              judged: { body: parsed, verdict },
            }),
          request,
        ),
    });
  }

  return {
    // The answers of a stranger's server say nothing about an upstream.
    send: (upstream, request, call) =>
      send(upstream, request, call, upstream.server ? undefined : heard),
    fetchFor: (upstream, call) => async (input, init) => {
      const request = await fromFetch(input, init);
      const signal = AbortSignal.any([call.signal, request.signal]);
      const path = URL.parse(request.url)?.pathname ?? "";
      const incoming = await tryUntilAnswered(
        context,
        upstream,
        { ...call, signal },
        {
          path: templateOf(upstream.name, request.method, path),
          outgoing: (base, authorization) => request.outgoing(base, authorization),
          read(answer) {
            heard?.({
              ...aboutOf(upstream, call, request.method, path),
              question: () => request.question(),
              incoming: answer,
            });
            return readFetched(answer, now());
          },
        },
      );
      return toResponse(incoming, request.url);
    },
    hasCredentials: (upstream, call) => hasCredentials(context, upstream, call),
    rests: {
      async standing(upstream, call) {
        if (!(await hasCredentials(context, upstream, call))) return "no_credentials";
        const { breaker, rests } = accountOf(context, upstream, call);
        if (context.allowed(upstream.name) === 0 || breaker.refusal() !== undefined)
          return "resting";
        return rests.admits(call.operation) ? "ready" : "resting";
      },
      fared(upstream, call, failure) {
        const { rests } = accountOf(context, upstream, call);
        if (failure === undefined) rests.answered(call.operation);
        else rests.failed(call.operation, failure);
      },
    },
    async close() {
      context.limits.close();
      await context.dialer.agent.destroy();
      await context.publicDialer.agent.destroy();
    },
  };
}

function aboutOf(upstream: Upstream, call: Caller, method: string, path: string) {
  const { requestId, operation } = call;
  const isOwn = ownOf(upstream, call) !== undefined;
  return { requestId, operation, upstream: upstream.name, method, path, isOwn };
}
