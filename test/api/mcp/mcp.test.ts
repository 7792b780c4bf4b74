import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../../contract/index.ts";
import { Gateway, until } from "../../gateway.ts";
import { compileCache } from "../../process.ts";
import { type Version, agent, modes, use } from "./agent.ts";

/** The tools as agents use them: the official client, two API processes in turn, real calls. */

const root = fileURLToPath(new URL("../../..", import.meta.url));
let gateway: Gateway;
let key: string;
beforeAll(async () => {
  gateway = await Gateway.start({ pools: "social,serp" });
  await gateway.startApi();
  ({ key } = await gateway.key({ mode: "test", credits: 100_000 }));
});
afterAll(() => gateway?.stop());

const connect = (version: Version, bearer = key) => agent(gateway, bearer, { version });

describe.for(Object.keys(modes) as Version[])("revision %s", (version) => {
  test("an agent finds, reads and calls an operation, alternating between two processes", async () => {
    const client = await connect(version);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "find_operations",
      "describe_operation",
      "call_operation",
      "job_status",
      "account",
    ]);
    // About 4 characters of JSON are a token: below 1,500 tokens.
    expect(JSON.stringify(tools).length).toBeLessThan(5200);

    const { output: found } = await use(client, "find_operations", {
      query: "tiktok videos about tea",
    });
    expect(found.found?.[0]?.operation).toBe("shortclip.search");
    const operation = "shortclip.search";
    const { output: described } = await use(client, "describe_operation", { operation });
    expect(described.input?.q).toContain("required");

    const input = { q: "tea", limit: 10 };
    const { output: called } = await use(client, "call_operation", { operation, input });
    expect(called.billing?.credits_charged).toBe(10);
    expect(called.data).toHaveLength(10);

    const { output: account } = await use(client, "account", {});
    expect(account.data?.balance).toBe(called.billing?.balance_remaining);
    await client.close();
  });

  test("a long answer is cut to the requested size, and the rest of it is free", async () => {
    const client = await connect(version);
    const operation = "shortclip.search";
    const input = { q: "tea", limit: 20 };
    const cut = { max_chars: 1000, fields: ["id", "author.username"] };
    const first = await use(client, "call_operation", { operation, input, ...cut });
    const { job, shown, billing } = first.output;
    expect(first.output.rest).toContain(`from ${shown?.to}`);
    const ids = first.output.data?.map(({ id }) => id) ?? [];
    for (let from = shown?.to ?? 0; from < 20;) {
      const { output } = await use(client, "job_status", { job, from, ...cut });
      ids.push(...(output.data?.map(({ id }) => id) ?? []));
      from = output.shown?.to ?? Infinity;
    }
    expect(new Set(ids).size).toBe(20);
    expect(Object.keys(first.output.data?.[0] ?? {}).toSorted()).toEqual(["author", "id"]);
    const { output: account } = await use(client, "account", {});
    expect(account.data?.balance).toBe(billing?.balance_remaining);
    await client.close();
  });

  test("an agent can see the price first, and set a cap", async () => {
    const client = await connect(version);
    const { output: found } = await use(client, "find_operations", {
      query: "tiktok videos about tea",
    });
    expect(found.found?.[0]?.price).toMatch(/^1 credit per record/);
    const call = { operation: "shortclip.search", input: { q: "tea", limit: 10 } };
    const { output: before } = await use(client, "account", {});
    const { output: price } = await use(client, "call_operation", { ...call, dry_run: true });
    expect(price.data?.credits).toEqual({ least: 1, most: 10 });
    expect(price.job).toBeUndefined();
    const { output: capped } = await use(client, "call_operation", { ...call, max_credits: 4 });
    expect(capped.data).toHaveLength(4);
    expect(capped.billing?.credits_charged).toBe(4);
    const { output: after } = await use(client, "account", {});
    expect(after.data?.balance).toBe(Number(before.data?.balance) - 4);
    await client.close();
  });

  test("a call without waiting is a job", async () => {
    const client = await connect(version);
    const called = await use(client, "call_operation", {
      operation: "maps.search",
      input: { query: "coffee", location: "Chicago,Illinois,United States", limit: 3 },
      wait_seconds: 0,
    });
    const { job } = called.output;
    expect(job).toMatch(/^svc_/);
    const { output } = await use(client, "job_status", { job, wait_seconds: 30 });
    expect(output.billing?.credits_charged).toBeGreaterThan(0);
    await client.close();
  });

  test("errors name the next step", async () => {
    const client = await connect(version);
    const wrong = await use(client, "call_operation", { operation: "shortclip.search", input: {} });
    expect(wrong).toMatchObject({
      isError: true,
      output: { error: { type: "validation_error", issues: [{ path: "q" }] } },
    });
    expect(wrong.output.next).toContain("describe_operation");
    const unknown = await use(client, "describe_operation", { operation: "shortclip.serch" });
    expect(unknown.isError).toBe(true);
    expect(unknown.output.next).toContain("shortclip.");
    const nobody = await use(client, "job_status", { job: `svc_${"0".repeat(32)}` });
    expect(nobody).toMatchObject({ isError: true, output: { error: { type: "not_found" } } });
    await client.close();
  });

  test("an argument that no tool has, and fields of a crawl that begins, are refused before any cost", async () => {
    const client = await connect(version);
    const { output: before } = await use(client, "account", {});
    const call = { operation: "shortclip.search", input: { q: "tea", limit: 5 } };
    const wrong = {
      max_credit: [{ max_credit: 1 }, "unknown_field"],
      wait_seconds: [{ wait_seconds: "soon" }, "invalid_type"],
      fields: [{ fields: ["titel"] }, "unknown_member"],
    } as const;
    expect((await use(client, "call_operation", { ...call, fields: [] })).isError).toBe(true);
    // As a text of the query each would be a search, and cost.
    for (const q of [null, ["tea", "cake"], { word: "tea" }])
      expect(await use(client, "call_operation", { ...call, input: { q } })).toMatchObject({
        isError: true,
        output: { error: { issues: [{ in: "query", path: "q", message: "must be text" }] } },
      });
    for (const operation of ["shortclip.videos.get", "web.crawl.pages"])
      expect(await use(client, "call_operation", { operation, input: {} })).toMatchObject({
        isError: true,
        output: { error: { issues: [{ in: "path", code: "required", message: "is required" }] } },
      });
    for (const [path, [more, code]] of Object.entries(wrong))
      expect(await use(client, "call_operation", { ...call, ...more })).toMatchObject({
        isError: true,
        output: {
          error: {
            type: "validation_error",
            message: expect.stringContaining(`${path}: `) as string,
            request_id: expect.stringMatching(/^svc_/) as string,
            issues: [{ in: "body", path, code }],
          },
          next: expect.stringContaining("Correct ") as string,
        },
      });
    const crawl = { operation: "web.crawl", input: { url: "https://example.com/", limit: 2 } };
    const { output: cut } = await use(client, "call_operation", { ...crawl, fields: ["markdown"] });
    expect(cut.error).toMatchObject({ type: "validation_error" });
    const least = { ...crawl, input: { ...crawl.input, max_credits: 50 }, max_credits: 1 };
    const { output: price } = await use(client, "call_operation", { ...least, dry_run: true });
    expect(JSON.stringify(price.data)).toContain('"least":0,"most":1');
    const { output: after } = await use(client, "account", {});
    expect(after.data?.balance).toBe(before.data?.balance);
    await client.close();
  });

  test("without a valid key nothing is served", async () => {
    await expect(connect(version, "svc_test_wrong")).rejects.toThrow(/401|nauthorized|key/);
  });
});

