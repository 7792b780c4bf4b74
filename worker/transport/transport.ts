import { lookup } from "node:dns/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Metrics } from "../../contract/metrics.ts";
import { type Account, Accounts } from "./accounts.ts";
import type { Call } from "../connector.ts";
import { createAgent } from "./dial.ts";
import {
  createResolver,
  parseEgressAllow,
  parseEgressDeny,
  resolveChecked,
} from "../egress/rules.ts";
import { bodyLimitBytes, exchange, type Incoming, type Outgoing } from "./exchange.ts";
import { faultOf, operatorRetryAfter, timeoutFault, tooLate, unavailable } from "./fault.ts";
import { type Base, baseUrlOf, fromFetch, outgoingOf, withCredentials } from "./outgoing.ts";
import { type Read, readFetched, readJudged, toResponse } from "./reading.ts";
import { createLimits, LimitsUnreachable, NoRoomInTime } from "./limits.ts";
import { pauseBeforeRetry, toRetryAfter } from "./retry.ts";
import { type Environment, MissingSecret, readSecrets } from "./secrets.ts";
import { TokenTooLate } from "./tokens.ts";
import { reporter } from "./notice.ts";
import type { Reply, Upstream, UpstreamRequest } from "./upstream.ts";

/** What the transport must know of the call it works for. */
export type Caller = Pick<Call, "requestId" | "operation" | "signal" | "deadline">;

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
  now?: () => number;
  random?: () => number;
  /** Largest answer, unpacked, in bytes. */
  bodyLimit?: number;
  /** Prefix of the limits' keys in Redis. */
  limitPrefix?: string;
}

/** The answer must reach the caller before the deadline does. */
const reserveMs = 1000;
const tokenTimeMs = 20_000;
const limitsRetryMs = 250;

/** How one try is made and read. */
interface Exchange<T> {
  outgoing(base: Base, authorization: Record<string, string>): Outgoing;
  read(incoming: Incoming): Read<T>;
}

