import { GatewayError } from "../contract/errors.ts";
import type { Mode } from "../contract/job.ts";
import { steadyNow } from "../contract/steady.ts";
import type { Database } from "../db/client.ts";
import { type FoundKey, authenticate, findKey, touchKey } from "../db/keys.ts";
import { fromStore } from "./stores.ts";

/** Who calls, as far as the rest of the API needs to know. */
export interface Caller {
  keyId: string;
  accountId: number;
  accountName: string;
  mode: Mode;
  ratePerSecond: number;
  maxInFlight: number;
  /** There are budgets to tell of. */
  budgeted?: boolean;
}

/** A revoked key works no longer than this after its last look-up. */
const cacheMs = 900;
const cacheSize = 10_000;

/** `beforeLookUp` is asked before the work for a key that has not been seen to be valid; it may throw. */
export type Authenticate = (
  authorization: string | undefined,
  beforeLookUp?: () => void,
) => Promise<Caller>;

/** One and the same answer for a missing, malformed, unknown, revoked or expired key. */
export function unauthorized(): GatewayError {
  return new GatewayError(
    "unauthorized",
    "A valid API key is required: Authorization: Bearer <API_KEY>",
  );
}

/** Only keys that proved valid are remembered: every refusal takes the same path. */
export function createAuthenticate(
  db: Database,
  pepper: string,
  onError: (error: unknown) => void,
): Authenticate {
  const known = new Map<string, { until: number; key: FoundKey }>();
  const asking = new Map<string, Promise<FoundKey | undefined>>();

  async function ask(text: string): Promise<FoundKey | undefined> {
    const key = await fromStore(() => authenticate(text, pepper, (id) => findKey(db, id)));
    if (key) {
      if (known.size >= cacheSize) known.clear();
      known.set(text, { until: steadyNow() + cacheMs, key });
      void touchKey(db, key).catch(onError);
    } else known.delete(text);
    return key;
  }

  return async function (authorization, beforeLookUp) {
    const text = /^Bearer ([\w-]{1,200})$/i.exec(authorization ?? "")?.[1];
    const cached = known.get(text ?? "");
    if (!cached) beforeLookUp?.();
    if (text === undefined) throw unauthorized();
    let key = cached && steadyNow() < cached.until ? cached.key : undefined;
    if (!key) {
      let answer = asking.get(text);
      if (!answer) {
        answer = ask(text).finally(() => asking.delete(text));
        asking.set(text, answer);
      }
      key = await answer;
    }
    if (!key) throw unauthorized();
    return {
      keyId: key.id,
      accountId: key.accountId,
      accountName: key.accountName,
      mode: key.mode,
      ratePerSecond: key.ratePerSecond,
      maxInFlight: key.maxInFlight,
      budgeted: key.budgeted,
    };
  };
}
