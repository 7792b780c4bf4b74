import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { mostPipelined } from "../../api/edge/one-at-a-time.ts";
import { operations } from "../../contract/index.ts";
import { type ErrorEnvelope, Gateway, until } from "../gateway.ts";
import { besideMs } from "./full.ts";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await Gateway.start({ pools: "serp" });
});
afterEach(async () => {
  expect(await gateway.violations()).toEqual([]);
});
afterAll(() => gateway.stop());

const megabytes4 = 4 * 1024 * 1024 - 100;
const post = (key: string, path: string, body: string) =>
  fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body,
  });

/** The slowest answer of /health/live while `until` is pending. */
async function slowestHealth(until: Promise<unknown>): Promise<number> {
  let over = false;
  void until.then(() => (over = true));
  let slowest = 0;
  while (!over) {
    const startedAt = performance.now();
    expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200);
    slowest = Math.max(slowest, performance.now() - startedAt);
    await sleep(5);
  }
  return slowest;
}

/** Resident memory of the API process in megabytes. */
async function residentMegabytes(): Promise<number> {
  const { readFile } = await import("node:fs/promises");
  const { pid } = gateway.apis[0]?.process.child ?? {};
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "VmRSS: 0 kB");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

const crowd = (piece: string, bytes: number) =>
  `${piece},`.repeat(Math.floor(bytes / (piece.length + 1))).slice(0, -1);
const names = (count: number) =>
  Array.from({ length: count }, (_, index) => `"k${index}":0`).join(",");

test("case 40: bodies of a million values block nothing", async () => {
  const { key } = await gateway.key({ mode: "test" });
  const bodies = {
    "1.39 million empty conditions": `{"filters":{"and":[${crowd("{}", megabytes4 - 30)}]}}`,
    "330,000 unknown names": `{${names(330_000)}}`,
    "60,000 empty conditions": `{"filters":{"and":[${crowd("{ }", 250_000)}]}}`,
    "6,000 unknown names": `{${names(6_000)}}`,
    "6,000 empty conditions": `{"filters":{"and":[${crowd("{}", 18_000)}]}}`,
  };
  const before = await residentMegabytes();
  const slowest: Record<string, number> = {};
  for (const [what, body] of Object.entries(bodies)) {
    const answers = Promise.all(
      Array.from({ length: 8 }, () => post(key, "/geo/mentions/search", body)),
    );
    slowest[what] = Math.round(await slowestHealth(answers));
    for (const answer of await answers) {
      expect(answer.status, what).toBe(400);
      const { error } = (await answer.json()) as ErrorEnvelope;
      expect(error.type).toBe("validation_error");
      expect(error.issues?.length).toBeLessThanOrEqual(50);
    }
  }
  const grown = (await residentMegabytes()) - before;
  console.log("case 40: slowest health in ms", slowest, `${Math.round(grown)} MB more`);
  // Without the bound one body of the first kind blocks the process for 12 s and takes 3.5 GB.
  expect(Math.max(...Object.values(slowest))).toBeLessThan(1500 + besideMs / 2);
  expect(grown).toBeLessThan(400);
});

// One of them ended the process: each of 19,000 faults was told with a path of two megabytes.
test("case 40: a long name above texts that are none is refused at every door", async () => {
  const { key } = await gateway.key({ mode: "test" });
  const texts = `[${crowd(String.raw`"\ud800"`, 19_000 * 9)}]`;
  const named = (characters: number) => `{"${"a".repeat(characters)}":${texts}}`;
  const call = { custom_id: "a", operation: "geo.mentions.search", input: "INPUT" };
  const item = JSON.stringify(call).replace('"INPUT"', named(2_000_000));
  const tool = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "call_operation", arguments: { operation: call.operation, input: "INPUT" } },
  });
  const doors = [
    ["/geo/mentions/search", named(2_000_000), ""],
    ["/browser/html", named(50_000), ""],
    ["/webhooks", named(50_000), ""],
    ["/batches", `{"items":[${item}]}`, "items[0].input."],
    ["/mcp", tool.replace('"INPUT"', named(50_000)), "params.arguments.input."],
  ] as const;
  const before = await residentMegabytes();
  for (const [path, body, place] of doors) {
    const startedAt = performance.now();
    const asked = post(key, path, body);
    const health = await slowestHealth(asked);
    const answer = await asked;
    const ms = performance.now() - startedAt;
    expect(answer.status, path).toBe(400);
    const { error } = (await answer.json()) as ErrorEnvelope;
    const code = "too_long";
    expect(error.issues, path).toMatchObject([{ path: place + "a".repeat(200), code }]);
    expect(Math.max(ms, health), path).toBeLessThan(2000 + besideMs / 2);
  }
  expect((await residentMegabytes()) - before).toBeLessThan(400);
  expect(gateway.apis[0]?.process.child.exitCode).toBeNull();
});

