import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type ErrorEnvelope, Gateway, until } from "../gateway.ts";
import { dial, exchange, read } from "../raw.ts";

let gateway: Gateway;
let key: string;
let keyId: string;
beforeAll(async () => {
  gateway = await Gateway.start({ pools: "social" });
  ({ key, keyId } = await gateway.key({ mode: "test" }));
});
afterEach(async () => {
  expect(await gateway.violations()).toEqual([]);
});
afterAll(() => gateway.stop());

const version = "svc-version: 2026-07-01";

test("case 34: clients that drip their request are closed within 17 s", async () => {
  const heads = await Promise.all(Array.from({ length: 60 }, () => dial(gateway.url)));
  const bodies = await Promise.all(Array.from({ length: 60 }, () => dial(gateway.url)));
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
  }, 1000);
  const good = (async () => {
    const statuses: number[] = [];
    while (Date.now() - startedAt < 10_000) {
      statuses.push((await gateway.call(key, "GET", "/shortclip/search?q=good&limit=1")).status);
      await sleep(100);
    }
    return statuses;
  })();
  const answers = await Promise.all(
    [...heads, ...bodies].map((socket) => read(socket, startedAt, 25_000)),
  );
  clearInterval(drip);
  for (const answer of answers) {
    expect(answer.closedAfter).toBeLessThan(18_500);
    expect(answer.status).toBe(408);
    expect(answer.headers).toContain(version);
    expect((JSON.parse(answer.body) as ErrorEnvelope).error.type).toBe("validation_error");
  }
  expect(new Set(await good)).toEqual(new Set([200]));
}, 60_000);

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
};

test.each(Object.keys(smuggled))(
  "case 35: %s is refused in the envelope and ends the connection",
  async (name) => {
    const answer = await exchange(gateway.url, (smuggled[name] as string).replaceAll("KEY", key));
    expect(answer.status, answer.headers).toBe(400);
    expect(answer.headers.toLowerCase()).toContain("connection: close");
    expect(answer.headers).toContain(version);
    expect((JSON.parse(answer.body) as ErrorEnvelope).error.type).toBe("validation_error");
    // The hidden request would have been answered with the account.
    expect(answer.body).not.toContain("balance");
    expect(answer.body).not.toContain("HTTP/1.1");
  },
);

test("case 36: odd input gets the right type and status", async () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}/browser/html`, {
      method: "POST",
      body,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    });
  const get = (path: string, init: RequestInit = {}) =>
    fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${key}` }, ...init });
  const url = '"url":"https://example.com/"';
  const cases: [string, Promise<Response>, number, string][] = [
    ["__proto__", post(`{${url},"__proto__":{"a":1}}`), 400, "validation_error"],
    ["escaped __proto__", post(`{${url},"\\u005f_proto__":1}`), 400, "validation_error"],
    ["constructor", post(`{${url},"constructor":{"prototype":{}}}`), 400, "validation_error"],
    [
      "deep",
      post(`{${url},"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
      400,
      "validation_error",
    ],
    ["not JSON", post("{url:1}"), 400, "validation_error"],
    ["array", post("[]"), 400, "validation_error"],
    ["empty", post(""), 400, "validation_error"],
    ["gzip", post("{}", { "content-encoding": "gzip" }), 415, "validation_error"],
    ["text", post("{}", { "content-type": "text/plain" }), 415, "validation_error"],
    ["large", post(`{${url},"x":"${"x".repeat(300_000)}"}`), 413, "validation_error"],
    ["unknown field", post(`{${url},"foo":1}`), 400, "validation_error"],
    ["wrong method", get("/browser/html"), 405, "validation_error"],
    ["HEAD", get("/shortclip/search?q=x", { method: "HEAD" }), 405, ""],
    ["unknown path", get("/nothing"), 404, "not_found"],
    ["malformed escape", get("/%zz"), 400, "validation_error"],
    ["unknown query", get("/shortclip/search?q=x&foo=1"), 400, "validation_error"],
    ["twice", get("/shortclip/search?q=x&q=y"), 400, "validation_error"],
    ["empty number", get("/shortclip/search?q=x&limit="), 400, "validation_error"],
    ["hex number", get("/shortclip/search?q=x&limit=0x10"), 400, "validation_error"],
    [
      "old version",
      get("/shortclip/search?q=x", {
        headers: { authorization: `Bearer ${key}`, "svc-version": "2020-01-01" },
      }),
      400,
      "validation_error",
    ],
  ];
  for (const [name, pending, status, type] of cases) {
    const response = await pending;
    expect(response.status, name).toBe(status);
    expect(response.headers.get("svc-version"), name).toBe("2026-07-01");
    expect(response.headers.get("svc-request-id"), name).toMatch(/^svc_/);
    if (type === "") continue;
    const body = (await response.json()) as ErrorEnvelope;
    expect(body.error.type, name).toBe(type);
    if (type === "validation_error") expect(body.error.issues?.length, name).toBeGreaterThan(0);
    if (name === "wrong method") expect(response.headers.get("allow")).toBe("POST");
  }
});

test("case 36: headers without number or measure, CONNECT, upgrades and Expect", async () => {
  const head = `GET /account HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`;
  const many = await exchange(
    gateway.url,
    `${head}${"a: 1\r\n".repeat(2001)}Connection: close\r\n\r\n`,
  );
  expect(many.status).toBe(431);
  const large = await exchange(gateway.url, `${head}a: ${"x".repeat(40_000)}\r\n\r\n`);
  expect(large.status).toBe(431);
  const connected = await exchange(
    gateway.url,
    "CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n",
  );
  expect(connected.status).toBe(405);
  const upgraded = await exchange(
    gateway.url,
    `${head}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  );
  expect(upgraded.status).toBe(400);
  const expecting = await exchange(gateway.url, `${head}Expect: something\r\n\r\n`);
  expect(expecting.status).toBe(417);
  for (const answer of [many, large, connected, upgraded, expecting]) {
    expect(answer.headers).toContain(version);
    expect((JSON.parse(answer.body) as ErrorEnvelope).error.type).toBe("validation_error");
  }
});

