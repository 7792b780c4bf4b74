import { expect, test } from "vitest";
import { redisAddress, redisPrefix, redisUrl } from "../../../runtime/redis/address.ts";
import { databaseUrl } from "../../../runtime/database-url.ts";

test("one server", () => {
  for (const url of ["redis://127.0.0.1:6379", "rediss://:secret@redis.example/2"])
    expect(redisAddress(url)).toEqual({ kind: "single", url });
});

test("the server that Sentinels name", () => {
  expect(redisAddress("redis+sentinel://a:1,b,[::1]:3/mymaster")).toEqual({
    kind: "sentinel",
    nodes: [
      { host: "a", port: 1 },
      { host: "b", port: 26_379 },
      { host: "::1", port: 3 },
    ],
    name: "mymaster",
    db: 0,
    tls: false,
    sentinelLogin: {},
  });
  expect(
    redisAddress("rediss+sentinel://me:p%40ss:x@a/my%20name/3?sentinel_password=other"),
  ).toEqual({
    kind: "sentinel",
    nodes: [{ host: "a", port: 26_379 }],
    username: "me",
    password: "p@ss:x",
    name: "my name",
    db: 3,
    tls: true,
    sentinelLogin: { password: "other" },
  });
});

test("nodes of a cluster", () => {
  expect(redisAddress("redis+cluster://:secret@10.0.0.1:7000,10.0.0.2")).toEqual({
    kind: "cluster",
    nodes: [
      { host: "10.0.0.1", port: 7000 },
      { host: "10.0.0.2", port: 6379 },
    ],
    password: "secret",
    tls: false,
  });
});

test.each([
  "",
  "http://a:1",
  "redis+sentinel://a:1,b:2",
  "redis+sentinel://a:1,,b:2/name",
  "redis+sentinel://a:99999/name",
  "redis+cluster://",
  "redis+cluster://a b:1",
  "redis+cluster://a:1/3",
  "redis+ring://a:1",
])("%j is refused as an address", (url) => {
  expect(redisAddress(url)).toBeUndefined();
  expect(redisUrl.safeParse(url).success).toBe(false);
});

test("all keys of a cluster are on one node", () => {
  expect(redisPrefix({ REDIS_URL: "redis://a" })).toBe("gateway");
  expect(redisPrefix({ REDIS_URL: "redis+sentinel://a/b" })).toBe("gateway");
  expect(redisPrefix({ REDIS_URL: "redis+cluster://a" })).toBe("{gateway}");
  expect(redisPrefix({ REDIS_URL: "redis+cluster://a", REDIS_PREFIX: "{other}" })).toBe("{other}");
  // The address did not come from the environment, from which key names are derived.
  const { error } = redisUrl.safeParse("redis+cluster://a");
  expect(error?.issues[0]?.message).toMatch(/REDIS_PREFIX must be in braces/);
});

test("several hosts of a database", () => {
  for (const url of [
    "postgres://a/b",
    "postgresql://user:p%2Cw@a:1/b",
    "postgres://user:password@a:5432,b:5433,c/name?target_session_attrs=read-write",
  ])
    expect(databaseUrl.safeParse(url).success, url).toBe(true);
  for (const url of ["", "mysql://a/b", "postgres:// a,b/c", "a,b"])
    expect(databaseUrl.safeParse(url).success, url).toBe(false);
});
