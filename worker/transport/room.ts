import type { Account } from "./accounts.ts";
import { type Caller, type Context, pause, timeLeftMs, timeLeftOrThrow } from "./context.ts";
import { operatorRetryAfter, tooLate, unavailable } from "./fault.ts";
import { LimitsUnreachable, NoRoomInTime } from "./limits.ts";
import { toRetryAfter } from "./retry.ts";
import type { Upstream } from "./upstream.ts";

const retryMs = 250;

/** A call waits no longer for what an operator allows: it would take a slot from others. */
const allowedWaitMs = 2000;

/** Throws where an operator has switched the upstream off, or allows no more at the moment. */
async function waitForLeave(context: Context, upstream: Upstream, call: Caller): Promise<void> {
  const perMinute = context.allowed(upstream.name);
  if (perMinute === undefined) return;
  call.told?.cause(perMinute === 0 ? "switched_off" : "capped");
  if (perMinute === 0) throw unavailable(operatorRetryAfter);
  try {
    await context.limits.acquire(
      `operator ${upstream.name}`,
      { perSecond: perMinute / 60 },
      {
        signal: call.signal,
        waitMs: Math.min(allowedWaitMs, timeLeftOrThrow(context, call)),
      },
    );
  } catch (error) {
    if (error instanceof NoRoomInTime) throw unavailable(toRetryAfter(60_000 / perMinute), error);
    if (error instanceof LimitsUnreachable) throw unavailable(undefined, error);
    throw error;
  }
}

/** Waits until the account's limits leave room, also while Redis is away; returns what gives the place back. */
export async function waitForRoom(
  context: Context,
  upstream: Upstream,
  account: Account,
  call: Caller,
): Promise<() => void> {
  await waitForLeave(context, upstream, call);
  if (!upstream.limits) return () => {};
  context.tellQuota(upstream, account.name);
  const started = performance.now();
  for (let told = false; ; told = true) {
    try {
      const patience = { signal: call.signal, waitMs: timeLeftOrThrow(context, call) };
      const release = await context.limits.acquire(account.name, upstream.limits, patience);
      context.notice.quotaWait(upstream, call, (performance.now() - started) / 1000);
      return release;
    } catch (error) {
      if (error instanceof NoRoomInTime) {
        call.told?.cause("no_room_at_upstream");
        context.notice.quotaWait(upstream, call, (performance.now() - started) / 1000);
        throw tooLate();
      }
      if (!(error instanceof LimitsUnreachable)) throw error;
      if (!told) context.notice.limitsUnreachable(upstream, call, error);
      // Giving up early helps nobody: the refusal itself could not be stored either.
      if (timeLeftMs(context, call) <= retryMs) throw unavailable(undefined, error);
      await pause(retryMs, call.signal);
    }
  }
}
