import type { GatewayError } from "../../contract/errors.ts";
import type { Account } from "./accounts.ts";
import { hideSecrets } from "./credentials.ts";
import { type Caller, type Context, type Exchange, timeLeftOrThrow } from "./context.ts";
import type { Dialer } from "./dial.ts";
import { exchange, type Incoming, type Outgoing } from "./exchange.ts";
import { faultOf, serverFault, timeoutFault, unavailable } from "./fault.ts";
import { baseUrlOf } from "./outgoing.ts";
import { prepare } from "./prepare.ts";
import { locationOf, type Read } from "./reading.ts";
import { toRetryAfter } from "./retry.ts";
import { waitForLimits } from "./wait-for-limits.ts";
import type { Upstream } from "./upstream.ts";

/** One attempt: prepared, admitted by the account's limits and circuit breaker, sent and read. */
export async function attempt<T>(
  context: Context,
  upstream: Upstream,
  account: Account,
  call: Caller,
  plan: Exchange<T>,
  /** Attempts before this one. */
  resent: number,
): Promise<{ read: Read<T>; token: string | undefined }> {
  call.signal.throwIfAborted();
  timeLeftOrThrow(context, call);
  const cameAt = performance.now();
  const refusedMs = account.breaker.refusal();
  if (refusedMs !== undefined) throw broken(call, refusedMs);
  const { outgoing, token, secrets } = await prepare(context, upstream, account, call, plan);
  const limitsPassed = context.waitsForLimits(call.operation);
  const release = await waitForLimits(context, upstream, account, call, plan.units).finally(
    limitsPassed,
  );
  try {
    const admission = account.breaker.admit();
    if (!admission) throw broken(call, account.breaker.refusal() ?? 0);
    try {
      const about = { cameAt, resent, secrets, isOwn: account.isOwn };
      const read = await exchangeOnce(context, upstream, call, outgoing, plan, about);
      // The faults of a server that a caller chose say nothing about the others.
      admission.ended(!read.ok && read.fault.unavailable && !upstream.server);
      return { read, token };
    } catch (error) {
      admission.dropped();
      throw error;
    }
  } finally {
    release();
  }
}

function broken(call: Caller, refusedMs: number): GatewayError {
  call.timeline?.cause("breaker_open");
  return unavailable(toRetryAfter(refusedMs));
}

/** A host that the operator has set is dialled whatever its address, but never because a caller names it. */
function dialerOf({ dialer, publicDialer, env }: Context, upstream: Upstream): Dialer {
  const isCallers = upstream.server && !baseUrlOf(upstream, env)?.configured;
  return isCallers ? publicDialer : dialer;
}

interface AboutAttempt {
  /** Start of the attempt (performance.now), before any wait. */
  cameAt: number;
  /** The number of attempts before it. */
  resent: number;
  secrets: readonly string[];
  /** The request has an own credential of its account. */
  isOwn: boolean;
}

async function exchangeOnce<T>(
  context: Context,
  upstream: Upstream,
  call: Caller,
  outgoing: Outgoing,
  plan: Exchange<T>,
  { cameAt, resent, secrets, isOwn }: AboutAttempt,
): Promise<Read<T>> {
  const { notice, bodyLimit } = context;
  const controller = new AbortController();
  const abort = () => controller.abort();
  let timedOut = false;
  const left = timeLeftOrThrow(context, call);
  const { silenceMs = 0 } = upstream;
  const timer = setTimeout(() => {
    timedOut = true;
    controller.abort();
  }, left);
  call.signal.addEventListener("abort", abort);
  const started = performance.now();
  const report = (status: string | number) => {
    const took = performance.now() - started;
    notice.request(upstream, call, status, took / 1000);
    const { method, origin } = outgoing;
    call.timeline?.tried({
      upstream: upstream.name,
      waited: started - cameAt,
      took,
      status,
      asked: { method, origin, path: plan.path, resent },
    });
  };
  const locate = (field: string) => locationOf(call.operation, field);
  let incoming: Incoming;
  try {
    call.signal.throwIfAborted();
    incoming = await exchange(
      dialerOf(context, upstream).agent,
      outgoing,
      controller.signal,
      bodyLimit,
      // The last attempt may use all remaining time.
      left >= 2 * silenceMs ? silenceMs : 0,
    );
  } catch (error) {
    if (call.signal.aborted) {
      report("cancelled");
      throw call.signal.reason;
    }
    const fault = timedOut
      ? timeoutFault()
      : ((upstream.server && serverFault(error, upstream.server.field, locate)) ?? faultOf(error));
    report(fault.cause);
    notice.fault(upstream, call, fault);
    return { ok: false, fault };
  } finally {
    clearTimeout(timer);
    call.signal.removeEventListener("abort", abort);
  }
  report(incoming.status);
  if (!plan.isForToken) hideSecrets(incoming.bytes, secrets);
  if (!isOwn) context.reportRemaining(upstream, incoming.headers);
  const read = plan.read(incoming);
  if (!read.ok) notice.fault(upstream, call, read.fault, incoming.status);
  return read;
}
