import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { operations } from "../../contract/index.ts";
import { pathParameters } from "../../contract/operation.ts";
import { type Envelope, type ErrorEnvelope, Gateway } from "../gateway.ts";
import { exchange } from "../raw.ts";

let gateway: Gateway;
let key: string;
beforeAll(async () => {
  gateway = await Gateway.start({ pools: "social" });
  // A thousand requests of one account as fast as they are answered.
  ({ key } = await gateway.key({ mode: "test", rate: 10_000 }));
});
afterEach(async () => {
  expect(await gateway.violations()).toEqual([]);
});
afterAll(() => gateway.stop());

const version = "svc-version: 2026-07-01";

test("case 36: odd input gets the right type and status", async () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}/browser/html`, {
      method: "POST",
      body,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    });
  const backlinks = (filters: string) =>
    fetch(`${gateway.url}/seo/backlinks/list`, {
      method: "POST",
      body: `{"target":"example.com","filters":${filters}}`,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    });
  const condition = '{"field":"rank","op":">","value":1}';
  const get = (path: string, init: RequestInit = {}) =>
    fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${key}` }, ...init });
  const url = '"url":"https://example.com/"';
  const cases: [string, Promise<Response>, number, string][] = [
    ["empty part of a host", post(`{"url":"http://a..b/"}`), 400, "validation_error"],
    ["host that begins with a dot", post(`{"url":"http://.a.b/"}`), 400, "validation_error"],
    ["__proto__", post(`{${url},"__proto__":{"a":1}}`), 400, "validation_error"],
    ["escaped __proto__", post(`{${url},"\\u005f_proto__":1}`), 400, "validation_error"],
    ["constructor", post(`{${url},"constructor":{"prototype":{}}}`), 400, "validation_error"],
    [
      "deep",
      post(`{${url},"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
      400,
      "validation_error",
    ],
    [
      "100,000-deep filter",
      backlinks(`${'{"and":['.repeat(100_000)}${"]}".repeat(100_000)}`),
      413,
      "validation_error",
    ],
    [
      "filter too deep for its size",
      backlinks(`${"[".repeat(100_000)}${"]".repeat(100_000)}`),
      400,
      "validation_error",
    ],
    [
      "9 conditions",
      backlinks(`{"and":[${Array<string>(9).fill(condition).join(",")}]}`),
      400,
      "validation_error",
    ],
    ["NUL in an id", get("/cnblog/posts/%00"), 400, "invalid_id"],
    ["NUL within an id", get("/cnblog/posts/12%0034"), 400, "invalid_id"],
    ["slash in an id", get("/cnblog/posts/..%2f..%2faccount"), 400, "invalid_id"],
    ["id of 2,000 characters", get(`/cnblog/posts/${"1".repeat(2000)}`), 400, "invalid_id"],
    ["path of 20,000 characters", get(`/cnblog/posts/${"1".repeat(20_000)}`), 431, ""],
    ["number beyond measure", post(`{${url},"timeout_ms":1e999}`), 400, "validation_error"],
    ["not JSON", post("{url:1}"), 400, "validation_error"],
    ["array", post("[]"), 400, "validation_error"],
    ["empty", post(""), 400, "validation_error"],
    ["gzip", post("{}", { "content-encoding": "gzip" }), 415, "validation_error"],
    ["text", post("{}", { "content-type": "text/plain" }), 415, "validation_error"],
    ["large", post(`{${url},"x":"${"x".repeat(300_000)}"}`), 413, "validation_error"],
    ["unknown field", post(`{${url},"foo":1}`), 400, "validation_error"],
    ["wrong method", get("/browser/html"), 405, "validation_error"],
    ["HEAD of a POST", get("/browser/html", { method: "HEAD" }), 405, ""],
    ["NUL alone", get("/shortclip/search?q=%00"), 400, "validation_error"],
    ["NUL in a text of a list", backlinks('["rank",">","a\\u0000"]'), 400, "validation_error"],
    ["a member twice", post(`{${url},${url}}`), 400, "validation_error"],
    ["Latin-1", post(`{${url}}`, { "content-type": "application/json; charset=Latin1" }), 415, ""],
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

test("NUL, a member given twice and another charset are named", async () => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const issueOf = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(gateway.url + path, { headers, ...init });
    return ((await answer.json()) as ErrorEnvelope).error.issues?.[0];
  };
  const nul = { code: "invalid_text", message: "must not contain U+0000" };
  expect(await issueOf("/shortclip/search?q=%00")).toMatchObject({
    ...nul,
    in: "query",
    path: "q",
  });
  const body = JSON.stringify({
    target: "example.com",
    filters: { field: "a", op: "=", value: ["\0"] },
  });
  const listed = await issueOf("/seo/backlinks/list", { method: "POST", body });
  expect(listed).toMatchObject({ in: "body" });
  const twice = await issueOf("/browser/html", { method: "POST", body: '{"url":"a","url":"b"}' });
  expect(twice).toMatchObject({ in: "body", path: "url", code: "duplicate" });
  for (const path of ["/browser/html", "/batches", "/webhooks"]) {
    const type = { ...headers, "content-type": 'application/json; charset="iso-8859-1"' };
    const latin = await issueOf(path, { method: "POST", body: "{}", headers: type });
    expect(latin, path).toMatchObject({ in: "header", path: "Content-Type" });
    expect(latin?.message, path).toContain("iso-8859-1");
  }
  for (const charset of ["utf-8", '"UTF-8"', "utf8"]) {
    const type = { ...headers, "content-type": `application/json; charset=${charset}` };
    const taken = await issueOf("/browser/html", { method: "POST", body: "{}", headers: type });
    expect(taken?.path, charset).toBe("url");
  }
});

test("415 names every media type that the path takes", async () => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "text/csv" };
  for (const [path, types] of [
    ["/browser/html", "application/json"],
    [
      "/batches",
      "application/json or application/x-ndjson or application/ndjson or application/jsonl",
    ],
  ]) {
    const answer = await fetch(`${gateway.url}${path}`, { method: "POST", body: "x", headers });
    expect(answer.status).toBe(415);
    const { error } = (await answer.json()) as ErrorEnvelope;
    expect(error.message).toBe(`Content-Type: must be ${types}`);
  }
});

test("a body where none is read is refused, and a form's type without a body is ignored", async () => {
  const send = (start: string, headers: string, body = "") =>
    exchange(
      gateway.url,
      `${start} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n${headers}\r\n${body}`,
    );
  for (const start of [
    "GET /shortclip/search?q=x",
    "GET /account",
    "DELETE /jobs/svc_x",
    "GET /health/live",
  ]) {
    for (const [headers, body] of [
      ["Content-Length: 11\r\nContent-Type: application/json\r\n", '{"limit":1}'],
      ["Transfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n"],
    ] as const) {
      const refused = await send(start, headers, body);
      expect(refused.status, start).toBe(400);
      const { error } = JSON.parse(refused.body) as ErrorEnvelope;
      expect(error.issues, start).toMatchObject([{ in: "body", path: "", code: "unexpected" }]);
    }
  }
  const empty = "Content-Length: 0\r\n";
  expect((await send("GET /account", empty)).status).toBe(200);
  const form = `${empty}Content-Type: application/x-www-form-urlencoded\r\n`;
  expect((await send("POST /webhooks/direct/rotate-secret", form)).status).toBe(200);
  const posted = JSON.parse((await send("POST /browser/html", form)).body) as ErrorEnvelope;
  expect(posted.error.message).toBe("body: a JSON object is required");
});

test("headers without an effect on the gateway's own endpoints are refused", async () => {
  const cases: ["GET" | "POST" | "PATCH" | "DELETE", string, Record<string, string>][] = [
    ["GET", "/account", { "Svc-Fields": "mode" }],
    ["GET", "/operations", { "Svc-Dry-Run": "true" }],
    ["GET", "/account/usage", { Prefer: "respond-async" }],
    ["GET", "/jobs", { "Svc-Test-Scenario": "slow" }],
    ["GET", "/batches", { "Svc-Max-Credits": "5" }],
    ["POST", "/jobs", { Prefer: "wait=3" }],
    ["POST", "/jobs", { "Svc-Webhook-Url": "https://example.com/" }],
    ["POST", "/webhooks", { "Svc-Fields": "id" }],
    ["PATCH", "/account", { "Svc-Dry-Run": "true" }],
    ["DELETE", "/jobs/svc_x", { Prefer: "respond-async" }],
  ];
  for (const [method, path, headers] of cases) {
    const body = method === "POST" || method === "PATCH" ? { body: {} } : {};
    const answer = await gateway.call<ErrorEnvelope>(key, method, path, { headers, ...body });
    expect(answer.status, path).toBe(400);
    const [name] = Object.keys(headers);
    expect(answer.body.error.issues, path).toMatchObject([{ path: name, code: "not_a_call" }]);
  }
  for (const headers of [{ Prefer: "return=minimal" }, { "Svc-Dry-Run": "false" }])
    expect((await gateway.call(key, "GET", "/account", { headers })).status).toBe(200);
});

test("HEAD is answered where GET is, and runs nothing", async () => {
  const caller = await gateway.key({ mode: "test" });
  const head = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}${path}`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${caller.key}`, ...headers },
    });
  for (const path of [
    "/account",
    "/operations",
    "/openapi.json",
    "/docs",
    "/docs/try",
    "/llms.txt",
  ]) {
    const answer = await head(path);
    expect(answer.status, path).toBe(200);
    expect(answer.headers.get("svc-request-id"), path).toMatch(/^svc_/);
    expect(await answer.text(), path).toBe("");
  }
  const priced = await head("/shortclip/search?q=x", { "Idempotency-Key": "head" });
  expect(priced.status).toBe(200);
  expect(priced.headers.get("svc-dry-run")).toBe("true");
  expect(await priced.text()).toBe("");
  expect((await head("/shortclip/search")).status).toBe(400);
  expect((await head(`/jobs/svc_${"0".repeat(32)}`)).status).toBe(404);
  expect((await head("/nothing")).status).toBe(404);
  const account = await gateway.call<Envelope<{ balance: number }>>(caller.key, "GET", "/account");
  expect(account.body.data.balance).toBe(1000);
  const { status, headers } = await gateway.call(
    caller.key,
    "GET",
    "/shortclip/search?q=x&limit=1",
    {
      headers: { "Idempotency-Key": "head" },
    },
  );
  expect(status).toBe(200);
  expect(headers.get("idempotency-replayed")).toBeNull();
});

/** Sent unchanged, because the client's own URL would be normalised. */
test.each(["%2e%2e", "..", ".", "%2e", "..%2f..%2faccount", "1%2f2", "%00", "%252e%252e", "1;2"])(
  "case 36: an id of %s is refused",
  async (id) => {
    for (const path of [`/cnblog/posts/${id}`, `/cnblog/posts/${id}/comments`]) {
      const answer = await exchange(
        gateway.url,
        `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer.status, path).toBe(400);
      expect((JSON.parse(answer.body) as ErrorEnvelope).error.type).toBe("invalid_id");
    }
  },
);

