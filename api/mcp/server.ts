import { McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { priceOfEach } from "../../contract/pricing.ts";
import { crawlOperations } from "../../contract/crawl-operations.ts";
import { findCallables } from "../../contract/search-operations.ts";
import { areas, operations } from "../../contract/index.ts";
import type { JobData } from "../../contract/jobs.ts";
import { currentVersion } from "../../contract/version.ts";
import { answered, jsonResult, refused, textResult, unknownOperation } from "./answers.ts";
import { canBeKept, submitCall, defaultWaitSeconds, waitForEnd } from "./call.ts";
import { descriptionOf } from "./describe.ts";
import { Evidence } from "./evidence.ts";
import type { Ask } from "./gateway.ts";
import { toolInputs } from "./inputs.ts";
import { asTask } from "./task.ts";
import { addTasks, declaresTasks, taskCapabilities } from "./tasks.ts";

/**
 * Five tools in place of hundreds of operations: find an operation, describe it, call it, poll a longer call, read the
 * account. Models read the list of tools again and again, so it is short.
 */

const instructions =
  "Public data: web pages, search results, SEO, AI answers, events, hotels, maps, news, social and video platforms. " +
  "find_operations, then describe_operation, then call_operation. 1 credit per record.";

const reads = { readOnlyHint: true };

/** An MCP server for one key, which `ask` carries. Servers of one gateway share its evidence. */
export function mcpServer(ask: Ask, evidence = new Evidence()): McpServer {
  const server = new McpServer(
    { name: "public-data-gateway", version: currentVersion },
    { instructions, capabilities: taskCapabilities },
  );
  addFindOperations(server);
  addDescribeOperation(server, ask, evidence);
  addCallOperation(server, ask);
  addJobStatus(server, ask);
  addAccount(server, ask);
  addTasks(server, ask);
  refuseParams(server);
  return server;
}

/** The SDK's own handlers report params of a wrong form as an internal error, which blames the server. */
function refuseParams({ server }: McpServer): void {
  for (const method of ["initialize", "tools/list", "ping"]) {
    const handle = server["_getRequestHandler"](method);
    if (!handle) continue;
    const checked: typeof handle = async (request, context) => {
      try {
        return await handle(request, context);
      } catch (error) {
        if (error instanceof ProtocolError) throw error;
        const { message } = error as Error;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `params of ${method}: ${message}`);
      }
    };
    server["_requestHandlers"].set(method, checked);
  }
}

function addFindOperations(server: McpServer): void {
  server.registerTool(
    "find_operations",
    {
      description: "Operations that answer a question in plain words, best first, with their price",
      inputSchema: toolInputs.find_operations,
      annotations: reads,
    },
    ({ query, limit = 5 }) => {
      const found = findCallables(query, limit).map(({ operation }) => ({
        operation: operation.id,
        summary: operation.summary,
        area: operation.area,
        price: priceOfEach(operation),
      }));
      if (found.length > 0) return jsonResult({ found });
      const all = areas.map(({ name, summary }) => `${name}: ${summary}`);
      return jsonResult({ found, areas: all, next: "Ask again with words of one of these areas" });
    },
  );
}

function addDescribeOperation(server: McpServer, ask: Ask, evidence: Evidence): void {
  server.registerTool(
    "describe_operation",
    {
      description: "Fields, bounds, price, example and answer of an operation",
      inputSchema: toolInputs.describe_operation,
      annotations: reads,
    },
    async ({ operation }) => {
      const crawl = crawlOperations.get(operation);
      if (crawl) return textResult(descriptionOf(crawl));
      const op = operations.get(operation);
      if (!op) return refused(unknownOperation(operation));
      return textResult(descriptionOf(op, await evidence.of(operation, ask)));
    },
  );
}

function addCallOperation(server: McpServer, ask: Ask): void {
  const call = server.registerTool(
    "call_operation",
    {
      description:
        "Runs an operation; costs 1 credit per record, and dry_run returns the price. A long answer is cut: `rest` says how to get more. A slow one gives a job id for job_status.",
      inputSchema: toolInputs.call_operation,
      annotations: { ...reads, openWorldHint: true },
    },
    async (input, context) => {
      const { wait_seconds: wait = defaultWaitSeconds, fields, max_chars } = input;
      const isTask = declaresTasks(context) && canBeKept(fields);
      const { signal } = context.mcpReq;
      const submitted = await submitCall(ask, input, { signal, keepsFields: isTask });
      if (submitted.kind === "refused") return refused(submitted.refusal);
      if (submitted.kind === "read")
        return answered(submitted.answer, undefined, { fields, max_chars });
      if (submitted.kind === "answered") {
        const { answer } = submitted;
        // A price is never cut, and belongs to no job.
        if (input.dry_run) return answered(answer, undefined, {});
        return answered(answer, answer.body.request_id, { fields, max_chars });
      }
      const { job, state } = submitted;
      const answer = await waitForEnd(ask, job, { seconds: wait, known: state }, context);
      if (isTask && answer.status === 202) return asTask(answer.body.data as JobData, max_chars);
      return answered(answer, job, { fields, max_chars });
    },
  );
  call.execution = { taskSupport: "optional" };
}

function addJobStatus(server: McpServer, ask: Ask): void {
  server.registerTool(
    "job_status",
    {
      description:
        "State of a call that takes longer; its result when it has ended, or the rest of a cut one",
      inputSchema: toolInputs.job_status,
      // It can stop a job.
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    },
    async ({ job, wait_seconds: wait = 0, cancel = false, ...options }, context) => {
      const { signal } = context.mcpReq;
      if (cancel) return answered(await ask("DELETE", `/jobs/${job}`, { signal }), undefined, {});
      return answered(await waitForEnd(ask, job, { seconds: wait }, context), job, options);
    },
  );
}

function addAccount(server: McpServer, ask: Ask): void {
  server.registerTool(
    "account",
    {
      description: "Balance in credits, limits, mode of the key",
      inputSchema: toolInputs.account,
      annotations: reads,
    },
    async (_, { mcpReq: { signal } }) =>
      answered(await ask("GET", "/account", { signal }), undefined, {}),
  );
}
