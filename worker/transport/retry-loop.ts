import type { GatewayError } from "../../contract/errors.ts";
import { unreachable } from "../../runtime/upstreams.ts";
import { attempt } from "./attempt.ts";
import { type Caller, type Context, type Exchange, pause, timeLeftMs } from "./context.ts";
import { accountOf } from "./credentials.ts";
import { ownCredentialRefused } from "./fault.ts";
import { pauseBeforeRetry } from "./retry.ts";
import type { Upstream } from "./upstream.ts";

/** Retries until an answer is good or its fault is final. A refused token is renewed once. */
export async function tryUntilAnswered<T>(
  context: Context,
  upstream: Upstream,
  call: Caller,
  plan: Exchange<T>,
): Promise<T> {
  const { notice, now, random } = context;
  const account = accountOf(context, upstream, call);
  account.budget.countCall(now());
  let retriesSoFar = 0;
  let reauthorized = false;
  let attempts = 0;
  for (;;) {
    const { read, token } = await attempt(context, upstream, account, call, plan, attempts++);
    if (read.ok) return read.value;
    const { fault } = read;
    if (fault.reauthorize && !reauthorized) {
      reauthorized = true;
      account.tokens.drop(token);
      continue;
    }
    if (fault.operator !== undefined) {
      const isOwnFault = account.isOwn && fault.operator !== unreachable;
      if (isOwnFault) throw ownRefused(context, upstream, call, fault.operator);
      notice.alert(upstream, call, fault.operator);
    }
    const left = timeLeftMs(context, call);
    const retries = Math.min(fault.retries, call.retries ?? fault.retries);
    const pauseMs = pauseBeforeRetry(
      { ...fault, retries },
      { retriesSoFar, timeLeftMs: left, random },
    );
    if (pauseMs === undefined) throw fault.error;
    if (account.breaker.refusal() !== undefined || !account.budget.takeRetry(now()))
      throw fault.error;
    notice.retry(upstream);
    await pause(pauseMs, call.signal);
    retriesSoFar += 1;
  }
}

/** The account's own credential was refused: the account has to act, not the operator. */
function ownRefused(
  { notice }: Context,
  upstream: Upstream,
  call: Caller,
  reason: string,
): GatewayError {
  notice.ownFault(upstream, call, reason);
  return ownCredentialRefused();
}
