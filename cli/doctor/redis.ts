import { messageOf } from "../../local/problem.ts";
import { redisFacts, redisObjection } from "../../local/redis.ts";
import type { RedisFacts } from "../../local/redis.ts";
import { fail, ok, warn } from "./check.ts";
import type { Check } from "./check.ts";

export async function checkRedis(url: string): Promise<Check[]> {
  let facts: RedisFacts;
  try {
    facts = await redisFacts(url);
  } catch (error) {
    return [
      fail("redis", `It does not answer (${messageOf(error)}): start it, or correct REDIS_URL.`),
    ];
  }
  // Each objection on its own: the first one would hide the second.
  const age = redisObjection({ ...facts, policy: "noeviction" });
  const policy = redisObjection({ ...facts, version: "99.0" });
  return [
    age === undefined ? ok("redis", `It answers, version ${facts.version}.`) : fail("redis", age),
    policy === undefined
      ? ok("redis policy", "maxmemory-policy is noeviction.")
      : fail("redis policy", policy),
    facts.appendOnly
      ? ok("redis append-only file", "It is on.")
      : warn(
          "redis append-only file",
          "It is off, so a restart of Redis loses the calls in its queues: set appendonly yes (redis-cli config set appendonly yes).",
        ),
  ];
}