const withPath = [...operations.values()].filter((op) => pathParameters(op.path).length > 0);

test("case 36: no path lets a folder, a separator or a control character through", async () => {
  const refused = ["..", ".", "%2e", "%2E%2e", "a%2fb", "%00", "12%e2%80%ae34", "12%0d%0a34"];
  const paths = withPath.flatMap((op) => {
    const [name] = pathParameters(op.path);
    const filled = (id: string) =>
      op.path
        .replace(`{${name}}`, id)
        .replace(/\{(\w+)\}/g, (_all, other: string) =>
          String((op.example as Record<string, unknown>)[other]),
        );
    const inQuery = Object.entries(op.example as object).filter(
      ([field]) => !pathParameters(op.path).includes(field),
    );
    const query = new URLSearchParams(inQuery.map(([field, value]) => [field, String(value)]));
    return refused.map((id) => `${filled(id)}?${query.toString()}`);
  });
  expect(paths.length).toBeGreaterThan(900);
  const answers = await Promise.all(
    Array.from({ length: 8 }, async (_, lane) => {
      const wrong: string[] = [];
      for (const path of paths.filter((_path, at) => at % 8 === lane)) {
        const answer = await exchange(
          gateway.url,
          `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
        );
        const { error } = JSON.parse(answer.body) as ErrorEnvelope;
        // A path with a closed list of words refuses other words as such.
        const expected = path.includes("/stories/") ? "validation_error" : "invalid_id";
        if (answer.status !== 400 || error.type !== expected) wrong.push(`${path} ${answer.body}`);
      }
      return wrong;
    }),
  );
  expect(answers.flat()).toEqual([]);
});

test("case 36: invalid text is reported at its field and never charged", async () => {
  const own = await gateway.key({ mode: "test", credits: 100, rate: 10_000 });
  const auth = `Host: x\r\nAuthorization: Bearer ${own.key}\r\nConnection: close\r\n`;
  const post = (path: string, body: string) =>
    `POST ${path} HTTP/1.1\r\n${auth}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const get = (path: string) => `GET ${path} HTTP/1.1\r\n${auth}\r\n`;
  const cases: [request: string, place: object][] = [
    [post("/news/search", '{"query":"caf\xe9"}'), { in: "body", path: "query" }],
    [post("/news/search", '{"query":"\\ud83d"}'), { in: "body", path: "query" }],
    [post("/news/search", '{"query":"x","\\udc00":1}'), { in: "body", path: "\ufffd" }],
    [get("/shortclip/search?q=caf%E9&limit=3"), { in: "query", path: "q" }],
    [get("/shortclip/search?q=%ED%A0%BD"), { in: "query", path: "q" }],
    [get("/shortclip/search?q=x&%FF=1"), { in: "query", path: "\ufffd" }],
    [get("/shortclip/hashtags/caf%E9"), { in: "path", path: "tag" }],
    [get("/shortclip/hashtags/caf%E9/videos"), { in: "path", path: "tag" }],
    [get("/shortclip/hashtags/%zz"), { in: "path", path: "tag" }],
    [get("/jobs/%zz"), { in: "path", path: "request_id" }],
    [get("/batches/%zz"), { in: "path", path: "id" }],
    [get("/batches/%ff/results"), { in: "path", path: "id" }],
    [get("/webhooks/%zz/deliveries"), { in: "path", path: "id" }],
    [get("/nowhere/%ff"), { in: "path", path: "" }],
    [get("/account/usage?from=%ff"), { in: "query", path: "from" }],
  ];
  for (const [request, place] of cases) {
    const answer = await exchange(gateway.url, request);
    expect(answer.status, request).toBe(400);
    const { error } = JSON.parse(answer.body) as ErrorEnvelope;
    expect(error.type, request).toBe("validation_error");
    expect(error.issues, request).toMatchObject([place]);
  }
  expect(await gateway.balance(own.accountId, "test")).toEqual({ balance: 100, held: 0 });
});

test("case 36: one fault is reported once", async () => {
  const issues = async (method: "GET" | "POST", path: string, body?: unknown) =>
    (await gateway.call<ErrorEnvelope>(key, method, path, { body })).body.error.issues;
  expect(await issues("GET", "/shortclip/search?q=a&q=b")).toMatchObject([
    { in: "query", path: "q", code: "duplicate" },
  ]);
  expect(await issues("POST", "/browser/html", { url: "" })).toMatchObject([
    { in: "body", path: "url" },
  ]);
  expect(await issues("GET", "/shortclip/resolve/video-id?url=")).toMatchObject([
    { in: "query", path: "url" },
  ]);
});

test("case 36: too many or too large headers, CONNECT, upgrades and Expect", async () => {
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
