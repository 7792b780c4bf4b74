import {
  type CallToolResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  type ToolAnnotations,
} from "@modelcontextprotocol/server";
import { priceOfEach } from "../../contract/pricing.ts";
import { crawlOperations } from "../../contract/crawl-operations.ts";
import { findCallables } from "../../contract/search-operations.ts";
import { areas, operations } from "../../contract/index.ts";
import type { JobData } from "../../contract/jobs.ts";
import { currentVersion } from "../../contract/version.ts";
import {
  type Refusal,
  answered,
  jsonResult,
  refused,
  textResult,
  unknownOperation,
  withId,
} from "./answers.ts";
import { canBeKept, submitCall, defaultWaitSeconds, waitForEnd } from "./call.ts";
import { descriptionOf } from "./describe.ts";
import { Evidence } from "./evidence.ts";
import type { Ask } from "./gateway.ts";
import { type ToolInput, toolInputs } from "./inputs.ts";
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

/**
 * An MCP server for one key, which `ask` carries. Servers of one gateway share its evidence. `requestId` is the id of
 * the request over HTTP that it serves.
 */
export function mcpServer(ask: Ask, evidence = new Evidence(), requestId?: string): McpServer {
  const server = new McpServer(
    { name: "public-data-gateway", version: currentVersion },
    { instructions, capabilities: taskCapabilities },
  );
  const tools = new Tools(server, requestId);
  addFindOperations(tools);
  addDescribeOperation(tools, ask, evidence);
  addCallOperation(tools, ask);
  addJobStatus(tools, ask);
  addAccount(tools, ask);
  addTasks(server, ask, requestId);
  refuseParams(server);
  return server;
}

/** The tools of one server, whose refusals have one form. */
class Tools {
  readonly #server: McpServer;
  readonly #requestId: string | undefined;

  constructor(server: McpServer, requestId: string | undefined) {
    this.#server = server;
    this.#requestId = requestId;
  }

  add<Input>(
    name: string,
    {
      input: inputSchema,
      ...config
    }: { description: string; input: ToolInput<Input>; annotations: ToolAnnotations },
    run: (input: Input, context: ServerContext) => CallToolResult | Promise<CallToolResult>,
  ) {
    return this.#server.registerTool(name, { ...config, inputSchema }, (sent, context) =>
      "refusal" in sent ? this.refuse(sent.refusal) : run(sent.input, context),
    );
  }

  refuse(refusal: Refusal): CallToolResult {
    return refused(withId(refusal, this.#requestId));
  }
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

function addFindOperations(tools: Tools): void {
  tools.add(
    "find_operations",
    {
      description: "Operations that answer a question in plain words, best first, with their price",
      input: toolInputs.find_operations,
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

function addDescribeOperation(tools: Tools, ask: Ask, evidence: Evidence): void {
  tools.add(
    "describe_operation",
    {
      description: "Fields, bounds, price, example and answer of an operation",
      input: toolInputs.describe_operation,
      annotations: reads,
    },
    async ({ operation }) => {
      const crawl = crawlOperations.get(operation);
      if (crawl) return textResult(descriptionOf(crawl));
      const op = operations.get(operation);
      if (!op) return tools.refuse(unknownOperation(operation));
      return textResult(descriptionOf(op, await evidence.of(operation, ask)));
    },
  );
}

function addCallOperation(tools: Tools, ask: Ask): void {
  const call = tools.add(
    "call_operation",
    {
      description:
        "Runs an operation; costs 1 credit per record, and dry_run returns the price. A long answer is cut: `rest` says how to get more. A slow one gives a job id for job_status.",
      input: toolInputs.call_operation,
      annotations: { ...reads, openWorldHint: true },
    },
    async (input, context) => {
      const { wait_seconds: wait = defaultWaitSeconds, fields, max_chars } = input;
      const isTask = declaresTasks(context) && canBeKept(fields);
      const { signal } = context.mcpReq;
      const submitted = await submitCall(ask, input, { signal, keepsFields: isTask });
      if (submitted.kind === "refused") return tools.refuse(submitted.refusal);
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

function addJobStatus(tools: Tools, ask: Ask): void {
  tools.add(
    "job_status",
    {
      description:
        "State of a call that takes longer; its result when it has ended, or the rest of a cut one",
      input: toolInputs.job_status,
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

function addAccount(tools: Tools, ask: Ask): void {
  tools.add(
    "account",
    {
      description: "Balance in credits, limits, mode of the key",
      input: toolInputs.account,
      annotations: reads,
    },
    async (_, { mcpReq: { signal } }) =>
      answered(await ask("GET", "/account", { signal }), undefined, {}),
  );
}
