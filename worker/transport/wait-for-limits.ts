import type { Account } from "./accounts.ts";
import { limitsOf } from "./contact.ts";
import { ownOf } from "./credentials.ts";
import { type Caller, type Context, pause, timeLeftMs, timeLeftOrThrow } from "./context.ts";
import { operatorRetryAfter, tooLate, unavailable } from "./fault.ts";
import { DayLimitReached, LimitsUnreachable, LimitTimeout } from "./limits.ts";
import { baseUrlOf } from "./outgoing.ts";
import { toRetryAfter } from "./retry.ts";
import type { Upstream } from "./upstream.ts";

const retryMs = 250;

/** Longest wait for an operator's rate limit: a waiting call takes a slot from others. */
const allowedWaitMs = 2000;

/** Waits for the operator's rate limit. Throws when the upstream is switched off or the limit is used up. */
async function waitForOperatorLimit(
  context: Context,
  upstream: Upstream,
  call: Caller,
): Promise<void> {
  const perMinute = context.allowed(upstream.name);
  if (perMinute === undefined) return;
  call.timeline?.cause(perMinute === 0 ? "switched_off" : "capped");
  if (perMinute === 0) throw unavailable(operatorRetryAfter);
  try {
    await context.limits.acquire(
      `operator ${upstream.name}`,
      { perSecond: perMinute / 60 },
      {
        account: call.account,
        signal: call.signal,
        waitMs: Math.min(allowedWaitMs, timeLeftOrThrow(context, call)),
      },
    );
  } catch (error) {
    if (error instanceof LimitTimeout) throw unavailable(toRetryAfter(60_000 / perMinute), error);
    if (error instanceof LimitsUnreachable) throw unavailable(undefined, error);
    throw error;
  }
}

/** The source's limits of an account; an own credential may have a rate of its own. */
function limitsFor({ env }: Context, upstream: Upstream, call: Caller): Upstream["limits"] {
  const found = limitsOf(upstream, env);
  const isOperators = found?.perDay !== undefined && baseUrlOf(upstream, env)?.configured;
  const limits = isOperators ? { ...found, perDay: 0 } : found;
  const perSecond = ownOf(upstream, call)?.perSecond;
  return perSecond === undefined ? limits : { ...limits, perSecond };
}

/** Waits for the account's limits, also while Redis is unreachable. Returns the function that releases them. */
export async function waitForLimits(
  context: Context,
  upstream: Upstream,
  account: Account,
  call: Caller,
  /** As how many requests the source counts this one. */
  units = 1,
): Promise<() => void> {
  await waitForOperatorLimit(context, upstream, call);
  const limits = limitsFor(context, upstream, call);
  if (!limits) return () => {};
  if (!upstream.server && !account.isOwn)
    context.reportQuota({ ...upstream, limits }, account.name);
  const started = performance.now();
  for (let isRetry = false; ; isRetry = true) {
    try {
      const { account: of, signal } = call;
      const patience = { account: of, signal, waitMs: timeLeftOrThrow(context, call), units };
      const release = await context.limits.acquire(account.name, limits, patience);
      context.notice.quotaWait(upstream, call, (performance.now() - started) / 1000);
      return release;
    } catch (error) {
      if (error instanceof LimitTimeout) {
        call.timeline?.cause("no_room_at_upstream");
        context.notice.quotaWait(upstream, call, (performance.now() - started) / 1000);
        throw tooLate();
      }
      if (error instanceof DayLimitReached) {
        call.timeline?.cause("day_limit_reached");
        throw unavailable(operatorRetryAfter, error);
      }
      if (!(error instanceof LimitsUnreachable)) throw error;
      if (!isRetry) context.notice.limitsUnreachable(upstream, call, error);
      // Without Redis the refusal could not be stored either, so the call waits until its time is over.
      if (timeLeftMs(context, call) <= retryMs) throw unavailable(undefined, error);
      await pause(retryMs, call.signal);
    }
  }
}
