import { createHash, createHmac, scryptSync, timingSafeEqual } from "node:crypto";

/** Who may come in: one user with one password, and optionally a token that opens only the metrics. */
export interface Credentials {
  user: string;
  password: string;
  metricsToken: string | undefined;
}

export const sessionCookie = "gateway_dashboards";
export const sessionSeconds = 12 * 3600;

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Constant time whatever the lengths. */
const equal = (a: string, b: string) => timingSafeEqual(digest(a), digest(b));

export function createLogin(credentials: Credentials) {
  // From the password, so that sessions outlive a restart and end when the password changes;
  // slow to derive, so that a stolen cookie is no quick way to guess it.
  const key = scryptSync(credentials.password, `dashboards session of ${credentials.user}`, 32);
  const sign = (expires: string) => createHmac("sha256", key).update(expires).digest("base64url");

  function passwordMatches(user: string, password: string): boolean {
    const rightUser = equal(user, credentials.user);
    return equal(password, credentials.password) && rightUser;
  }

  return {
    passwordMatches,

    /** Value of a session cookie that starts now (milliseconds). */
    startSession(now: number): string {
      const expires = String(now + sessionSeconds * 1000);
      return `${expires}.${sign(expires)}`;
    },

    /** `endedAt`: when somebody last logged out, which ends every session that began before. */
    sessionIsValid(cookieHeader: string | undefined, now: number, endedAt = 0): boolean {
      for (const pair of (cookieHeader ?? "").split(";")) {
        const [name, value = ""] = pair.trim().split("=");
        if (name !== sessionCookie) continue;
        const [expires = "", signature = ""] = value.split(".");
        const began = Number(expires) - sessionSeconds * 1000;
        if (equal(signature, sign(expires)) && Number(expires) > now && began > endedAt)
          return true;
      }
      return false;
    },

    /** What an Authorization header proves; undefined when there is none. */
    headerGrants(header: string | undefined): "everything" | "metrics" | "nothing" | undefined {
      if (header === undefined) return undefined;
      const [scheme = "", value = ""] = header.trim().split(/\s+/);
      if (scheme.toLowerCase() === "bearer" && credentials.metricsToken) {
        return equal(value, credentials.metricsToken) ? "metrics" : "nothing";
      }
      if (scheme.toLowerCase() !== "basic") return "nothing";
      const decoded = Buffer.from(value, "base64").toString();
      const colon = decoded.indexOf(":");
      if (colon < 0) return "nothing";
      return passwordMatches(decoded.slice(0, colon), decoded.slice(colon + 1))
        ? "everything"
        : "nothing";
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
