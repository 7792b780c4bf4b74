import type { Redis } from "ioredis";
import { queuePrefix } from "../runtime/redis/keys.ts";
import type { Logouts } from "./auth.ts";
import { sessionSeconds } from "./login.ts";

/** Logouts of the previous release, which end the sessions of every user. */
const everyUser = `${queuePrefix}:dashboards:logged-out`;
const keyOf = (user: string) => `${everyUser}:${user}`;

/** Stores the last logouts in Redis, so that a restart keeps them. While Redis is away, this process's own values count. */
export function logoutsIn(redis: Redis): Logouts {
  const known = new Map<string, number>();
  const learn = (user: string, at: number) => {
    const last = Math.max(known.get(user) ?? 0, at);
    known.set(user, last);
    return last;
  };
  return {
    async last(user) {
      const stored = await redis.mget(everyUser, keyOf(user)).catch(() => []);
      return learn(user, Math.max(0, ...stored.map(Number)));
    },
    async note(user, at) {
      learn(user, at);
      await redis.set(keyOf(user), at, "EX", sessionSeconds).catch(() => undefined);
    },
  };
}
