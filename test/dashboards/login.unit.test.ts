import { expect, test } from "vitest";
import { createLogin, createThrottle, sessionCookie } from "../../dashboards/login.ts";

const credentials = { user: "op", password: "pass:word", metricsToken: "scraper" };
const login = createLogin(credentials);
const now = Date.UTC(2026, 6, 1);
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

const session = (from = login) => from.startSession("op", "pass:word", now) as string;

test("only the right user with the right password", () => {
  expect(login.startSession("op", "pass:word", now)).toBeDefined();
  expect(login.startSession("op", "pass:word ", now)).toBeUndefined();
  expect(login.startSession("", "pass:word", now)).toBeUndefined();
});

test("a session is valid for its time, whatever cookies surround it", () => {
  const cookie = `a=b; ${sessionCookie}=${session()}; c=d`;
  expect(login.sessionOf(cookie, now + 11 * 3_600_000)).toEqual({ user: "op", role: "operator" });
  expect(login.sessionOf(cookie, now + 13 * 3_600_000)).toBeUndefined();
  expect(login.sessionOf(undefined, now)).toBeUndefined();
});

test("no more than three cookies of its name are read", () => {
  const others = (count: number) => `${sessionCookie}=1.2; `.repeat(count);
  const valid = `${sessionCookie}=${session()}`;
  expect(login.sessionOf(others(2) + valid, now)).toEqual({ user: "op", role: "operator" });
  expect(login.sessionOf(others(3) + valid, now)).toBeUndefined();
});

test("a session cannot be prolonged, forged or kept across a change of password", () => {
  const [, signature] = session().split(".");
  const later = `${sessionCookie}=${now + 10 ** 12}.${signature}`;
  expect(login.sessionOf(later, now)).toBeUndefined();
  expect(login.sessionOf(`${sessionCookie}=${now + 10 ** 9}.`, now)).toBeUndefined();
  const changed = createLogin({ ...credentials, password: "another" });
  expect(changed.sessionOf(`${sessionCookie}=${session()}`, now)).toBeUndefined();
});

test("a viewer has a password and sessions of its own, and never those of an operator", () => {
  const two = createLogin({ ...credentials, viewer: { user: "eye", password: "look-only" } });
  expect(two.startSession("eye", "pass:word", now)).toBeUndefined();
  expect(two.startSession("op", "look-only", now)).toBeUndefined();
  const cookie = `${sessionCookie}=${two.startSession("eye", "look-only", now)}`;
  expect(two.sessionOf(cookie, now)).toEqual({ user: "eye", role: "viewer" });
  expect(two.sessionOf(`${sessionCookie}=${session()}`, now)?.role).toBe("operator");
  expect(login.sessionOf(cookie, now)).toBeUndefined();
  expect(two.headerGrants(basic("eye:look-only"))).toEqual({ user: "eye", role: "viewer" });
});

test("an Authorization header counts only with the right credentials", () => {
  expect(login.headerGrants(undefined)).toBeUndefined();
  expect(login.headerGrants(basic("op:pass:word"))).toEqual({ user: "op", role: "operator" });
  expect(login.headerGrants(basic("op:wrong"))).toBe("nothing");
  expect(login.headerGrants(basic("op"))).toBe("nothing");
  expect(login.headerGrants("Bearer scraper")).toBe("metrics");
  expect(login.headerGrants("Bearer other")).toBe("nothing");
  const without = createLogin({ ...credentials, metricsToken: undefined });
  expect(without.headerGrants("Bearer undefined")).toBe("nothing");
  expect(without.headerGrants("Bearer ")).toBe("nothing");
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
