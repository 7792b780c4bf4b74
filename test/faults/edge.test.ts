import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { build } from "../../runtime/build.ts";
import { type Envelope, type ErrorEnvelope, Gateway, until } from "../gateway.ts";
import { dial, exchange, firstAnswer, read } from "../raw.ts";
import { besideMs, full } from "./full.ts";
import { percentile } from "./traffic.ts";

/** Limit of a body, and the time after which a slow client is gone. */
const [bodyMs, goneMs] = full ? [15_000, 17_000] : [3000, 4000];

let gateway: Gateway;
let key: string;
beforeAll(async () => {
  gateway = await Gateway.start({ pools: "social", shorter: full ? [] : ["requests"] });
  ({ key } = await gateway.key({ mode: "test" }));
});
afterEach(async () => {
  expect(await gateway.violations()).toEqual([]);
});
afterAll(() => gateway.stop());

const version = "svc-version: 2026-07-01";

/** Submits a batch over a slow line: its body takes longer than any other request's may. */
async function slowBatch(batchKey: string): Promise<string> {
  const lines = Array.from({ length: 7 }, (_, index) =>
    JSON.stringify({
      custom_id: `slow-${index}`,
      operation: "shortclip.search",
      input: { q: `slow ${index}`, limit: 1 },
    }),
  );
  const socket = await dial(gateway.url);
  const answer = read(socket, Date.now(), 90_000);
  socket.write(
    `POST /batches HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${batchKey}\r\nConnection: close\r\n` +
      `Content-Type: application/x-ndjson\r\nContent-Length: ${lines.join("\n").length + 1}\r\n\r\n`,
  );
  for (const line of lines) {
    await sleep(bodyMs / 6);
    socket.write(`${line}\n`);
  }
  const { status, body } = await answer;
  expect(status, body).toBe(202);
  return (JSON.parse(body) as Envelope<{ id: string }>).data.id;
}

