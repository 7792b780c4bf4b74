import { McpServer } from "@modelcontextprotocol/server";
import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import { faultsOfFields } from "../../contract/choose.ts";
import { dryRunHeader, maxCreditsHeader, priceOfEach } from "../../contract/dry-run.ts";
import { findOperations, nearOperations } from "../../contract/find.ts";
import { areas, operations } from "../../contract/index.ts";
import { requestOf } from "../../contract/request.ts";
import { steadyNow } from "../../contract/steady.ts";
import { currentVersion } from "../../contract/version.ts";
import { partOf } from "./cut.ts";
import { described } from "./describe.ts";
import type { Answer, Ask } from "./gateway.ts";

/**
 * Five tools in place of 223: find an operation, read how it is called, call it, look at a call that
 * takes longer, look at the account. The list of tools is read by a model again and again, so it is short.
 */

const usualCharacters = 12_000;
/** Seconds a tool waits for an operation before it answers with the job's id. */
const usualWait = 25;

const id = z.string().describe("Id of an operation, e.g. maps.search");
const shape = {
  fields: z
    .array(z.string())
    .max(50)
    .optional()
    .describe("Only these members of each record; a.b for a member's member"),
  max_chars: z.int().min(200).max(200_000).optional().describe(`Usual ${usualCharacters}`),
};

const instructions =
  "Public data: web pages, search results, SEO, AI answers, events, hotels, maps, news, social and video platforms. " +
  "find_operations, then describe_operation, then call_operation. 1 credit per record.";

/** A server for one key; `ask` carries it. */
export function mcpServer(ask: Ask): McpServer {
  const server = new McpServer(
    { name: "public-data-gateway", version: currentVersion },
    { instructions },
  );
  const reads = { readOnlyHint: true };

  server.registerTool(
    "find_operations",
    {
      description: "Operations that answer a question in plain words, best first, with their price",
      inputSchema: z.object({
        query: z.string().min(1).max(500).describe("What is wanted, e.g. comments of a video"),
        limit: z.int().min(1).max(20).optional(),
      }),
      annotations: reads,
    },
    ({ query, limit = 5 }) => {
      const found = findOperations(query, limit).map(({ operation }) => ({
        operation: operation.id,
        summary: operation.summary,
        area: operation.area,
        price: priceOfEach(operation),
      }));
      if (found.length > 0) return told({ found });
      const all = areas.map(({ name, summary }) => `${name}: ${summary}`);
      return told({ found, areas: all, next: "Ask again with words of one of these areas" });
    },
  );

  server.registerTool(
    "describe_operation",
    {
      description: "Fields, bounds, price, example and answer of an operation",
      inputSchema: z.object({ operation: id }),
      annotations: reads,
    },
    ({ operation }) => {
      const op = operations.get(operation);
      return op ? told(described(op)) : unknownOperation(operation);
    },
  );

  server.registerTool(
    "call_operation",
    {
      description:
        "Runs an operation; costs 1 credit per record, and dry_run tells how many. A long answer is cut: `rest` says how to get more. A slow one gives a job id for job_status.",
      inputSchema: z.object({
        operation: id,
        input: z.record(z.string(), z.unknown()).describe("As describe_operation says"),
        ...shape,
        wait_seconds: z.int().min(0).max(60).optional().describe(`Usual ${usualWait}`),
        dry_run: z.boolean().optional().describe("Only its price; nothing runs, and it is free"),
        max_credits: z
          .int()
          .min(1)
          .optional()
          .describe("The most it may cost; a list is cut there"),
        idempotency_key: z
          .string()
          .max(255)
          .optional()
          .describe("Makes a repetition free, for 24 hours"),
      }),
      annotations: { ...reads, openWorldHint: true },
    },
    async ({ operation, input, wait_seconds: wait = usualWait, ...wishes }, context) => {
      const op = operations.get(operation);
      if (!op) return unknownOperation(operation);
      const [fault] = wishes.fields ? faultsOfFields(op, wishes.fields) : [];
      if (fault) {
        const error = { type: "validation_error", message: `fields: ${fault}` };
        return { ...told({ error, next: nextOf(error.type, undefined) }), isError: true };
      }
      const { method, path, body } = requestOf(op, input);
      const { idempotency_key: key, max_credits: most, dry_run: isDryRun = false } = wishes;
      const { signal } = context.mcpReq;
      const capped = most === undefined ? {} : { [maxCreditsHeader]: String(most) };
      if (isDryRun) {
        const headers = { [dryRunHeader]: "true", ...capped };
        return answered(await ask(method, path, { body, signal, headers }), undefined, {});
      }
      const answer = await ask(method, path, {
        body,
        signal,
        headers: {
          prefer: "respond-async",
          ...capped,
          ...(key !== undefined && op.method === "POST" ? { "idempotency-key": key } : {}),
        },
      });
      if (answer.status !== 202) return answered(answer, answer.body.request_id, wishes);
      const { request_id: job = "" } = answer.body;
      return answered(await awaited(ask, job, wait, context), job, wishes);
    },
  );

  server.registerTool(
    "job_status",
    {
      description:
        "State of a call that takes longer; its result when it has ended, or the rest of a cut one",
      inputSchema: z.object({
        job: z.string().regex(/^svc_[0-9A-Za-z]+$/),
        from: z.int().min(0).optional().describe("As `rest` said"),
        ...shape,
        wait_seconds: z.int().min(0).max(60).optional(),
        cancel: z.boolean().optional().describe("Stops it; nothing is charged"),
      }),
      annotations: reads,
    },
    async ({ job, wait_seconds: wait = 0, cancel = false, ...wishes }, context) => {
      const { signal } = context.mcpReq;
      if (cancel) return answered(await ask("DELETE", `/jobs/${job}`, { signal }), undefined, {});
      return answered(await awaited(ask, job, wait, context), job, wishes);
    },
  );

  server.registerTool(
    "account",
    {
      description: "Balance in credits, limits, mode of the key",
      inputSchema: z.object({}),
      annotations: reads,
    },
    async (_, { mcpReq: { signal } }) =>
      answered(await ask("GET", "/account", { signal }), undefined, {}),
  );

  return server;
}

