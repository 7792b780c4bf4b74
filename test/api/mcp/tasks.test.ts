import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { audit } from "../../../db/audit.ts";
import { Gateway, until } from "../../gateway.ts";
import { compileCache } from "../../process.ts";
import { ask, caller, submit, inState, serp, unserved } from "../jobs/caller.ts";
import { agent, extension, rpc, outputOf, use } from "./agent.ts";

/** Calls without waiting, as tasks of either revision; requests alternate between API processes. */

let gateway: Gateway;
beforeAll(async () => {
  gateway = await Gateway.start({ pools: "social,serp,seo" });
  await gateway.startApi();
});
afterEach(async () => {
  expect(await audit(gateway.db)).toEqual([]);
});
afterAll(() => gateway?.stop());

/** While all workers are stopped, no call can end. */
async function held<T>(body: () => Promise<T>): Promise<T> {
  const worker = gateway.workers[0]?.child;
  worker?.kill("SIGSTOP");
  try {
    return await body();
  } finally {
    worker?.kill("SIGCONT");
  }
}

/**
 * A call that a worker has begun and that cannot end while it is held; its credits are set aside.
 */
async function begun(key: string): Promise<string> {
  for (;;) {
    const { body } = await submit(gateway, key, { scenario: "slow" });
    const { request_id: id } = body.data;
    const states = ["running", "succeeded"] as const;
    await inState(gateway, key, id, states);
    gateway.workers[0]?.child.kill("SIGSTOP");
    if ((await inState(gateway, key, id, states)).state === "running") return id;
    gateway.workers[0]?.child.kill("SIGCONT");
  }
}

const day = 24 * 60 * 60 * 1000;
const search = { operation: "shortclip.search", input: { q: "tea", limit: 20 } };
/** No worker of these tests serves its pool. */
const waiting = { operation: "browser.markdown", input: unserved.body };
const nobody = `svc_${"0".repeat(32)}`;
const task = z.looseObject({
  taskId: z.string(),
  status: z.enum(["working", "completed", "failed", "cancelled"]),
  statusMessage: z.string(),
  createdAt: z.iso.datetime(),
  lastUpdatedAt: z.iso.datetime(),
});
const old = task.extend({ ttl: z.literal(day), pollInterval: z.int().min(1000) });
const result = z.looseObject({
  content: z.array(z.unknown()),
  isError: z.boolean().optional(),
  _meta: z.looseObject({}).optional(),
});

