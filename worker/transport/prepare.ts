import type { Account } from "./accounts.ts";
import { contactParts, contactVariable } from "./contact.ts";
import { secretsFor } from "./credentials.ts";
import { type Caller, type Context, type Exchange, timeLeftOrThrow } from "./context.ts";
import type { Outgoing } from "./exchange.ts";
import { noAccess, operatorRetryAfter, tooLate, unavailable } from "./fault.ts";
import { baseUrlOf, withCredentials } from "./outgoing.ts";
import { TokenTooLate } from "./tokens.ts";
import type { Upstream } from "./upstream.ts";

export interface Prepared {
  outgoing: Outgoing;
  token: string | undefined;
  /** All that the request carries and no answer may repeat. */
  secrets: readonly string[];
}

const tokenTimeMs = 20_000;

/** Builds the request with the operator's base URL and credentials, and with the upstream's token. */
export async function prepare<T>(
  context: Context,
  upstream: Upstream,
  account: Account,
  call: Caller,
  plan: Exchange<T>,
): Promise<Prepared> {
  const { env, notice, dialer } = context;
  const secrets = await secretsFor(context, upstream, call);
  const contact = contactParts(upstream, env);
  if (!contact) {
    notice.alert(upstream, call, "contact_missing", { variable: contactVariable });
    throw noAccess();
  }
  const base = baseUrlOf(upstream, env);
  if (!base) {
    notice.alert(upstream, call, "base_url_invalid", { variable: upstream.baseUrl.env });
    throw unavailable(operatorRetryAfter);
  }
  if (base.configured) dialer.trust(base.address);
  const tokens = account.tokens.for(
    (to, request) => context.send(to, request, tokenCaller(context, call)),
    { signal: call.signal, waitMs: timeLeftOrThrow(context, call) },
  );
  try {
    const authorization = (await upstream.authorize?.({ ...secrets }, tokens)) ?? {};
    const headers = { ...contact.headers, ...authorization };
    const outgoing = plan.outgoing(base, headers);
    return {
      outgoing: withCredentials(outgoing, upstream, secrets, contact.query),
      token: tokens.used,
      secrets: secretParts(secrets, authorization),
    };
  } catch (error) {
    if (error instanceof TokenTooLate) throw tooLate();
    throw error;
  }
}

/** Each secret as it is, as in a query, and as in a header behind its scheme. */
function secretParts(
  secrets: Readonly<Record<string, string>>,
  authorization: Readonly<Record<string, string>>,
): string[] {
  const values = Object.values(secrets);
  const inHeaders = Object.values(authorization).map((value) => value.split(" ").at(-1) ?? "");
  return [...new Set([...values, ...values.map(encodeURIComponent), ...inHeaders])];
}

/** A token is fetched once for all waiting calls, so the fetch must not end with the first of them. */
function tokenCaller({ now }: Context, { requestId, account, operation, own }: Caller): Caller {
  const signal = AbortSignal.timeout(tokenTimeMs);
  return { requestId, account, operation, own, signal, deadline: now() + tokenTimeMs };
}