test("case 37: every refusal of a key has one body, and revocation is felt within a second", async () => {
  const [prefix, mode, id, secret] = key.split("_") as [string, string, string, string];
  const swapped = secret.startsWith("a") ? `b${secret.slice(1)}` : `a${secret.slice(1)}`;
  const revoked = await gateway.key({ mode: "test" });
  expect((await gateway.call(revoked.key, "GET", "/account")).status).toBe(200);
  await gateway.db.sql`update api_keys set revoked_at = now() where id = ${revoked.keyId}`;
  const revokedAt = Date.now();
  await until(
    async () => (await gateway.call(revoked.key, "GET", "/account")).status === 401,
    3000,
  );
  expect(Date.now() - revokedAt).toBeLessThan(1500);

  const bodies = new Set<string>();
  const headers = [
    undefined,
    "Basic abc",
    `Token ${key}`,
    "Bearer",
    "Bearer nonsense",
    `Bearer ${prefix}_${mode}_${id}_${swapped}`,
    `Bearer ${revoked.key}`,
  ];
  for (const authorization of headers) {
    const response = await fetch(`${gateway.url}/account`, {
      headers: authorization === undefined ? {} : { authorization },
    });
    expect(response.status, authorization).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    const body = (await response.json()) as ErrorEnvelope;
    bodies.add(JSON.stringify({ ...body.error, request_id: "" }));
  }
  expect(bodies.size).toBe(1);
  expect((await gateway.call(undefined, "GET", "/no/such/path")).status).toBe(401);
  expect((await gateway.call(key, "GET", "/account")).status).toBe(200);
  expect(keyId).toBe(id);
});

test("the gateway's own endpoints answer", async () => {
  expect((await gateway.call(undefined, "GET", "/health/live")).status).toBe(200);
  const account = await gateway.call<{ data: { mode: string; balance: number } }>(
    key,
    "GET",
    "/account",
  );
  expect(account.body.data).toMatchObject({ mode: "test", limits: { requests_in_flight: 10_000 } });
  const catalogue = await gateway.call<{ data: { id: string }[] }>(key, "GET", "/operations");
  expect(catalogue.body.data.map((op) => op.id)).toContain("shortclip.search");
  const document = await gateway.call<{ openapi: string; info: { version: string } }>(
    undefined,
    "GET",
    "/openapi.json",
  );
  expect(document.body.info.version).toBe("2026-07-01");
});

test("usage is told by day and operation, as JSON and as CSV", async () => {
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
