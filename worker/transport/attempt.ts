import type { GatewayError } from "../../contract/errors.ts";
import type { Account } from "./accounts.ts";
import { type Caller, type Context, type Exchange, timeLeftOrThrow } from "./context.ts";
import { exchange, type Incoming, type Outgoing } from "./exchange.ts";
import { faultOf, timeoutFault, unavailable } from "./fault.ts";
import { prepare } from "./prepare.ts";
import type { Read } from "./reading.ts";
import { toRetryAfter } from "./retry.ts";
import { waitForRoom } from "./room.ts";
import type { Upstream } from "./upstream.ts";

/** One try: prepared, admitted by the account's limits and breaker, sent and read. */
export async function attempt<T>(
  context: Context,
  upstream: Upstream,
  account: Account,
  call: Caller,
  plan: Exchange<T>,
  /** Tries before this one. */
  resent: number,
): Promise<{ read: Read<T>; token: string | undefined }> {
  call.signal.throwIfAborted();
  timeLeftOrThrow(context, call);
  const cameAt = performance.now();
  const refusedMs = account.breaker.refusal();
  if (refusedMs !== undefined) throw broken(call, refusedMs);
  const { outgoing, token } = await prepare(context, upstream, account, call, plan);
  const release = await waitForRoom(context, upstream, account, call);
  try {
    const admission = account.breaker.admit();
    if (!admission) throw broken(call, account.breaker.refusal() ?? 0);
    try {
      const read = await exchangeOnce(context, upstream, call, outgoing, plan, { cameAt, resent });
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

function broken(call: Caller, refusedMs: number): GatewayError {
  call.told?.cause("breaker_open");
  return unavailable(toRetryAfter(refusedMs));
}

async function exchangeOnce<T>(
  context: Context,
  upstream: Upstream,
  call: Caller,
  outgoing: Outgoing,
  plan: Exchange<T>,
  /** When the try began (performance.now), before it waited for anything, and how many came before it. */
  { cameAt, resent }: { cameAt: number; resent: number },
): Promise<Read<T>> {
  const { notice, wayOut, bodyLimit } = context;
  const over = new AbortController();
  const leave = () => over.abort();
  let late = false;
  const left = timeLeftOrThrow(context, call);
  const { silenceMs = 0 } = upstream;
  const timer = setTimeout(() => {
    late = true;
    over.abort();
  }, left);
  call.signal.addEventListener("abort", leave);
  const started = performance.now();
  const report = (status: string | number) => {
    const took = performance.now() - started;
    notice.request(upstream, call, status, took / 1000);
    const { method, origin } = outgoing;
    call.told?.tried({
      upstream: upstream.name,
      waited: started - cameAt,
      took,
      status,
      asked: { method, origin, path: plan.path, resent },
    });
  };
  let incoming: Incoming;
  try {
    call.signal.throwIfAborted();
    incoming = await exchange(
      wayOut.agent,
      outgoing,
      over.signal,
      bodyLimit,
      // The last try has all the time there is.
      left >= 2 * silenceMs ? silenceMs : 0,
    );
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
  context.tellLeft(upstream, incoming.headers);
  const read = plan.read(incoming);
  if (!read.ok) notice.fault(upstream, call, read.fault, incoming.status);
  return read;
}
