import { createHash, createHmac, scryptSync, timingSafeEqual } from "node:crypto";

/** An operator may change things, a viewer only looks. */
export type Role = "operator" | "viewer";

/** Who may come in: an operator, optionally a viewer, and optionally a token that opens only the metrics. */
export interface Credentials {
  user: string;
  password: string;
  viewer?: { user: string; password: string } | undefined;
  metricsToken: string | undefined;
}

/** Who came in. */
export interface Visitor {
  user: string;
  role: Role;
}

export const sessionCookie = "gateway_dashboards";
export const sessionSeconds = 12 * 3600;

const digest = (text: string) => createHash("sha256").update(text).digest();

/** A browser sends one; hundreds in a header, each to be verified, took 50 ms of whoever was let in or not. */
const mostCookies = 3;

/** Constant time whatever the lengths. */
const equal = (a: string, b: string) => timingSafeEqual(digest(a), digest(b));

/** Sessions of one user. */
function createSessions({ user, password }: { user: string; password: string }) {
  // From the password, so that sessions outlive a restart and end when the password changes;
  // slow to derive, so that a stolen cookie is no quick way to guess it.
  const key = scryptSync(password, `dashboards session of ${user}`, 32);
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

export function createLogin(credentials: Credentials) {
  const { user, password, viewer } = credentials;
  const known = [
    { user, password, role: "operator" as const },
    ...(viewer ? [{ ...viewer, role: "viewer" as const }] : []),
  ].map((one) => ({ ...one, sessions: createSessions(one) }));
  type Known = (typeof known)[number];
  const visitor = (one: Known): Visitor => ({ user: one.user, role: one.role });

  /** Every one is compared, whichever it is. */
  function whose(asked: string, secret: string): Known | undefined {
    return known.filter((one) => {
      const rightUser = equal(asked, one.user);
      return equal(secret, one.password) && rightUser;
    })[0];
  }

  return {
    /** Value of a session cookie that starts now (milliseconds); undefined where the password is wrong. */
    startSession(asked: string, secret: string, now: number): string | undefined {
      return whose(asked, secret)?.sessions.start(now);
    },

    /** `endedAt`: when somebody last logged out, which ends every session that began before. */
    sessionOf(cookieHeader: string | undefined, now: number, endedAt = 0): Visitor | undefined {
      const values = (cookieHeader ?? "").split(";").flatMap((pair) => {
        const [name, value = ""] = pair.trim().split("=");
        return name === sessionCookie ? [value] : [];
      });
      for (const value of values.slice(0, mostCookies)) {
        const found = known.find(({ sessions }) => sessions.isValid(value, now, endedAt));
        if (found) return visitor(found);
      }
      return undefined;
    },

    /** What an Authorization header proves; undefined when there is none. */
    headerGrants(header: string | undefined): Visitor | "metrics" | "nothing" | undefined {
      if (header === undefined) return undefined;
      const [scheme = "", value = ""] = header.trim().split(/\s+/);
      if (scheme.toLowerCase() === "bearer" && credentials.metricsToken) {
        return equal(value, credentials.metricsToken) ? "metrics" : "nothing";
      }
      if (scheme.toLowerCase() !== "basic") return "nothing";
      const decoded = Buffer.from(value, "base64").toString();
      const colon = decoded.indexOf(":");
      const found =
        colon < 0 ? undefined : whose(decoded.slice(0, colon), decoded.slice(colon + 1));
      return found ? visitor(found) : "nothing";
    },
  };
}

/** Wrong guesses allowed at once, and how fast they come back. */
const guesses = 10;
const guessEveryMs = 6_000;
const mostAddresses = 10_000;

/** Slows guessing down to 10 a minute and address. Time is given in milliseconds. */
export function createThrottle() {
  /** When all guesses of an address are available again. */
  const restoredAt = new Map<string, number>();

  return {
    /** Seconds until the next guess; 0 when it may be made now. */
    wait(address: string, now: number): number {
      const busyMs = (restoredAt.get(address) ?? 0) - now - (guesses - 1) * guessEveryMs;
      return Math.max(0, Math.ceil(busyMs / 1000));
    },

    wrong(address: string, now: number): void {
      const at = Math.max(restoredAt.get(address) ?? 0, now) + guessEveryMs;
      restoredAt.delete(address);
      restoredAt.set(address, at);
      // The map is in order of the last guess: what goes first has waited longest.
      for (const oldest of restoredAt.keys()) {
        if (restoredAt.size <= mostAddresses) break;
        restoredAt.delete(oldest);
      }
    },
  };
}