describe("revision 2025-11-25", () => {
  const created = z.looseObject({ task: old });
  const listed = z.looseObject({ tasks: z.array(old), nextCursor: z.string().optional() });

  async function tasks(key: string) {
    const client = await agent(gateway, key, { version: "2025-11-25" });
    const one = <T extends z.ZodType>(method: string, params: object, schema: T) =>
      client.request({ method, params: { ...params } }, schema);
    return {
      client,
      create: async (args: object, name = "call_operation") =>
        (await one("tools/call", { name, arguments: args, task: { ttl: 60_000 } }, created)).task,
      get: (taskId: string) => one("tasks/get", { taskId }, old),
      cancel: (taskId: string) => one("tasks/cancel", { taskId }, old),
      result: (taskId: string) => one("tasks/result", { taskId }, result),
      list: (cursor?: string) => one("tasks/list", cursor === undefined ? {} : { cursor }, listed),
    };
  }

  test("a task ends with the answer of its call, cut and filtered the same way", async () => {
    const { key, accountId } = await caller(gateway);
    const { client, ...agents } = await tasks(key);
    expect(client.getServerCapabilities()?.["tasks"]).toEqual({
      list: {},
      cancel: {},
      requests: { tools: { call: {} } },
    });
    const { tools } = await client.listTools();
    const able = tools.filter(({ execution }) => execution?.taskSupport === "optional");
    expect(able.map(({ name }) => name)).toEqual(["call_operation"]);

    const call = { ...search, fields: ["id", "author.username"], max_chars: 1000 };
    const { taskId, answer } = await held(async () => {
      const { taskId, status } = await agents.create(call);
      expect(status).toBe("working");
      expect((await agents.get(taskId)).status).toBe("working");
      return { taskId, answer: agents.result(taskId) };
    });
    const { _meta, ...ended } = await answer;
    expect(_meta).toMatchObject({ "io.modelcontextprotocol/related-task": { taskId } });
    expect(await agents.get(taskId)).toMatchObject({ taskId, status: "completed" });
    await expect(agents.cancel(taskId)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("terminal status 'completed'") as string,
    });

    const { output } = outputOf(ended);
    const { output: waited } = await use(client, "call_operation", call);
    const { job = "" } = output;
    const same = JSON.parse(
      JSON.stringify(waited).replaceAll(waited.job ?? "", job),
    ) as typeof waited;
    const apart = { billing: "", pagination: "" };
    expect({ ...output, ...apart }).toEqual({ ...same, ...apart });
    expect(output.data?.[0]).toEqual({ id: expect.any(String), author: expect.any(Object) });
    expect(output.shown?.to).toBeLessThan(20);
    const { output: rest } = await use(client, "job_status", { job, from: output.shown?.to });
    expect(rest.data).toHaveLength(20 - (output.shown?.to ?? 0));
    expect(Object.keys(rest.data?.[0] ?? {}).toSorted()).toEqual(["author", "id"]);
    expect(await gateway.balance(accountId, "test")).toEqual({ balance: 960, held: 0 });
    await client.close();
  });

  test("a key joins two tasks into one, and a cap applies to it", async () => {
    const { key, accountId } = await caller(gateway);
    const { create, result } = await tasks(key);
    const input = { query: "coffee", location: "Chicago,Illinois,United States", limit: 3 };
    const call = { operation: "maps.search", input, idempotency_key: "one", max_credits: 2 };
    const first = await create(call);
    expect((await create(call)).taskId).toBe(first.taskId);
    expect(outputOf(await result(first.taskId)).output.billing?.credits_charged).toBe(2);
    expect(await gateway.balance(accountId, "test")).toEqual({ balance: 998, held: 0 });

    const waited = await ask(gateway, key, { ...serp, idempotencyKey: "two" });
    expect(waited.status, waited.text).toBe(200);
    const again = { operation: "seo.serp.search", input: serp.body, idempotency_key: "two" };
    const message = expect.stringContaining("without a task") as string;
    await expect(create(again)).rejects.toMatchObject({ code: -32602, message });
  });

  test("a cancelled task is free, queued or running, and stays cancelled", async () => {
    const { key, accountId } = await caller(gateway);
    const { create, get, cancel, result } = await tasks(key);
    const running = await begun(key);
    const before = await gateway.balance(accountId, "test");
    await held(async () => {
      const { taskId: queued } = await create(waiting);
      expect(await get(running)).toMatchObject({ status: "working", statusMessage: "Running" });
      for (const taskId of [queued, running]) {
        expect((await cancel(taskId)).status).toBe("cancelled");
        expect((await get(taskId)).status).toBe("cancelled");
        await expect(cancel(taskId)).rejects.toMatchObject({
          code: -32602,
          message: expect.stringContaining("'cancelled'") as string,
        });
        await expect(result(taskId)).rejects.toMatchObject({ code: -32602 });
      }
    });
    // The worker may have ended the call meanwhile.
    expect((await get(running)).status).toBe("cancelled");
    expect(await gateway.balance(accountId, "test")).toEqual({ ...before, held: 0 });
  });

  test("a failed call is a failed task, whose result is the tool's error", async () => {
    const { key } = await caller(gateway);
    const { get, result } = await tasks(key);
    const { body } = await submit(gateway, key, { scenario: "upstream_error" });
    const { request_id: id } = body.data;
    const answer = outputOf(await result(id));
    expect(answer).toMatchObject({ isError: true, output: { error: { type: "upstream_error" } } });
    const failed = await get(id);
    expect(failed.status).toBe("failed");
    expect(failed.statusMessage).toContain("nothing charged");
  });

  test("an immediate refusal creates no task", async () => {
    const { key, accountId } = await caller(gateway);
    const { create, get, result, cancel, list } = await tasks(key);
    const refusedWith = async (code: number, pending: Promise<unknown>, data?: object) =>
      expect(pending).rejects.toMatchObject({ code, ...(data ? { data } : {}) });
    const { operation, input } = search;
    await refusedWith(-32602, create({ operation, input: {} }), {
      type: "validation_error",
      issues: [{ path: "q" }],
      next: expect.stringContaining("describe_operation") as string,
    });
    await refusedWith(-32602, create({ operation: "shortclip.serch", input }));
    for (const [path, value] of Object.entries({ fields: ["no"], max_chars: 1, dry_run: true }))
      await refusedWith(-32602, create({ operation, input, [path]: value }), {
        type: "validation_error",
        issues: [{ path }],
        next: expect.any(String) as string,
      });
    await refusedWith(-32601, create({}, "account"));
    for (const id of [nobody, `${nobody}.500`, "another", ""]) {
      await refusedWith(-32602, get(id));
      await refusedWith(-32602, result(id));
      await refusedWith(-32602, cancel(id));
    }
    await refusedWith(-32602, list("another"));
    expect((await list()).tasks).toEqual([]);
    const poor = await tasks((await caller(gateway, { credits: 0 })).key);
    await refusedWith(-32603, poor.create(search), { type: "insufficient_credits" });
    expect(await gateway.balance(accountId, "test")).toEqual({ balance: 1000, held: 0 });
  });

  test("tasks belong to their account, listed by pages", async () => {
    const { key } = await caller(gateway);
    const { create, get, cancel, list } = await tasks(key);
    const { taskId } = await create({ ...waiting, max_chars: 500 });
    const made = [taskId.replace(".500", "")];
    while (made.length < 22) {
      const { headers } = await submit(gateway, key, { prefer: "respond-async, wait=60" });
      made.unshift(headers.get("svc-request-id") ?? "");
    }
    const page = await list();
    const rest = await list(page.nextCursor);
    expect(page.tasks).toHaveLength(20);
    expect(rest.nextCursor).toBeUndefined();
    expect([...page.tasks, ...rest.tasks].map(({ taskId }) => taskId)).toEqual(made);
    expect((await get(made.at(-1) as string)).status).toBe("working");

    const other = await tasks((await caller(gateway)).key);
    expect((await other.list()).tasks).toEqual([]);
    for (const method of [other.get, other.cancel, other.result])
      await expect(method(taskId)).rejects.toMatchObject({ code: -32602 });
    expect((await get(taskId)).status).toBe("working");
    expect((await cancel(taskId)).status).toBe("cancelled");
  });

  test("tasks also work over standard input and output", async () => {
    const { key } = await caller(gateway);
    const client = new Client({ name: "test", version: "1" });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [fileURLToPath(new URL("../../../cli/main.ts", import.meta.url)), "mcp"],
        env: {
          GATEWAY_KEY: key,
          GATEWAY_URL: gateway.url,
          PATH: process.env["PATH"] ?? "",
          NODE_COMPILE_CACHE: compileCache,
        },
        stderr: "inherit",
      }),
    );
    const params = { name: "call_operation", arguments: search, task: {} };
    const { taskId } = (await client.request({ method: "tools/call", params }, created)).task;
    const answer = await client.request({ method: "tasks/result", params: { taskId } }, result);
    expect(outputOf(answer).output.data?.length).toBeGreaterThan(0);
    await client.close();
  });
});

