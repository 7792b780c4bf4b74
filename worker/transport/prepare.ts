import type { Account } from "./accounts.ts";
import { contactParts, contactVariable } from "./contact.ts";
import { type Caller, type Context, type Exchange, timeLeftOrThrow } from "./context.ts";
import type { Outgoing } from "./exchange.ts";
import { noAccess, operatorRetryAfter, tooLate, unavailable } from "./fault.ts";
import { baseUrlOf, withCredentials } from "./outgoing.ts";
import { isConfigured, MissingSecret, readSecrets } from "./secrets.ts";
import { TokenTooLate } from "./tokens.ts";
import type { Upstream } from "./upstream.ts";

const tokenTimeMs = 20_000;

/** Builds the request with the operator's base URL and credentials, and with the upstream's token. */
export async function prepare<T>(
  context: Context,
  upstream: Upstream,
  account: Account,
  call: Caller,
  plan: Exchange<T>,
): Promise<{ outgoing: Outgoing; token: string | undefined }> {
  const { env, notice, dialer } = context;
  let secrets: Record<string, string>;
  try {
    secrets = await readSecrets(namesOf(upstream, env), env);
  } catch (error) {
    if (!(error instanceof MissingSecret)) throw error;
    notice.alert(upstream, call, "credential_missing", { variable: error.variable });
    throw noAccess();
  }
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
    const authorization = (await upstream.authorize?.(secrets, tokens)) ?? {};
    const headers = { ...contact.headers, ...authorization };
    const outgoing = plan.outgoing(base, headers);
    return {
      outgoing: withCredentials(outgoing, upstream, secrets, contact.query),
      token: tokens.used,
    };
  } catch (error) {
    if (error instanceof TokenTooLate) throw tooLate();
    throw error;
  }
}

/** The credentials to send: an optional one only where it is set. */
function namesOf({ credentials, optional }: Upstream, env: Context["env"]): readonly string[] {
  const more = optional && isConfigured(optional.credential, env) ? [optional.credential] : [];
  return [...credentials, ...more];
}

/** A token is fetched once for all waiting calls, so the fetch must not end with the first of them. */
function tokenCaller({ now }: Context, { requestId, operation }: Caller): Caller {
  const signal = AbortSignal.timeout(tokenTimeMs);
  return { requestId, operation, signal, deadline: now() + tokenTimeMs };
}
