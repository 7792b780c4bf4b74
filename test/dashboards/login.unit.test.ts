import { expect, test } from "vitest";
import { isFrom, proxyUser } from "../../dashboards/proxy-user.ts";
import { hashPassword } from "../../dashboards/users.ts";
import { createLogin, createThrottle, sessionCookie } from "../../dashboards/login.ts";

const credentials = { user: "op", password: "pass:word", metricsToken: "scraper" };
const login = createLogin(credentials);
const now = Date.UTC(2026, 6, 1);
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

const quickHash = (password: string) => hashPassword(password, { log: 10, r: 8, p: 1 });

const session = async (from = login) => (await from.startSession("op", "pass:word", now)) as string;

test("only the right user with the right password", async () => {
  expect(await login.startSession("op", "pass:word", now)).toBeDefined();
  expect(await login.startSession("op", "pass:word ", now)).toBeUndefined();
  expect(await login.startSession("", "pass:word", now)).toBeUndefined();
});

test("a session is valid for its time, whatever cookies surround it", async () => {
  const cookie = `a=b; ${sessionCookie}=${await session()}; c=d`;
  expect(login.sessionOf(cookie, now + 11 * 3_600_000)).toEqual({ user: "op", role: "operator" });
  expect(login.sessionOf(cookie, now + 13 * 3_600_000)).toBeUndefined();
  expect(login.sessionOf(undefined, now)).toBeUndefined();
});

test("no more than three cookies of its name are read", async () => {
  const others = (count: number) => `${sessionCookie}=1.2; `.repeat(count);
  const valid = `${sessionCookie}=${await session()}`;
  expect(login.sessionOf(others(2) + valid, now)).toEqual({ user: "op", role: "operator" });
  expect(login.sessionOf(others(3) + valid, now)).toBeUndefined();
});

test("a session cannot be prolonged, forged or kept across a change of password", async () => {
  const [, signature] = (await session()).split(".");
  const later = `${sessionCookie}=${now + 10 ** 12}.${signature}`;
  expect(login.sessionOf(later, now)).toBeUndefined();
  expect(login.sessionOf(`${sessionCookie}=${now + 10 ** 9}.`, now)).toBeUndefined();
  const changed = createLogin({ ...credentials, password: "another" });
  expect(changed.sessionOf(`${sessionCookie}=${await session()}`, now)).toBeUndefined();
});

test("a viewer has a password and sessions of its own, and never those of an operator", async () => {
  const two = createLogin({ ...credentials, viewer: { user: "eye", password: "look-only" } });
  expect(await two.startSession("eye", "pass:word", now)).toBeUndefined();
  expect(await two.startSession("op", "look-only", now)).toBeUndefined();
  const cookie = `${sessionCookie}=${await two.startSession("eye", "look-only", now)}`;
  expect(two.sessionOf(cookie, now)).toEqual({ user: "eye", role: "viewer" });
  expect(two.sessionOf(`${sessionCookie}=${await session()}`, now)?.role).toBe("operator");
  expect(login.sessionOf(cookie, now)).toBeUndefined();
  expect(await two.headerGrants(basic("eye:look-only"))).toEqual({ user: "eye", role: "viewer" });
});

test("an Authorization header counts only with the right credentials", async () => {
  expect(await login.headerGrants(undefined)).toBeUndefined();
  expect(await login.headerGrants(basic("op:pass:word"))).toEqual({ user: "op", role: "operator" });
  expect(await login.headerGrants(basic("op:wrong"))).toBe("nothing");
  expect(await login.headerGrants(basic("op"))).toBe("nothing");
  expect(await login.headerGrants("Bearer scraper")).toBe("metrics");
  expect(await login.headerGrants("Bearer other")).toBe("nothing");
  const without = createLogin({ ...credentials, metricsToken: undefined });
  expect(await without.headerGrants("Bearer undefined")).toBe("nothing");
  expect(await without.headerGrants("Bearer ")).toBe("nothing");
});

