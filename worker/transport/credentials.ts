import type { OwnCredential } from "../../runtime/own-credentials.ts";
import type { Account } from "./accounts.ts";
import type { Caller, Context } from "./context.ts";
import { noAccess } from "./fault.ts";
import { isConfigured, MissingSecret, readSecrets } from "./secrets.ts";
import type { Upstream } from "./upstream.ts";

/** The own credential of the call's account for an upstream; undefined where the operator's is used. */
export function ownOf(upstream: Upstream, call: Pick<Caller, "own">): OwnCredential | undefined {
  const own = upstream.credentials.length > 0 ? call.own?.of(upstream.credentials) : undefined;
  return own === "unreadable" ? undefined : own;
}

/** State of the upstream with the credential that the call uses. */
export function accountOf(context: Context, upstream: Upstream, call: Caller): Account {
  return context.accounts.of(upstream, ownOf(upstream, call)?.id);
}

/** The credentials to send: an optional one only where it is set. */
function variablesOf({ credentials, optional }: Upstream, env: Context["env"]): readonly string[] {
  const more = optional && isConfigured(optional.credential, env) ? [optional.credential] : [];
  return [...credentials, ...more];
}

/** The secrets for one request. Throws where they are missing; an account's own are never replaced by the operator's. */
export async function secretsFor(
  { env, notice }: Context,
  upstream: Upstream,
  call: Caller,
): Promise<Readonly<Record<string, string>>> {
  const own = upstream.credentials.length > 0 ? call.own?.of(upstream.credentials) : undefined;
  if (own === "unreadable") {
    notice.alert(upstream, call, "own_credential_unreadable", { variable: "CREDENTIALS_KEY" });
    throw noAccess();
  }
  if (own) return own.secrets;
  try {
    return await readSecrets(variablesOf(upstream, env), env);
  } catch (error) {
    if (!(error instanceof MissingSecret)) throw error;
    notice.alert(upstream, call, "credential_missing", { variable: error.variable });
    throw noAccess();
  }
}

/** Whether the call has a credential for the upstream, its account's own or the operator's. */
export async function hasCredentials(
  { env }: Pick<Context, "env">,
  upstream: Upstream,
  call?: Pick<Caller, "own">,
): Promise<boolean> {
  const own = upstream.credentials.length > 0 ? call?.own?.of(upstream.credentials) : undefined;
  if (own !== undefined) return own !== "unreadable";
  try {
    await readSecrets(upstream.credentials, env);
    return true;
  } catch (error) {
    if (error instanceof MissingSecret) return false;
    throw error;
  }
}

/** Shorter values may be ordinary words of an answer. */
const leastSecretLength = 8;

/** Overwrites secrets that an upstream repeats in its answer, so that nothing can store or log them. */
export function hideSecrets(bytes: Buffer, secrets: readonly string[]): void {
  for (const secret of secrets) {
    if (secret.length < leastSecretLength) continue;
    const text = Buffer.from(secret);
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length))
      bytes.fill("*", at, at + text.length);
  }
}
