import { messageOf } from "../../local/problem.ts";
import { type RedisFacts, redisObjection, redisWarning } from "../../runtime/redis/requirements.ts";
import { redisFacts } from "../../local/redis.ts";
import { fail, ok, warn } from "./check.ts";
import type { Check } from "./check.ts";

export async function checkRedis(url: string): Promise<Check[]> {
  let facts: RedisFacts;
  try {
    facts = await redisFacts(url);
  } catch (error) {
    return [
      fail("redis", `Redis does not answer (${messageOf(error)}): start it, or correct REDIS_URL.`),
    ];
  }
  // Each objection is checked alone, because the first would hide the second.
  const age = redisObjection({ ...facts, policy: "noeviction" });
  const policy = redisObjection({ ...facts, version: "99.0" });
  const warning = redisWarning(facts);
  return [
    age === undefined
      ? ok("redis", `Redis answers, version ${facts.version}.`)
      : fail("redis", age),
    policy === undefined
      ? ok("redis policy", "maxmemory-policy is noeviction.")
      : fail("redis policy", policy),
    warning === undefined
      ? ok("redis append-only file", "It is on.")
      : warn("redis append-only file", warning),
  ];
}
