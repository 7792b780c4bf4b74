import type { Redis } from "ioredis";
import { queuePrefix } from "../runtime/redis/keys.ts";
import type { Logouts } from "./auth.ts";
import { sessionSeconds } from "./login.ts";

const logoutKey = `${queuePrefix}:dashboards:logged-out`;

/** Stores the last logout in Redis, so that a restart keeps it. While Redis is away, this process's own value counts. */
export function logoutsIn(redis: Redis): Logouts {
  let known = 0;
  return {
    async last() {
      const stored = await redis.get(logoutKey).catch(() => null);
      known = Math.max(known, Number(stored ?? 0));
      return known;
    },
    async note(at) {
      known = Math.max(known, at);
      await redis.set(logoutKey, at, "EX", sessionSeconds).catch(() => undefined);
    },
  };
}
