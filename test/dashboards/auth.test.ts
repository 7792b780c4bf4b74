import { afterAll, beforeAll, expect, test } from "vitest";
import { localPath } from "../../dashboards/auth.ts";
import {
  basic,
  dashboards,
  eventually,
  metricsToken,
  password,
  redisServer,
  user,
} from "./services.ts";
import type { Dashboards, RedisServer } from "./services.ts";

let redis: RedisServer;
let board: Dashboards;

beforeAll(async () => {
  redis = await redisServer();
  await redis.start();
  board = await dashboards(redis.url);
});

afterAll(async () => {
  await board.app.close();
  await redis.stop();
});

const html = { accept: "text/html" };
const bearer = { authorization: `Bearer ${metricsToken}` };

function logIn(
  form: Record<string, string>,
  headers: Record<string, string> = {},
  url = board.url,
) {
  return fetch(`${url}/login`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: url, ...headers },
    body: new URLSearchParams(form),
  });
}

test("only health and the login are open", async () => {
  await eventually(async () => expect((await board.get("/health", {})).status).toBe(200));
  for (const path of ["/", "/find?id=svc_1", "/nowhere", "/queues", "/queues/static/nothing.js"]) {
    expect((await board.get(path, {})).status, path).toBe(401);
  }
  expect((await board.get("/queues/api/queues", {})).status).toBe(401);
  expect((await board.get("/queues/%61pi/queues", {})).status).toBe(401);
  const page = await board.get("/queues/queue/serp?status=failed", html);
  expect(page.status).toBe(303);
  expect(page.headers.get("location")).toBe(
    "/login?next=%2Fqueues%2Fqueue%2Fserp%3Fstatus%3Dfailed",
  );
});

test("a login opens everything, including Bull Board's API, and leads to the requested page", async () => {
  const done = await logIn({ user, password, next: "/queues/queue/serp" });
  expect(done.status).toBe(303);
  expect(done.headers.get("location")).toBe("/queues/queue/serp");
  const set = done.headers.get("set-cookie") ?? "";
  expect(set).toMatch(/HttpOnly; SameSite=Lax/);
  const cookie = set.split(";", 1)[0] as string;
  for (const path of ["/", "/queues", "/queues/api/queues", "/metrics"]) {
    expect((await board.get(path, { cookie })).status, path).toBe(200);
  }
  expect((await board.get("/", { cookie: `${cookie}x` })).status).toBe(401);
});

test("logging out takes the cookie away", async () => {
  const answer = await board.send("POST", "/logout");
  expect(answer.headers.get("set-cookie")).toMatch(/gateway_dashboards=; .*Max-Age=0/);
});

test("logging out ends the session in every browser, also after a restart", async () => {
  const sessions = [];
  for (let index = 0; index < 2; index += 1) {
    const done = await logIn({ user, password });
    sessions.push((done.headers.get("set-cookie") ?? "").split(";", 1)[0] as string);
  }
  const [one = "", other = ""] = sessions;
  expect((await board.get("/", { cookie: other })).status).toBe(200);
  await fetch(`${board.url}/logout`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie: one, origin: board.url },
  });
  const restarted = await dashboards(redis.url);
  for (const cookie of sessions) {
    expect((await board.get("/", { cookie })).status).toBe(401);
    await eventually(async () => expect((await restarted.get("/health", {})).status).toBe(200));
    expect((await restarted.get("/", { cookie })).status).toBe(401);
  }
  await restarted.app.close();
  const again = await logIn({ user, password });
  const cookie = (again.headers.get("set-cookie") ?? "").split(";", 1)[0] as string;
  expect((await board.get("/", { cookie })).status).toBe(200);
});

test("a logout ends the sessions of its own user only", async () => {
  const viewer = { user: "eye", password: "only reads here" };
  const both = await dashboards(redis.url, { viewer });
  const cookieOf = async (form: Record<string, string>) => {
    const done = await logIn(form, {}, both.url);
    return (done.headers.get("set-cookie") ?? "").split(";", 1)[0] as string;
  };
  const [operators, viewers] = [await cookieOf({ user, password }), await cookieOf(viewer)];
  await fetch(`${both.url}/logout`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie: viewers, origin: both.url },
  });
  expect((await both.get("/", { cookie: viewers })).status).toBe(401);
  expect((await both.get("/", { cookie: operators })).status).toBe(200);
  await both.app.close();
});

test("behind a trusted proxy wrong passwords lock out the address that sent them", async () => {
  const behind = await dashboards(redis.url, { trustedProxies: ["127.0.0.1"] });
  const from = (address: string, form: Record<string, string>) =>
    logIn(form, { "x-forwarded-for": address }, behind.url);
  for (let guess = 0; guess < 10; guess += 1)
    expect((await from("203.0.113.1", { user, password: "wrong" })).status).toBe(401);
  expect((await from("203.0.113.1", { user, password })).status).toBe(429);
  expect((await from("203.0.113.2", { user, password })).status).toBe(303);
  await behind.app.close();
});