test("case 41: invalid calls and the gateway's own endpoints have the rate too", async () => {
  const valid = JSON.stringify({ keyword: "a" });
  /** So low that every machine sends sixty calls faster than this rate would allow. */
  const rate = 2;
  const requests = {
    "invalid calls": (key: string) => post(key, "/geo/mentions/search", "{}"),
    "no JSON at all": (key: string) => post(key, "/geo/mentions/search", "{"),
    "a wrong header": (key: string) =>
      fetch(`${gateway.url}/account`, {
        headers: { authorization: `Bearer ${key}`, "svc-version": "1999-01-01" },
      }),
    "no such path": (key: string) => post(key, "/no/such/path", valid),
    ...Object.fromEntries(
      ["/account", "/account/usage", "/operations"].map((path) => [
        path,
        (key: string) =>
          fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${key}` } }),
      ]),
    ),
  };
  for (const [what, ask] of Object.entries(requests)) {
    const { key, accountId } = await gateway.key({ mode: "test", rate, inFlight: 5 });
    const second = await gateway.secondKey(accountId, "test");
    const startedAt = Date.now();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => ask(index % 2 ? key : second)),
    );
    const seconds = (Date.now() - startedAt) / 1000;
    const refused = answers.filter(({ status }) => status === 429);
    // Both keys together: up to one second's burst of calls.
    expect(60 - refused.length, what).toBeLessThanOrEqual(1 + rate + rate * seconds);
    expect(60 - refused.length, what).toBeGreaterThanOrEqual(rate);
    for (const answer of refused) {
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      expect(answer.headers.get("ratelimit")).toContain("r=0");
    }
    const { error } = (await (refused[0] as Response).json()) as ErrorEnvelope;
    expect(error.type).toBe("rate_limited");
  }
});

test("case 41: refused bodies have a rate of bytes, and short ones are still served", async () => {
  const [many, other] = [await gateway.key({ mode: "test" }), await gateway.key({ mode: "test" })];
  const body = `{"filters":{"x":"${"x".repeat(megabytes4 - 100)}"}}`;
  const statuses: number[] = [];
  const startedAt = Date.now();
  for (let sent = 0; sent < 30; sent += 1)
    statuses.push((await post(many.key, "/geo/mentions/search", body)).status);
  const seconds = (Date.now() - startedAt) / 1000;
  expect(statuses.slice(0, 16)).toEqual(Array(16).fill(400));
  // 64 MiB at once, then 4 MiB a second, and the body that leaves the debt, counted in whole units of 64 KiB.
  const read = statuses.filter((status) => status === 400).length;
  const most = (1024 + 64 * seconds) / Math.floor(body.length / (64 * 1024)) + 1;
  expect(read).toBeLessThanOrEqual(most);
  expect(statuses.filter((status) => status === 429).length).toBe(30 - read);
  expect((await post(many.key, "/geo/mentions/search", "{}")).status).toBe(400);
  expect((await post(other.key, "/geo/mentions/search", body)).status).toBe(400);
});

test("case 41: a replay counts like any call", async () => {
  const rate = 2;
  const { key } = await gateway.key({ mode: "test", rate });
  const { example } = operations.get("geo.mentions.search") ?? {};
  const ask = () =>
    gateway.call<ErrorEnvelope>(key, "POST", "/geo/mentions/search", {
      body: example,
      headers: { "idempotency-key": "again" },
    });
  await until(async () => (await ask()).headers.has("idempotency-replayed"));
  const startedAt = Date.now();
  const answers = await Promise.all(Array.from({ length: 60 }, ask));
  const seconds = (Date.now() - startedAt) / 1000;
  const refused = answers.filter(({ status }) => status === 429);
  expect(60 - refused.length).toBeLessThanOrEqual(1 + rate + rate * seconds);
  expect(new Set(refused.map(({ body }) => body.error.type))).toEqual(new Set(["rate_limited"]));
  for (const { status, headers } of answers)
    if (status !== 429)
      expect([status, headers.get("idempotency-replayed")]).toEqual([200, "true"]);
});

test("case 41: a call beyond the rate is refused before its body is read", async () => {
  const { key } = await gateway.key({ mode: "test", rate: 1 });
  const { dial, read } = await import("../raw.ts");
  const head = `POST /geo/mentions/search HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\n`;
  // A second later a call is within the rate again, so its body is read.
  await until(async () => {
    await post(key, "/geo/mentions/search", "{}");
    const socket = await dial(gateway.url);
    socket.write(`${head}\r\n{"filters":`);
    return (await read(socket, Date.now(), 2000)).status === 429;
  });
});

test("case 41: an address that sends invalid keys is turned away, unless it has sent a valid one", async () => {
  const { key } = await gateway.key({ mode: "test" });
  const own = () =>
    fetch(`${gateway.url}/account`, { headers: { authorization: `Bearer ${key}` } });
  expect((await own()).status).toBe(200);
  const lines = () => gateway.apis[0]?.process.log().match(/"status":(401|429),"ms"/g)?.length ?? 0;
  const [before, startedAt] = [lines(), Date.now()];
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, index) =>
      fetch(`${gateway.url}/account`, { headers: { authorization: `Bearer nonsense${index}` } }),
    ),
  );
  const seconds = (Date.now() - startedAt) / 1000;
  expect(lines() - before).toBeLessThanOrEqual(11 + 10 * seconds);
  const counts = Map.groupBy(answers, ({ status }) => status);
  expect(new Set(counts.keys())).toEqual(new Set([401, 429]));
  expect(counts.get(429)?.length).toBeGreaterThan(100);
  expect(Number(counts.get(429)?.[0]?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  await sleep(1000);
  expect((await own()).status).toBe(200);
});

test("case 41: usage reports take turns on a connection of their own", async () => {
  const [many, other] = [
    await gateway.key({ mode: "test", rate: 100 }),
    await gateway.key({ mode: "test" }),
  ];
  const ended: string[] = [];
  const report = (name: string, key: string) =>
    gateway.call<ErrorEnvelope>(key, "GET", "/account/usage").then((answer) => {
      if (answer.status === 200) ended.push(name);
      return answer;
    });
  const { sql } = gateway.db;
  const waiting = async (count: number) => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from pg_locks where relation = 'usage_days'::regclass and not granted`;
    return row?.count === count;
  };
  /** While it is held, no report ends; Postgres grants locks in the order of their requests. */
  const hold = () => {
    const [held, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const done = sql.begin(async (own) => {
      await own`lock table usage_days in access exclusive mode`;
      held.resolve();
      await over.promise;
    });
    const end = () => {
      over.resolve();
      return done;
    };
    return { held: held.promise, end };
  };
  const first = hold();
  await first.held;
  let refused = 0;
  const reports = Array.from({ length: 40 }, () =>
    report("many", many.key).then((answer) => {
      if (answer.status === 429) refused += 1;
      return answer;
    }),
  );
  await until(() => refused === 35);
  const late = report("other", other.key);
  // Six reports would have taken every connection.
  const startedAt = Date.now();
  for (let count = 0; count < 5; count += 1)
    expect((await gateway.call(other.key, "GET", "/account")).status).toBe(200);
  expect(Date.now() - startedAt).toBeLessThan(1000 + besideMs / 4);
  await until(() => waiting(1));
  // One report ends between two locks.
  const second = hold();
  await until(() => waiting(2));
  await first.end();
  await second.held;
  await until(() => waiting(1));
  const third = hold();
  await until(() => waiting(2));
  await second.end();
  await third.held;
  expect((await late).status).toBe(200);
  expect(ended).toEqual(["many", "other"]);
  await third.end();
  const answers = await Promise.all(reports);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
});

test("case 41: a refused key closes its connection, and requests behind it are not served", async () => {
  const { dial, read } = await import("../raw.ts");
  const asked = () =>
    gateway.apis[0]?.process.log().match(/"operation":"other","status":401/g)?.length ?? 0;
  const before = asked();
  const socket = await dial(gateway.url);
  let text = "";
  socket.on("data", (part: Buffer | string) => (text += part.toString()));
  const request = "GET /account HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer nonsense\r\n\r\n";
  socket.write(request.repeat(mostPipelined));
  await read(socket, Date.now(), 60_000);
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual([expect.stringMatching(/401|429/)]);
  expect(text).toMatch(/\r\nconnection: close\r\n/i);
  expect(asked() - before).toBeLessThanOrEqual(1);
});