test("requests from pages of other sites are refused, those from this machine and the operator's are not", async () => {
  const { url } = await gateway.startApi({ WEB_ORIGINS: "https://agent.example" });
  const ask = async (origin: string | undefined) => {
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(origin === undefined ? {} : { origin }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    await response.body?.cancel();
    return response.status;
  };
  expect(await ask("https://evil.example")).toBe(403);
  expect(await ask("null")).toBe(403);
  expect(await ask("https://agent.example")).toBe(200);
  expect(await ask("http://localhost:6274")).toBe(200);
  expect(await ask(undefined)).toBe(200);
});

// The protocol's own check copies each object several times: 100 ms for 19,000 names.
test("a message with too many names or too many requests is refused before it is checked", async () => {
  const crowd = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`k${index}`, 0]));
  const send = async (message: object) => {
    const response = await fetch(`${gateway.url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
      },
      body: JSON.stringify(message),
    });
    return [response.status, await response.text()] as const;
  };
  const call = (params: object) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const ask = (params: object) => send(call(params));
  // A hundred took 40 to 150 ms, for one call of the rate.
  const [many, why] = await send([call({ name: "account" }), call({ name: "account" })]);
  expect([many, why.includes("one message at a time")]).toEqual([400, true]);
  for (const more of [{ arguments: crowd }, { arguments: {}, _meta: crowd }]) {
    const [status, text] = await ask({ name: "account", ...more });
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: "2.0", error: { code: -32600 } });
  }
  // A fault of each icon was told: 4.6 MB of answer, 160 ms.
  const icons = Array.from({ length: 600 }, () => 0);
  const clientInfo = { name: "a", version: "1", icons };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const [large, told] = await send({ ...call(params), method: "initialize" });
  expect([large, told.includes("more than 500 values")]).toEqual([400, true]);
  const input = { targets: Array.from({ length: 600 }, () => "example.com") };
  const bulk = { operation: "seo.backlinks.bulk_ranks", input, dry_run: true };
  const [taken, price] = await ask({ name: "call_operation", arguments: bulk });
  expect([taken, price.includes("credits")]).toEqual([200, true]);
  const [status, text] = await ask({ name: "account", arguments: {} });
  expect([status, text.includes("balance")]).toEqual([200, true]);
});

test("the same tools over standard input and output", async () => {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [`${root}cli/main.ts`, "mcp"],
      env: {
        GATEWAY_KEY: key,
        GATEWAY_URL: gateway.url,
        PATH: process.env["PATH"] ?? "",
        NODE_COMPILE_CACHE: compileCache,
      },
      stderr: "inherit",
    }),
  );
  expect((await client.listTools()).tools).toHaveLength(5);
  const input = { q: "tea", limit: 2 };
  const { output } = await use(client, "call_operation", { operation: "shortclip.search", input });
  expect(output.data).toHaveLength(2);
  await client.close();
});

test("requests that an account holds open are limited, and a closed one is free again", async () => {
  const held = await gateway.key({ mode: "test", inFlight: 3 });
  const { url } = gateway;
  const send = (name: string, args: object, signal?: AbortSignal) =>
    fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${held.key}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: args },
      }),
      signal: signal ?? null,
    });
  const describe = () => send("describe_operation", { operation: "seo.serp" });
  const leaving = new AbortController();
  // No worker serves this pool, so the calls wait.
  const { example } = operations.get("seo.backlinks.list") ?? {};
  const wait = { operation: "seo.backlinks.list", input: example, wait_seconds: 60 };
  const waiting = Array.from({ length: 3 }, () =>
    send("call_operation", wait, leaving.signal).then((answer) => answer.text()),
  );
  const gone = Promise.allSettled(waiting);
  await until(async () => (await describe()).status === 429);
  const refused = await describe();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  leaving.abort();
  await gone;
  await until(async () => (await describe()).status === 200);
});
