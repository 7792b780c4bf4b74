import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { expect, test, vi } from "vitest";
import { callInput } from "../../../api/mcp/call.ts";
import { Evidence } from "../../../api/mcp/evidence.ts";
import type { Ask } from "../../../api/mcp/gateway.ts";
import { mcpServer } from "../../../api/mcp/server.ts";
import { use } from "./agent.ts";

/** Every request has a server of its own; what it is asked never needs the gateway here. */
async function asked<T>(
  question: (client: Client) => Promise<T>,
  server = mcpServer(() => Promise.reject(new Error("not to be asked"))),
): Promise<T> {
  const client = new Client({ name: "test", version: "1" });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([client.connect(here), server.connect(there)]);
  try {
    return await question(client);
  } finally {
    await client.close();
  }
}

test("the tools' inputs are converted once, whoever lists them", async () => {
  const { jsonSchema } = callInput["~standard"];
  const conversions = vi.spyOn(jsonSchema, "input");
  const lists = [];
  for (let turn = 0; turn < 5; turn += 1)
    lists.push(await asked((client) => client.listTools().then(({ tools }) => tools)));
  expect(conversions.mock.calls.length).toBeLessThanOrEqual(1);
  conversions.mockRestore();
  expect(new Set(lists.map((tools) => JSON.stringify(tools))).size).toBe(1);
  const { inputSchema } = lists[0]?.find(({ name }) => name === "call_operation") ?? {};
  expect(inputSchema).toEqual(jsonSchema.input({ target: "draft-2020-12" }));
});

test("a description reads the same from one server as from another", async () => {
  const operation = "shortclip.search";
  const ask = () => asked((client) => use(client, "describe_operation", { operation }));
  const [first, second] = [await ask(), await ask()];
  expect(second).toEqual(first);
  expect(first.output.input?.["q"]).toMatch(/^required string/);
});

test("servers of one gateway read its list of operations once, and again after a failure", async () => {
  const operation = "shortclip.search";
  const evidence = new Evidence();
  let reads = 0;
  const ask: Ask = async () => {
    reads += 1;
    if (reads === 1) throw new Error("The gateway is away");
    const entry = { id: operation, evidence: { summary: `read ${reads}` } };
    return { status: 200, body: { data: [entry] }, retryAfter: undefined };
  };
  const described = () =>
    asked((client) => use(client, "describe_operation", { operation }), mcpServer(ask, evidence));
  await described();
  for (let turn = 0; turn < 3; turn += 1)
    expect(JSON.stringify(await described())).toContain("read 2");
  expect(reads).toBe(2);
});

test("a cap below the least price is refused by the name of the argument", async () => {
  const call = { operation: "geo.serp", input: { query: "tea" }, max_credits: 9 };
  for (const more of [{}, { dry_run: true }]) {
    const { output, isError } = await asked((client) =>
      use(client, "call_operation", { ...call, ...more }),
    );
    expect(isError).toBe(true);
    const message = "the call costs at least 10 credits";
    expect(output.error).toMatchObject({
      type: "validation_error",
      message: `max_credits: ${message}`,
      issues: [{ in: "body", path: "max_credits", code: "too_small", message }],
    });
  }
});

test("params of a wrong form are invalid params, whatever the method", async () => {
  const server = mcpServer(() => Promise.reject(new Error("not to be asked")));
  const [here, there] = InMemoryTransport.createLinkedPair();
  const answers = new Map<unknown, { error?: { code: number } }>();
  here.onmessage = (message) => {
    if ("id" in message) answers.set(message.id, message as { error?: { code: number } });
  };
  await Promise.all([here.start(), server.connect(there)]);
  const asked = [
    ["initialize", { protocolVersion: 5 }],
    ["initialize", {}],
    ["tools/list", { cursor: 5 }],
    ["tools/call", {}],
    ["tools/call", { name: 5 }],
    ["tools/call", { name: "account", arguments: 5 }],
    ["tools/call", { name: "no_such_tool" }],
    ["tasks/get", {}],
    ["tasks/list", { cursor: 5 }],
  ] as const;
  for (const [id, [method, params]] of asked.entries())
    await here.send({ jsonrpc: "2.0", id, method, params });
  await expect.poll(() => answers.size).toBe(asked.length);
  const codes = asked.map(([method], id) => [method, answers.get(id)?.error?.code]);
  expect(codes).toEqual(asked.map(([method]) => [method, -32602]));
  await server.close();
});

test("a tool that can stop a job does not claim to read only", async () => {
  const { tools } = await asked((client) => client.listTools());
  const changing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true);
  expect(changing.map(({ name }) => name)).toEqual(["job_status"]);
});