test(`case 34: clients that drip their request are closed within ${goneMs / 1000} s and hinder no other`, async () => {
  const each = full ? 500 : 60;
  // The slow clients use up the rate of their own account.
  const other = await gateway.key({ mode: "test" });
  const goodCall = async () => {
    const from = Date.now();
    const { status } = await gateway.call(other.key, "GET", "/shortclip/search?q=good&limit=1");
    return { status, ms: Date.now() - from };
  };
  const goodFor = async (ms: number, goesOn = () => false) => {
    const calls: { status: number; ms: number }[] = [];
    const end = Date.now() + ms;
    while (Date.now() < end || goesOn()) {
      calls.push(await goodCall());
      await sleep(20);
    }
    return calls;
  };
  const before = await goodFor(full ? 3000 : 1000);
  const open = async () => {
    const sockets: Socket[] = [];
    while (sockets.length < each) {
      sockets.push(...(await Promise.all(Array.from({ length: 20 }, () => dial(gateway.url)))));
    }
    return sockets;
  };
  const heads = await open();
  const bodies = await open();
  const startedAt = Date.now();
  for (const socket of bodies) {
    socket.write(
      `POST /browser/html HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
        "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n",
    );
  }
  const text = "GET /shortclip/search?q=slow HTTP/1.1\r\nHost: x\r\n";
  let sent = 0;
  const drip = setInterval(() => {
    for (const socket of heads)
      if (socket.writable) socket.write(text[sent % text.length] as string);
    for (const socket of bodies) if (socket.writable) socket.write(" ");
    sent += 1;
  }, bodyMs / 15);
  let areGone = false;
  // A slow machine takes longer to close them, and answers fewer calls a second.
  const good = goodFor(bodyMs, () => !areGone);
  const batch = slowBatch(other.key);
  const answers = await Promise.all(
    [...heads, ...bodies].map((socket) => read(socket, startedAt, 60_000)),
  );
  areGone = true;
  clearInterval(drip);
  const during = await good;
  const submitted = await batch;
  const slowest = Math.max(...answers.map(({ closedAfter }) => closedAfter));
  const [usual, meanwhile] = [before, during].map((calls) =>
    percentile(
      calls.map(({ ms }) => ms),
      0.99,
    ),
  );
  console.log(
    `case 34: ${answers.length} slow clients, the last closed after ${slowest} ms; p99 of good calls ${meanwhile} ms, without them ${usual} ms`,
  );
  expect(slowest).toBeLessThanOrEqual(goneMs + 500 + besideMs);
  for (const answer of answers) {
    expect(answer.status).toBe(408);
    expect(answer.headers).toContain(version);
    expect((JSON.parse(answer.body) as ErrorEnvelope).error.type).toBe("validation_error");
  }
  expect(during.filter(({ status }) => status !== 200)).toEqual([]);
  expect(during.length).toBeGreaterThan(full ? 100 : 2);
  const lines = await gateway.results(other.key, submitted, "?follow=true");
  expect(lines.map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => 200));
});

const hidden = `GET /account HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\n\r\n`;
const smuggled: Record<string, string> = {
  "Content-Length with Transfer-Encoding": `POST /browser/html HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
  "two Content-Length": `POST /browser/html HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 70\r\n\r\n${hidden}`,
  "odd Transfer-Encoding": `POST /browser/html HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n${hidden}`,
  "space before the colon": `GET /account HTTP/1.1\r\nHost: x\r\nContent-Length : 5\r\n\r\n${hidden}`,
  "bare line feeds": `GET /account HTTP/1.1\nHost: x\n\n${hidden}`,
  "folded header": `GET /account HTTP/1.1\r\nHost: x\r\nX-Odd: a\r\n b\r\n\r\n${hidden}`,
  "no Host": `GET /account HTTP/1.1\r\nAuthorization: Bearer KEY\r\n\r\n${hidden}`,
  "two Hosts": `GET /account HTTP/1.1\r\nHost: x\r\nHost: y\r\nAuthorization: Bearer KEY\r\n\r\n${hidden}`,
  "two Hosts of HTTP/1.0": `GET /account HTTP/1.0\r\nHost: x\r\nHost: x\r\nAuthorization: Bearer KEY\r\n\r\n`,
  ...Object.fromEntries(
    ["a b", "a/b", "user@a", "a:b", "[::1", "a,b:1:2", "a?b", "é", "a\\b", "%zz"].map((host) => [
      `the Host ${host}`,
      `GET /account HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer KEY\r\n\r\n${hidden}`,
    ]),
  ),
};

test.each(Object.keys(smuggled))(
  "case 35: %s is refused in the envelope and ends the connection",
  async (name) => {
    const answer = await exchange(gateway.url, (smuggled[name] as string).replaceAll("KEY", key));
    expect(answer.status, answer.headers).toBe(400);
    expect(answer.headers.toLowerCase()).toContain("connection: close");
    expect(answer.headers).toContain(version);
    expect((JSON.parse(answer.body) as ErrorEnvelope).error.type).toBe("validation_error");
    // The hidden request would have returned the account.
    expect(answer.body).not.toContain("balance");
    expect(answer.body).not.toContain("HTTP/1.1");
  },
);

test("a Host with a port, an address or nothing is taken", async () => {
  for (const host of ["a_b.example:8080", "[::1]:3000", "192.0.2.1", "a%20b", "a:", ""]) {
    const request = `GET /account HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    expect((await firstAnswer(gateway.url, request)).status, host).toBe(200);
  }
});

test("an offer to speak HTTP/2 is ignored, a WebSocket is refused", async () => {
  const head = (method: string, path: string) =>
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`;
  // The upgrade that Java's client and `curl --http2` send.
  const offer =
    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n";
  const got = await firstAnswer(gateway.url, `${head("GET", "/account")}${offer}\r\n`);
  expect(got.status).toBe(200);
  expect(got.headers).toContain(version);
  const body = '{"url":"x"}';
  const posted = await firstAnswer(
    gateway.url,
    `${head("POST", "/browser/html")}${offer}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  expect((JSON.parse(posted.body) as ErrorEnvelope).error.issues).toMatchObject([{ path: "url" }]);
  for (const upgrade of ["websocket", "WebSocket", "h2c, websocket"]) {
    const answer = await exchange(
      gateway.url,
      `${head("GET", "/account")}Connection: Upgrade\r\nUpgrade: ${upgrade}\r\n\r\n`,
    );
    expect(answer.status, upgrade).toBe(400);
    expect(answer.headers.toLowerCase()).toContain("connection: close");
    expect((JSON.parse(answer.body) as ErrorEnvelope).error.issues).toMatchObject([
      { in: "header", path: "Upgrade" },
    ]);
  }
});

test("two Authorization headers are refused, whichever is valid", async () => {
  const other = "Authorization: Bearer svc_test_other\r\n";
  const good = `Authorization: Bearer ${key}\r\n`;
  for (const pair of [good + other, other + good, good + good]) {
    const answer = await exchange(
      gateway.url,
      `GET /account HTTP/1.1\r\nHost: x\r\n${pair}Connection: close\r\n\r\n`,
    );
    expect(answer.status).toBe(400);
    expect((JSON.parse(answer.body) as ErrorEnvelope).error.issues).toMatchObject([
      { in: "header", path: "Authorization" },
    ]);
  }
});

test("own endpoints refuse unknown parameters", async () => {
  for (const path of ["/account", "/operations", "/account/usage"]) {
    const answer = await gateway.call<ErrorEnvelope>(key, "GET", `${path}?foo=1`);
    expect(answer.status, path).toBe(400);
    expect(answer.body.error.issues, path).toMatchObject([{ in: "query", path: "foo" }]);
  }
});

test("years outside the database's range are refused with the bounds", async () => {
  for (const query of ["from=0000-01-01", "to=0001-01-01", "to=9999-12-31", "from=2026-02-30"]) {
    const answer = await gateway.call<ErrorEnvelope>(key, "GET", `/account/usage?${query}`);
    expect(answer.status, query).toBe(400);
    expect(answer.body.error.message, query).toContain("from 2000-01-01 to 2099-12-31");
  }
  for (const query of ["from=2000-01-01&to=2099-12-31", "to=2000-01-01", "from=2099-12-31"]) {
    expect((await gateway.call(key, "GET", `/account/usage?${query}`)).status, query).toBe(200);
  }
});

test("every answer to a test key is marked as one", async () => {
  const calls: ["GET" | "POST", string, unknown?][] = [
    ["GET", "/account"],
    ["GET", "/account/usage?format=csv"],
    ["GET", "/operations"],
    ["GET", "/account?foo=1"],
    ["GET", "/nothing"],
    ["GET", "/browser/html"],
    ["GET", "/cnblog/posts/x"],
    ["GET", "/shortclip/search?q=x&limit=1"],
    ["POST", "/browser/html", {}],
    ["POST", "/browser/html", { url: "x".repeat(300_000) }],
  ];
  const live = await gateway.key({ mode: "live" });
  for (const [method, path, body] of calls) {
    const answer = await gateway.call(key, method, path, { body });
    expect(answer.headers.get("svc-mode"), `${method} ${path}`).toBe("test");
    const other = await gateway.call(live.key, method, path, { body });
    expect(other.headers.get("svc-mode"), `${method} ${path}`).toBeNull();
  }
  const wrongVersion = await gateway.call(key, "GET", "/account", {
    headers: { "Svc-Version": "2020-01-01" },
  });
  expect(wrongVersion.headers.get("svc-mode")).toBe("test");
});

test("Allow names each method once, and health answers HEAD", async () => {
  const headers = { authorization: `Bearer ${key}` };
  for (const [path, allowed] of [
    ["/microblog/users/by", "GET, HEAD"],
    ["/microblog/posts/search/recent", "GET, HEAD"],
    ["/browser/html", "POST"],
    ["/health/live", "GET, HEAD"],
    ["/account", "GET, HEAD, PATCH"],
  ]) {
    const answer = await fetch(`${gateway.url}${path}`, { method: "DELETE", headers });
    expect(answer.status, path).toBe(405);
    expect(answer.headers.get("allow"), path).toBe(allowed);
  }
  for (const path of ["/health/live", "/health/ready"]) {
    const answer = await fetch(`${gateway.url}${path}`, { method: "HEAD" });
    expect(answer.status, path).toBe(200);
    expect(answer.headers.get("svc-version")).toBe("2026-07-01");
    expect(await answer.text()).toBe("");
  }
});

test("the gateway's own endpoints answer", async () => {
  expect((await gateway.call(undefined, "GET", "/health/live")).status).toBe(200);
  const ready = await gateway.call<{ since: string }>(undefined, "GET", "/health/ready");
  expect(ready.body).toMatchObject({ status: "ready", ...build });
  expect(Math.abs(Date.now() - Date.parse(ready.body.since))).toBeLessThan(3_600_000);
  const account = await gateway.call<{ data: { mode: string; balance: number } }>(
    key,
    "GET",
    "/account",
  );
  expect(account.body.data).toMatchObject({ mode: "test", limits: { requests_in_flight: 20 } });
  const catalogue = await gateway.call<{
    data: { id: string; asynchronous?: true }[];
  }>(key, "GET", "/operations");
  expect(catalogue.body.data.map((op) => op.id)).toContain("shortclip.search");
  expect(catalogue.body.data.filter(({ asynchronous }) => asynchronous)).toMatchObject([
    { id: "web.crawl", method: "POST", path: "/web/crawl" },
  ]);
  const document = await gateway.call<{ openapi: string; info: { version: string } }>(
    undefined,
    "GET",
    "/openapi.json",
  );
  expect(document.body.info.version).toBe("2026-07-01");
});

test("usage is listed by day and operation, as JSON and as CSV", async () => {
  const { key: own } = await gateway.key({ mode: "test", credits: 100 });
  await gateway.call(own, "GET", "/shortclip/search?q=used&limit=3");
  await until(async () => {
    const answer = await gateway.call<{
      data: { operation: string; credits: number; calls: number }[];
    }>(own, "GET", "/account/usage");
    return answer.body.data.some(
      (row) => row.operation === "shortclip.search" && row.credits === 3 && row.calls === 1,
    );
  });
  const csv = await gateway.call(own, "GET", "/account/usage?format=csv");
  expect(csv.headers.get("content-type")).toContain("text/csv");
  expect(csv.text).toMatch(
    /^day,area,operation,calls,errors,credits,records\r\n\d{4}-\d\d-\d\d,shortclip,shortclip\.search,1,0,3,3\r\n$/,
  );
  const wrong = await gateway.call<ErrorEnvelope>(
    own,
    "GET",
    "/account/usage?from=2026-13-01&to=x&foo=1",
  );
  expect(wrong.status).toBe(400);
  expect(wrong.body.error.issues?.map((issue) => issue.path).toSorted()).toEqual([
    "foo",
    "from",
    "to",
  ]);
});
