import { expect, test } from "vitest";
import { createLogin, createThrottle, sessionCookie } from "../../dashboards/login.ts";

const credentials = { user: "op", password: "pass:word", metricsToken: "scraper" };
const login = createLogin(credentials);
const now = Date.UTC(2026, 6, 1);
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

test("only the right user with the right password", () => {
  expect(login.passwordMatches("op", "pass:word")).toBe(true);
  expect(login.passwordMatches("op", "pass:word ")).toBe(false);
  expect(login.passwordMatches("", "pass:word")).toBe(false);
});

test("a session holds for its time, whatever cookies stand around it", () => {
  const cookie = `a=b; ${sessionCookie}=${login.startSession(now)}; c=d`;
  expect(login.sessionIsValid(cookie, now + 11 * 3_600_000)).toBe(true);
  expect(login.sessionIsValid(cookie, now + 13 * 3_600_000)).toBe(false);
  expect(login.sessionIsValid(undefined, now)).toBe(false);
});

test("a session cannot be prolonged, forged or taken over a change of password", () => {
  const [, signature] = login.startSession(now).split(".");
  const later = `${sessionCookie}=${now + 10 ** 12}.${signature}`;
  expect(login.sessionIsValid(later, now)).toBe(false);
  expect(login.sessionIsValid(`${sessionCookie}=${now + 10 ** 9}.`, now)).toBe(false);
  const changed = createLogin({ ...credentials, password: "another" });
  const old = `${sessionCookie}=${login.startSession(now)}`;
  expect(changed.sessionIsValid(old, now)).toBe(false);
});

test("an Authorization header proves what it proves", () => {
  expect(login.headerGrants(undefined)).toBeUndefined();
  expect(login.headerGrants(basic("op:pass:word"))).toBe("everything");
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