describe("revision 2026-07-28", () => {
  const one = task.extend({
    resultType: z.string(),
    ttlMs: z.literal(day),
    pollIntervalMs: z.int().min(1000),
    result: result.optional(),
  });
  const call = (args: object) => ({ name: "call_operation", arguments: args });

  /** The official client lacks tasks of this revision, so these are the raw requests. */
  async function tasks(key: string, declares = true) {
    let next = 0;
    const ask = (method: string, params: object) => {
      const { url } = gateway.apis[(next += 1) % gateway.apis.length] as { url: string };
      return rpc(url, key, method, params, declares);
    };
    return {
      ask,
      get: async (taskId: string) => one.parse((await ask("tasks/get", { taskId })).result),
    };
  }

  test("a call that takes longer than its wait becomes a task, which returns its result", async () => {
    const { key, accountId } = await caller(gateway);
    const { ask, get } = await tasks(key);
    const { capabilities } = (await ask("server/discover", {})).result as {
      capabilities: Record<string, unknown>;
    };
    expect(capabilities).toMatchObject({ extensions: { [extension]: {} } });
    expect(capabilities).not.toHaveProperty("tasks");

    const args = { ...search, fields: ["id"], max_chars: 300, wait_seconds: 0 };
    const { taskId } = await held(async () => {
      const made = one.parse((await ask("tools/call", call(args))).result);
      expect(made).toMatchObject({ resultType: "task", status: "working" });
      expect(await get(made.taskId)).toMatchObject({ resultType: "complete", status: "working" });
      return made;
    });
    await until(async () => (await get(taskId)).status !== "working");
    const ended = await get(taskId);
    expect(ended.status).toBe("completed");
    const { output } = outputOf(ended.result as z.output<typeof result>);
    const { output: waited } = outputOf(
      result.parse((await ask("tools/call", call({ ...args, wait_seconds: 60 }))).result),
    );
    expect(output.shown).toEqual(waited.shown);
    expect(output.data).toEqual(waited.data);
    expect(output.shown?.to).toBeLessThan(20);
    expect(await gateway.balance(accountId, "test")).toEqual({ balance: 960, held: 0 });
  });

  test("cancelling acknowledges and costs nothing; an ended task keeps its end", async () => {
    const { key, accountId } = await caller(gateway);
    const { ask, get } = await tasks(key);
    const made = await ask("tools/call", call({ ...waiting, wait_seconds: 0 }));
    const { taskId } = one.parse(made.result);
    const ack = { resultType: "complete" };
    expect((await ask("tasks/update", { taskId, inputResponses: {} })).result).toMatchObject(ack);
    expect((await ask("tasks/cancel", { taskId })).result).toMatchObject(ack);
    expect((await get(taskId)).status).toBe("cancelled");
    const { body } = await submit(gateway, key, { scenario: "upstream_error" });
    const failed = body.data.request_id;
    await inState(gateway, key, failed, ["failed"]);
    expect((await ask("tasks/cancel", { taskId: failed })).result).toMatchObject(ack);
    // `failed` is reserved for errors of the protocol there.
    expect(await get(failed)).toMatchObject({ status: "completed", result: { isError: true } });
    expect(await gateway.balance(accountId, "test")).toEqual({ balance: 1000, held: 0 });
  });

  test("a client that does not declare tasks gets none", async () => {
    const { key } = await caller(gateway);
    const { ask } = await tasks(key, false);
    const params = { ...call({ ...waiting, wait_seconds: 0 }), task: { ttl: 60_000 } };
    const answer = await ask("tools/call", params);
    expect(answer.result).toMatchObject({ resultType: "complete" });
    const { job } = outputOf(result.parse(answer.result)).output;
    const requiredCapabilities = { extensions: { [extension]: {} } };
    const listening = { notifications: { taskIds: [job] } };
    for (const [method, params] of [
      ...["tasks/get", "tasks/update", "tasks/cancel"].map((name) => [name, {}] as const),
      ["subscriptions/listen", listening] as const,
    ]) {
      const refused = await ask(method, { taskId: job, inputResponses: {}, ...params });
      expect(refused, method).toMatchObject({
        status: 400,
        error: { code: -32021, data: { requiredCapabilities } },
      });
    }
    const { ask: declared } = await tasks(key);
    expect((await declared("tasks/cancel", { taskId: job })).error).toBeUndefined();
  });

  test("unknown tasks and methods that the revision lacks are refused", async () => {
    const { key } = await caller(gateway);
    const { ask } = await tasks(key);
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const refused = await ask(method, { taskId: nobody, inputResponses: {} });
      expect(refused.error?.code, method).toBe(-32602);
    }
    for (const method of ["tasks/result", "tasks/list"])
      expect((await ask(method, { taskId: nobody })).error?.code, method).toBe(-32601);
    const wrong = await ask("tools/call", call({ operation: "shortclip.search", input: {} }));
    expect(wrong.result).toMatchObject({ resultType: "complete", isError: true });
  });
});