test("ten wrong guesses, then one every six seconds, for that address only", () => {
  const throttle = createThrottle();
  for (let guess = 0; guess < 10; guess++) {
    expect(throttle.wait("a", now)).toBe(0);
    throttle.wrong("a", now);
  }
  expect(throttle.wait("a", now)).toBe(6);
  expect(throttle.wait("b", now)).toBe(0);
  expect(throttle.wait("a", now + 6_000)).toBe(0);
  throttle.wrong("a", now + 6_000);
  expect(throttle.wait("a", now + 6_000)).toBe(6);
  expect(throttle.wait("a", now + 600_000)).toBe(0);
});

test("the addresses of one owner of IPv6 share their guesses", () => {
  const throttle = createThrottle();
  for (let guess = 0; guess < 10; guess++) throttle.wrong(`2001:db8:1:2::${guess}`, now);
  expect(throttle.wait("2001:db8:1:2::a", now)).toBe(6);
  expect(throttle.wait("2001:db8:1:3::a", now)).toBe(0);
});

test("users by name have their own passwords, roles and sessions", async () => {
  const ada = { user: "ada", role: "operator" as const, hash: await quickHash("first key") };
  const bob = { user: "bob", role: "viewer" as const, hash: await quickHash("other key") };
  const team = createLogin({ ...credentials, users: [ada, bob] });
  expect(await team.headerGrants(basic("ada:first key"))).toEqual({
    user: "ada",
    role: "operator",
  });
  expect(await team.headerGrants(basic("bob:other key"))).toEqual({ user: "bob", role: "viewer" });
  for (const wrong of ["ada:other key", "bob:first key", "eve:first key", "ada:", "op:first key"])
    expect(await team.headerGrants(basic(wrong)), wrong).toBe("nothing");
  expect(await team.headerGrants(basic("op:pass:word"))).toEqual({ user: "op", role: "operator" });
  const cookie = `${sessionCookie}=${await team.startSession("bob", "other key", now)}`;
  expect(team.sessionOf(cookie, now)).toEqual({ user: "bob", role: "viewer" });
  const changed = { ...bob, hash: await quickHash("new key") };
  expect(createLogin({ ...credentials, users: [changed] }).sessionOf(cookie, now)).toBeUndefined();
  expect(login.sessionOf(cookie, now)).toBeUndefined();
});

test("a header names the user only on a connection from a trusted proxy", () => {
  const settings = {
    header: "x-forwarded-email",
    operators: ["Ada@example.org"],
    proxies: ["10.1.0.0/16", "fd00::7", "192.0.2.9"],
  };
  const from = (remoteAddress: string | undefined, headers: Record<string, string | string[]>) =>
    proxyUser({ socket: { remoteAddress }, headers } as never, settings);
  const named = { "x-forwarded-email": "ada@example.org" };
  const ada = { user: "ada@example.org", role: "operator", isProxied: true };
  expect(from("10.1.2.3", named)).toEqual(ada);
  expect(from("::ffff:10.1.2.3", named)).toEqual(ada);
  expect(from("fd00::7", { "x-forwarded-email": "bob@example.org" })).toMatchObject({
    role: "viewer",
  });
  for (const address of ["10.2.0.1", "fd00::8", "::1", "", undefined])
    expect(from(address, { ...named, "x-forwarded-for": "10.1.2.3" }), address).toBeUndefined();
  for (const value of ["", "ada@example.org, eve@example.org", "a b", "a:b", ["a", "b"]])
    expect(from("192.0.2.9", { "x-forwarded-email": value })).toBeUndefined();
  expect(from("192.0.2.9", { "x-forwarded-user": "ada@example.org" })).toBeUndefined();
  expect(proxyUser({ socket: {}, headers: named } as never, undefined)).toBeUndefined();
  expect(isFrom("10.1.2.3", ["nonsense", "10.1.2.3/99"])).toBe(false);
});
