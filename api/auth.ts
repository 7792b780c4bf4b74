import { GatewayError } from "../contract/errors.ts";
import type { Mode } from "../contract/mode.ts";
import { monotonicNow } from "../runtime/monotonic.ts";
import type { Database } from "../db/client.ts";
import { parseKey } from "../db/key.ts";
import { type FoundKey, authenticate, findKey, touchKey } from "../db/keys.ts";
import type { Owner } from "../db/owner.ts";
import { KeyIds } from "./key-ids.ts";
import { retryStore } from "./stores.ts";

/** The authenticated caller, as far as the rest of the API needs to know. */
export interface Caller {
  keyId: string;
  accountId: number;
  accountName: string;
  mode: Mode;
  ratePerSecond: number;
  maxInFlight: number;
  /** The account or key has budgets. */
  budgeted?: boolean;
}

/**
 * Names the owner of a rate limit, of slots and of kept answers: an account in one mode, with whichever key it
 * calls.
 */
export const ownerName = ({ accountId, mode }: Owner): string => `${accountId}:${mode}`;

/** A revoked key works no longer than this after its last look-up, in milliseconds. */
const cacheMs = 900;
/** From this age on a key is looked up again in the background, so that no call waits. */
const renewMs = 450;
const cacheSize = 10_000;

/** The key that a caller claims to have, before it is looked up. */
export interface ClaimedKey {
  id: string;
  /** True if a valid key has this id. */
  exists(): Promise<boolean>;
}

/**
 * Calls `beforeLookUp` before the work for a key that is not cached as valid; it may throw. A malformed key claims
 * nothing.
 */
export type Authenticate = (
  authorization: string | undefined,
  beforeLookUp?: (claimed: ClaimedKey | undefined) => Promise<void>,
) => Promise<Caller>;

/** The same answer for a missing, malformed, unknown, revoked or expired key. */
export function unauthorized(): GatewayError {
  return new GatewayError(
    "unauthorized",
    "A valid API key is required: Authorization: Bearer <API_KEY>",
  );
}

/** Caches valid keys only: every refusal takes the same path. */
export function createAuthenticate(
  db: Database,
  pepper: string,
  onError: (error: unknown) => void,
): Authenticate {
  const known = new Map<string, { until: number; key: FoundKey }>();
  const asking = new Map<string, Promise<FoundKey | undefined>>();
  const ids = new KeyIds(db);

  function claimedBy(text: string | undefined): ClaimedKey | undefined {
    const id = text === undefined ? undefined : parseKey(text)?.id;
    return id === undefined ? undefined : { id, exists: () => ids.has(id) };
  }

  function askOnce(text: string): Promise<FoundKey | undefined> {
    const already = asking.get(text);
    if (already) return already;
    const answer = ask(text).finally(() => asking.delete(text));
    asking.set(text, answer);
    return answer;
  }

  async function ask(text: string): Promise<FoundKey | undefined> {
    const until = monotonicNow() + cacheMs;
    const key = await retryStore(() => authenticate(text, pepper, (id) => findKey(db, id)));
    if (key) {
      if (known.size >= cacheSize) known.clear();
      known.set(text, { until, key });
      void touchKey(db, key).catch(onError);
    } else known.delete(text);
    return key;
  }

  return async function (authorization, beforeLookUp) {
    const text = /^Bearer ([\w-]{1,200})$/i.exec(authorization ?? "")?.[1];
    const cached = known.get(text ?? "");
    if (!cached) await beforeLookUp?.(claimedBy(text));
    if (text === undefined) throw unauthorized();
    const left = cached ? cached.until - monotonicNow() : 0;
    // A later call reports this failure, once the cached look-up is too old.
    if (left > 0 && left < cacheMs - renewMs) void askOnce(text).catch(() => undefined);
    const key = cached && left > 0 ? cached.key : await askOnce(text);
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
