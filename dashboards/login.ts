import { createHash, createHmac, randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import pLimit from "p-limit";
import { networkOf } from "../runtime/network.ts";
import { type NamedUser, type Role, matchesHash } from "./users.ts";

/** The accepted logins: an operator, optionally a viewer, and optionally a token for the metrics alone. */
export interface Credentials {
  user: string;
  password: string;
  viewer?: { user: string; password: string } | undefined;
  /** Further users by name, whose passwords are known only as hashes. */
  users?: readonly NamedUser[] | undefined;
  metricsToken: string | undefined;
}

/** An authenticated user. */
export interface Visitor {
  user: string;
  role: Role;
  /** A proxy has authenticated them, so that they have no session here. */
  isProxied?: true;
}

export const sessionCookie = "gateway_dashboards";
export const sessionSeconds = 12 * 3600;

const digest = (text: string) => createHash("sha256").update(text).digest();

/** A browser sends one session cookie; verifying hundreds in one header would take 50 ms. */
const mostCookies = 3;

/** Compares in constant time, whatever the lengths. */
const equal = (a: string, b: string) => timingSafeEqual(digest(a), digest(b));

/** Derived slowly, so that a stolen cookie does not help to guess the password. */
const keyOfPassword = ({ user, password }: { user: string; password: string }) =>
  scryptSync(password, `dashboards session of ${user}`, 32);

/** A hash has a random salt, which nobody guesses. */
const keyOfHash = ({ user, hash }: NamedUser) =>
  createHmac("sha256", hash).update(`dashboards session of ${user}`).digest();

/** Sessions of one user. The key is derived from the password, so that they survive a restart and end with it. */
function createSessions(key: Buffer) {
  const sign = (expires: string) => createHmac("sha256", key).update(expires).digest("base64url");
  return {
    start(now: number): string {
      const expires = String(now + sessionSeconds * 1000);
      return `${expires}.${sign(expires)}`;
    },
    isValid(value: string, now: number, endedAt: number): boolean {
      const [expires = "", signature = ""] = value.split(".");
      const began = Number(expires) - sessionSeconds * 1000;
      return equal(signature, sign(expires)) && Number(expires) > now && began > endedAt;
    },
  };
}

interface Known {
  user: string;
  role: Role;
  sessions: ReturnType<typeof createSessions>;
}

/** At most this many passwords are compared at once: each takes 32 MB. */
const hashesAtOnce = 2;

/** Compares passwords with hashes; a right one is remembered, because programs send it with every request. */
function createHashes() {
  const own = randomBytes(32);
  const mark = (secret: string) => createHmac("sha256", own).update(secret).digest("base64");
  const right = new Map<string, string>();
  const limit = pLimit(hashesAtOnce);
  return {
    async match(secret: string, hash: string): Promise<boolean> {
      if (right.get(hash) === mark(secret)) return true;
      const isRight = await limit(() => matchesHash(secret, hash));
      if (isRight) right.set(hash, mark(secret));
      return isRight;
    },
  };
}

export function createLogin(credentials: Credentials) {
  const { user, password, viewer, users = [] } = credentials;
  const plain = [
    { user, password, role: "operator" as const },
    ...(viewer ? [{ ...viewer, role: "viewer" as const }] : []),
  ].map((one) => ({ ...one, sessions: createSessions(keyOfPassword(one)) }));
  const named = users.map((one) => ({ ...one, sessions: createSessions(keyOfHash(one)) }));
  const known: Known[] = [...plain, ...named];
  const visitor = (one: Known): Visitor => ({ user: one.user, role: one.role });
  const hashes = createHashes();

  /** The account with this user and password. Compares as often for every name, so that timing shows nothing. */
  async function matching(name: string, secret: string): Promise<Known | undefined> {
    const found = plain.filter((one) => {
      const rightUser = equal(name, one.user);
      return equal(secret, one.password) && rightUser;
    })[0];
    if (found ?? named.length === 0) return found;
    const other = named.find((one) => one.user === name);
    const isRight = await hashes.match(secret, (other ?? named[0])?.hash ?? "");
    return isRight ? other : undefined;
  }

  return {
    /** Value of a session cookie that starts now (milliseconds); undefined where the password is wrong. */
    async startSession(name: string, secret: string, now: number): Promise<string | undefined> {
      return (await matching(name, secret))?.sessions.start(now);
    },

    /** `ended`: a user and their last logout, which ended each session that began before; only theirs count then. */
    sessionOf(
      cookieHeader: string | undefined,
      now: number,
      ended?: { user: string; at: number },
    ): Visitor | undefined {
      const endOf = (one: string) => (ended && (ended.user === one ? ended.at : Infinity)) ?? 0;
      const values = (cookieHeader ?? "").split(";").flatMap((pair) => {
        const [cookie, value = ""] = pair.trim().split("=");
        return cookie === sessionCookie ? [value] : [];
      });
      for (const value of values.slice(0, mostCookies)) {
        const found = known.find((one) => one.sessions.isValid(value, now, endOf(one.user)));
        if (found) return visitor(found);
      }
      return undefined;
    },

    /** The access that an Authorization header grants; undefined without a header. */
    async headerGrants(
      header: string | undefined,
    ): Promise<Visitor | "metrics" | "nothing" | undefined> {
      if (header === undefined) return undefined;
      const [scheme = "", value = ""] = header.trim().split(/\s+/);
      if (scheme.toLowerCase() === "bearer" && credentials.metricsToken) {
        return equal(value, credentials.metricsToken) ? "metrics" : "nothing";
      }
      if (scheme.toLowerCase() !== "basic") return "nothing";
      const decoded = Buffer.from(value, "base64").toString();
      const colon = decoded.indexOf(":");
      const found =
        colon < 0 ? undefined : await matching(decoded.slice(0, colon), decoded.slice(colon + 1));
      return found ? visitor(found) : "nothing";
    },
  };
}

/** Rate limit for wrong passwords: the burst per address, and the time until one more guess is allowed. */
const guesses = 10;
const guessEveryMs = 6_000;
const mostAddresses = 10_000;

/** A rate limit of 10 wrong passwords a minute for each address. Times are in milliseconds. */
export function createThrottle() {
  /** By network: the time at which all its guesses are available again. */
  const restoredAt = new Map<string, number>();

  return {
    /** Seconds until the next guess; 0 when it may be made now. */
    wait(address: string, now: number): number {
      const busyMs = (restoredAt.get(networkOf(address)) ?? 0) - now - (guesses - 1) * guessEveryMs;
      return Math.max(0, Math.ceil(busyMs / 1000));
    },

    wrong(address: string, now: number): void {
      const network = networkOf(address);
      const at = Math.max(restoredAt.get(network) ?? 0, now) + guessEveryMs;
      restoredAt.delete(network);
      restoredAt.set(network, at);
      // The map is ordered by the last guess, so the first entry is the oldest.
      for (const oldest of restoredAt.keys()) {
        if (restoredAt.size <= mostAddresses) break;
        restoredAt.delete(oldest);
      }
    },
  };
}