test("the right password is not counted, however often it is given", async () => {
  for (let index = 0; index < 25; index += 1) {
    expect((await logIn({ user, password })).status).toBe(303);
    expect((await board.get("/metrics", bearer)).status).toBe(200);
    expect((await board.get("/", { authorization: basic })).status).toBe(200);
  }
});

test("the requested page is a path of this server", async () => {
  for (const next of [
    "/.//evil.example/",
    "/..//evil.example",
    "/%2e//evil.example",
    "/a/..//evil.example/x",
  ]) {
    const done = await logIn({ user, password, next });
    const location = done.headers.get("location") ?? "";
    expect(new URL(location, board.url).host, next).toBe(new URL(board.url).host);
  }
});

test("basic login works on every route, the token on the metrics only", async () => {
  expect((await board.get("/", { authorization: basic })).status).toBe(200);
  expect((await board.get("/metrics", bearer)).status).toBe(200);
  expect((await board.get("/", bearer)).status).toBe(401);
  expect((await board.get("/queues/api/queues", bearer)).status).toBe(401);
  const refused = await board.get("/metrics", {});
  expect(refused.status).toBe(401);
  expect(refused.headers.get("www-authenticate")).toMatch(/^Basic/);
});

test("only pages of this server may change anything or log in", async () => {
  const good = { user, password };
  expect((await logIn(good, { origin: "http://evil.example" })).status).toBe(403);
  expect((await logIn(good, { origin: "null" })).status).toBe(403);
  expect((await logIn(good, { "sec-fetch-site": "cross-site" })).status).toBe(403);
  const behindTls = { "x-forwarded-proto": "https" };
  expect((await logIn(good, behindTls)).status).toBe(403);
  const secure = board.url.replace("http:", "https:");
  expect((await logIn(good, { ...behindTls, origin: secure })).status).toBe(303);
  expect((await logIn(good, { origin: secure })).status).toBe(303);
  const foreign = await fetch(`${board.url}/logout`, {
    method: "POST",
    headers: { authorization: basic, "sec-fetch-site": "cross-site" },
  });
  expect(foreign.status).toBe(403);
});

test("every answer carries the security headers and may not be stored", async () => {
  for (const path of [
    "/",
    "/login",
    "/health",
    "/queues",
    "/queues/static/images/logo.svg",
    "/no",
  ]) {
    const { headers } = await board.get(path);
    expect(headers.get("cache-control"), path).toBe("no-store");
    expect(headers.get("x-content-type-options"), path).toBe("nosniff");
    expect(headers.get("x-frame-options"), path).toBe("DENY");
    expect(headers.get("content-security-policy"), path).toMatch(/frame-ancestors 'none'/);
    expect(headers.get("content-security-policy"), path).not.toMatch(
      /script-src (?!'self';)|unsafe-eval/,
    );
  }
});

test("the redirect after the login never leaves this server", () => {
  for (const next of [
    "//evil.example",
    "/\\evil.example",
    "https://evil.example",
    "evil",
    undefined,
  ]) {
    expect(localPath(next), next).toBe("/");
  }
  expect(localPath("/queues/queue/serp?status=failed")).toBe("/queues/queue/serp?status=failed");
});

test("guessing is slowed down, for the right password too, but not for a logged-in user", async () => {
  const done = await logIn({ user, password });
  const cookie = (done.headers.get("set-cookie") ?? "").split(";", 1)[0] as string;
  const answers = [];
  for (let guess = 0; guess < 12; guess++) {
    answers.push((await logIn({ user, password: `guess ${guess}` })).status);
  }
  expect(answers.filter((status) => status === 401).length).toBeGreaterThanOrEqual(9);
  expect(answers.at(-1)).toBe(429);
  const right = await logIn({ user, password });
  expect(right.status).toBe(429);
  expect(Number(right.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await board.get("/", { authorization: basic })).status).toBe(429);
  expect((await board.get("/", { cookie })).status).toBe(200);
});

test("a trusted proxy names its user: operators change things under their name, others only look", async () => {
  const proxyUsers = {
    header: "x-forwarded-email",
    operators: ["ada@example.org"],
    proxies: ["127.0.0.1"],
  };
  const behind = await dashboards(redis.url, { writable: true, proxyUsers });
  const as = (name: string) => ({ "x-forwarded-email": name });
  const page = await (await behind.get("/", as("ada@example.org"))).text();
  expect(page).toContain("ada@example.org, operator");
  expect(page).not.toContain("Log out");
  const post = (name: string, origin: string) =>
    fetch(`${behind.url}/api/controls`, { method: "POST", headers: { ...as(name), origin } });
  expect((await post("bob@example.org", behind.url)).status).toBe(403);
  expect((await post("ada@example.org", "http://evil.example")).status).toBe(403);
  // Past the login: there is no database here.
  expect((await post("ada@example.org", behind.url)).status).toBe(503);
  expect((await behind.get("/", {})).status).toBe(401);
  expect((await board.get("/", as("ada@example.org"))).status).toBe(401);
  await behind.app.close();
});