/** The one way from a worker to an upstream. */
export function createTransport(settings: TransportSettings): Transport {
  const { env, log, metrics, redis } = settings;
  const now = settings.now ?? Date.now;
  const random = settings.random ?? Math.random;
  const bodyLimit = settings.bodyLimit ?? bodyLimitBytes;
  const limits = createLimits(redis, settings.limitPrefix);
  const configured = new Set<string>();
  const policy = {
    allow: parseEgressAllow(settings.egressAllow),
    deny: parseEgressDeny(settings.egressDeny ?? []),
    resolve: createResolver(settings.resolver),
  };
  const agent = createAgent((host, port) =>
    configured.has(`${host}:${port}`)
      ? lookup(host, { all: true })
      : resolveChecked(host, port, policy),
  );
  const accounts = new Accounts(now, random, (upstream, state) => {
    metrics.gauge("gateway_upstream_breaker_open", { upstream }, state === "closed" ? 0 : 1);
    if (state !== "probing") log("warn", `breaker ${state}`, { upstream });
  });
  const notice = reporter(log, metrics);

  function timeLeft(call: Caller): number {
    const left = call.deadline - reserveMs - now();
    if (left <= 0) throw tooLate();
    return left;
  }

  async function run<T>(upstream: Upstream, call: Caller, plan: Exchange<T>): Promise<T> {
    const account = accounts.of(upstream);
    account.budget.countCall(now());
    let retriesSoFar = 0;
    let reauthorized = false;
    for (;;) {
      const { read, token } = await attempt(upstream, account, call, plan);
      if (read.ok) return read.value;
      const { fault } = read;
      if (fault.reauthorize && !reauthorized) {
        reauthorized = true;
        account.tokens.drop(token);
        continue;
      }
      if (fault.operator !== undefined) notice.alert(upstream, call, fault.operator);
      const pauseMs = pauseBeforeRetry(fault, {
        retriesSoFar,
        timeLeftMs: call.deadline - reserveMs - now(),
        random,
      });
      if (pauseMs === undefined) throw fault.error;
      if (account.breaker.refusal() !== undefined || !account.budget.takeRetry(now()))
        throw fault.error;
      notice.retry(upstream);
      await pause(pauseMs, call.signal);
      retriesSoFar += 1;
    }
  }

  async function attempt<T>(
    upstream: Upstream,
    account: Account,
    call: Caller,
    plan: Exchange<T>,
  ): Promise<{ read: Read<T>; token: string | undefined }> {
    call.signal.throwIfAborted();
    timeLeft(call);
    const refusedMs = account.breaker.refusal();
    if (refusedMs !== undefined) throw unavailable(toRetryAfter(refusedMs));
    const { outgoing, token } = await prepare(upstream, account, call, plan);
    const release = await room(upstream, account, call);
    try {
      const admission = account.breaker.admit();
      if (!admission) throw unavailable(toRetryAfter(account.breaker.refusal() ?? 0));
      try {
        const read = await exchangeOnce(upstream, call, outgoing, plan);
        admission.ended(!read.ok && read.fault.unavailable);
        return { read, token };
      } catch (error) {
        admission.dropped();
        throw error;
      }
    } finally {
      release();
    }
  }

  async function prepare<T>(
    upstream: Upstream,
    account: Account,
    call: Caller,
    plan: Exchange<T>,
  ): Promise<{ outgoing: Outgoing; token: string | undefined }> {
    let secrets: Record<string, string>;
    try {
      secrets = await readSecrets(upstream.credentials, env);
    } catch (error) {
      if (!(error instanceof MissingSecret)) throw error;
      notice.alert(upstream, call, "credential_missing", { variable: error.variable });
      throw unavailable(operatorRetryAfter);
    }
    const base = baseUrlOf(upstream, env);
    if (!base) {
      notice.alert(upstream, call, "base_url_invalid", { variable: upstream.baseUrl.env });
      throw unavailable(operatorRetryAfter);
    }
    if (base.configured) configured.add(base.address);
    const tokens = account.tokens.for((to, request) => send(to, request, tokenCaller(call)), {
      signal: call.signal,
      waitMs: timeLeft(call),
    });
    try {
      const authorization = (await upstream.authorize?.(secrets, tokens)) ?? {};
      const outgoing = withCredentials(plan.outgoing(base, authorization), upstream, secrets);
      return { outgoing, token: tokens.used };
    } catch (error) {
      if (error instanceof TokenTooLate) throw tooLate();
      throw error;
    }
  }

  /** A token is fetched for all who wait, so it does not end with the call that came first. */
  function tokenCaller(call: Caller): Caller {
    return {
      requestId: call.requestId,
      operation: call.operation,
      signal: AbortSignal.timeout(tokenTimeMs),
      deadline: now() + tokenTimeMs,
    };
  }

  async function room(upstream: Upstream, account: Account, call: Caller): Promise<() => void> {
    if (!upstream.limits) return () => {};
    for (let told = false; ; told = true) {
      try {
        const patience = { signal: call.signal, waitMs: timeLeft(call) };
        return await limits.acquire(account.name, upstream.limits, patience);
      } catch (error) {
        if (error instanceof NoRoomInTime) throw tooLate();
        if (!(error instanceof LimitsUnreachable)) throw error;
        const fields = { request_id: call.requestId, upstream: upstream.name, error };
        if (!told) log("warn", "limits of an upstream account are out of reach", fields);
        // Giving up early helps nobody: the refusal itself could not be stored either.
        const left = call.deadline - reserveMs - now();
        if (left <= limitsRetryMs) throw unavailable(undefined, error);
        await pause(limitsRetryMs, call.signal);
      }
    }
  }

  async function exchangeOnce<T>(
    upstream: Upstream,
    call: Caller,
    outgoing: Outgoing,
    plan: Exchange<T>,
  ): Promise<Read<T>> {
    const over = new AbortController();
    const leave = () => over.abort();
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      over.abort();
    }, timeLeft(call));
    call.signal.addEventListener("abort", leave);
    const started = performance.now();
    const report = (status: string | number) =>
      notice.request(upstream, status, (performance.now() - started) / 1000);
    let incoming: Incoming;
    try {
      call.signal.throwIfAborted();
      incoming = await exchange(agent, outgoing, over.signal, bodyLimit);
    } catch (error) {
      if (call.signal.aborted) {
        report("cancelled");
        throw call.signal.reason;
      }
      const fault = late ? timeoutFault() : faultOf(error);
      report(fault.cause);
      notice.fault(upstream, call, fault);
      return { ok: false, fault };
    } finally {
      clearTimeout(timer);
      call.signal.removeEventListener("abort", leave);
    }
    report(incoming.status);
    const read = plan.read(incoming);
    if (!read.ok) notice.fault(upstream, call, read.fault, incoming.status);
    return read;
  }

  function send(upstream: Upstream, request: UpstreamRequest, call: Caller): Promise<Reply> {
    return run(upstream, call, {
      outgoing: (base, authorization) => outgoingOf(base, request, authorization),
      read: (incoming) => readJudged(upstream, call.operation, incoming, now()),
    });
  }

  return {
    send,
    fetchFor(upstream, call) {
      return async (input, init) => {
        const asked = await fromFetch(input, init);
        const signal = AbortSignal.any([call.signal, asked.signal]);
        const incoming = await run(
          upstream,
          { ...call, signal },
          {
            outgoing: (base, authorization) => asked.outgoing(base, authorization),
            read: (answer) => readFetched(answer, now()),
          },
        );
        return toResponse(incoming, asked.url);
      };
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
      limits.close();
      await agent.destroy();
    },
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(Math.ceil(ms), undefined, { signal });
  } catch {
    throw signal.reason;
  }
}