/** Waits for the end of a job and tells how it gets on meanwhile; the state where it has not ended. */
async function awaited(
  ask: Ask,
  job: string,
  seconds: number,
  { mcpReq: { signal, notify, _meta } }: ServerContext,
): Promise<Answer> {
  const endsAt = steadyNow() + seconds * 1000;
  const progressToken = _meta?.progressToken;
  for (let turn = 1; ; turn += 1) {
    const left = Math.max(0, Math.ceil((endsAt - steadyNow()) / 1000));
    // Who follows the progress hears of it every few seconds.
    const wait = progressToken === undefined ? Math.min(60, left) : Math.min(3, left);
    const result = await ask("GET", `/jobs/${job}/result?wait=${wait}`, { signal });
    const isUnfinished = result.status === 409;
    if (!isUnfinished) return result;
    const state = await ask("GET", `/jobs/${job}`, { signal });
    if (steadyNow() >= endsAt) return { ...state, status: 202 };
    if (progressToken !== undefined) {
      const { state: message } = (state.body.data ?? {}) as { state?: string };
      await notify({
        method: "notifications/progress",
        params: { progressToken, progress: turn, message: message ?? "waiting" },
      });
    }
  }
}

interface Wishes {
  fields?: string[] | undefined;
  max_chars?: number | undefined;
  from?: number | undefined;
}

/** What a model reads of an answer: as much as it asked for, and what to do next. */
function answered(
  { status, body, retryAfter }: Answer,
  job: string | undefined,
  { fields, max_chars: most = usualCharacters, from = 0 }: Wishes,
): CallToolResult {
  if (body.error) {
    const next = nextOf(body.error.type, retryAfter);
    return { ...told({ error: body.error, next }), isError: true };
  }
  if (status === 202) {
    const next = `Not ended yet: job_status with job ${job} and wait_seconds`;
    return told({ job, state: body.data, next });
  }
  const { data, shown } = partOf(body.data, { from, most, fields });
  const { pagination, billing } = body;
  const isCut = shown.to < shown.of;
  return told({
    ...(job === undefined ? {} : { job }),
    ...(isCut || from > 0 ? { shown } : {}),
    data,
    ...(pagination ? { pagination } : {}),
    billing,
    ...(isCut && job !== undefined
      ? { rest: `job_status with job ${job} and from ${shown.to}; it costs nothing, for 24 hours` }
      : {}),
  });
}

/** What to do about an error, by its type. */
function nextOf(type: string, retryAfter: number | undefined): string {
  const later = retryAfter === undefined ? "later" : `in ${retryAfter} s`;
  switch (type) {
    case "validation_error":
    case "invalid_id":
      return "Correct the fields named in issues; describe_operation tells what each may be";
    case "insufficient_credits":
      return "Ask for fewer records (limit or max_credits; dry_run tells the price), or have the owner of the account add credits";
    case "unauthorized":
      return "The key is not valid: have the owner of the account give another";
    case "not_found":
      return "There is no such thing: check the identifier, or find it by a search operation first";
    case "rate_limited":
    case "upstream_unavailable":
      return `Call again ${later}, unchanged; nothing was charged`;
    default:
      return "Nothing was charged. Try once more; if it stays, tell the operator the request_id";
  }
}

function unknownOperation(operation: string): CallToolResult {
  const near = nearOperations(operation);
  const message = `There is no operation ${operation.slice(0, 100)}`;
  const next =
    near.length > 0 ? `Perhaps ${near.join(", ")}; or find_operations` : "find_operations";
  return { ...told({ error: { type: "not_found", message }, next }), isError: true };
}

function told(value: object): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) }] };
}
