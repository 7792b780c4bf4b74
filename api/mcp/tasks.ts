import {
  CLIENT_CAPABILITIES_META_KEY,
  type CallToolResult,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  RELATED_TASK_META_KEY,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { JobData } from "../../contract/jobs.ts";
import { type Refusal, answered, nextOf, withId, wrongArguments } from "./answers.ts";
import { crawlOperations } from "../../contract/crawl-operations.ts";
import { callInput, canBeKept, submitCall, waitForEnd } from "./call.ts";
import type { Answer, Ask } from "./gateway.ts";
import { readArguments } from "./inputs.ts";
import {
  type Status,
  idOf,
  in2025,
  in2026,
  noContent,
  read,
  statuses,
  unknownTask,
} from "./task.ts";

/**
 * Tasks of the protocol: the gateway's jobs under its names. Revision 2025-11-25 has them in its core (the
 * caller requests one, `tasks/result` waits), 2026-07-28 as an extension (the server answers with one when a
 * call takes longer, `tasks/get` returns the result). No state is kept here. A task's id is its job's, with `.`
 * and `max_chars` behind it if the caller chose that: the one argument that the job does not store.
 */

const extension = "io.modelcontextprotocol/tasks";

/** The SDK reports to each revision only the capabilities it knows. */
export const taskCapabilities = {
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
  extensions: { [extension]: {} },
};

const { InvalidParams, InternalError, MethodNotFound } = ProtocolErrorCode;

/** Revision 2026-07-28 requires the declaration in every request. */
export const declaresTasks = ({ mcpReq: { envelope } }: ServerContext): boolean =>
  declaredIn(envelope);

function declaredIn(meta: unknown): boolean {
  const { [CLIENT_CAPABILITIES_META_KEY]: declared } = (meta ?? {}) as Record<string, unknown>;
  const { extensions } = (declared ?? {}) as { extensions?: Record<string, unknown> };
  return extensions?.[extension] !== undefined;
}

const missingDeclaration = () =>
  new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [extension]: {} } },
  });

function mustDeclare(context: ServerContext): void {
  if (!declaresTasks(context)) throw missingDeclaration();
}

const listening = z.object({
  id: z.union([z.string(), z.number()]),
  method: z.literal("subscriptions/listen"),
  params: z.object({
    notifications: z.object({ taskIds: z.array(z.unknown()) }),
    _meta: z.unknown().optional(),
  }),
});

/** Refuses subscriptions to tasks by clients that do not declare tasks; the SDK lets those pass. */
export function refusalOfListening(body: unknown): object | undefined {
  const { data: subscription } = listening.safeParse(body);
  if (!subscription || declaredIn(subscription.params._meta)) return undefined;
  const { code, message, data } = missingDeclaration();
  return { jsonrpc: "2.0", id: subscription.id, error: { code, message, data } };
}

/** A refusal of the gateway as an error of the protocol. */
function protocolError({ error, next }: Refusal, more: object = {}): ProtocolError {
  const isOurs = !["validation_error", "invalid_id", "not_found"].includes(error.type);
  const code = isOurs ? InternalError : InvalidParams;
  return new ProtocolError(code, error.message, { ...error, next, ...more });
}

function refusedBy(answer: Answer): ProtocolError {
  const { error } = answer.body;
  if (!error) return new ProtocolError(InternalError, `The gateway answered ${answer.status}`);
  const { retryAfter } = answer;
  const later = retryAfter === undefined ? {} : { retry_after: retryAfter };
  return protocolError({ error, next: nextOf(error.type, answer) }, later);
}

const one = { params: z.object({ taskId: z.string() }) };
const page = { params: z.object({ cursor: z.string().optional() }) };

export function addTasks({ server }: McpServer, ask: Ask, requestId: string | undefined): void {
  const tasks = new Tasks(
    ask,
    requestId,
    () => (server.getNegotiatedProtocolVersion() ?? "") >= "2026",
  );

  // Wraps the SDK's own handler, which cannot tell a tool whether it was called as a task.
  const call = server["_getRequestHandler"]("tools/call");
  if (!call) throw new Error("tasks are added after the tools");
  server.setRequestHandler("tools/call", async (request, context) => {
    const { name, arguments: args } = request.params;
    if ("task" in request.params && !tasks.isModern()) return tasks.create(name, args, context);
    return (await call({ ...request, jsonrpc: "2.0", id: context.mcpReq.id }, context)) as never;
  });

  server.setRequestHandler("tasks/get", one, (request, context) => tasks.get(request, context));
  server.setRequestHandler("tasks/cancel", one, (request, context) =>
    tasks.cancel(request, context),
  );
  server.setRequestHandler("tasks/update", one, (request, context) =>
    tasks.update(request, context),
  );
  // The SDK refuses the next two methods to clients of 2026-07-28, which does not have them.
  server.setRequestHandler("tasks/result", one, (request, context) =>
    tasks.result(request, context),
  );
  server.setRequestHandler("tasks/list", page, (request, context) => tasks.list(request, context));
}

interface One {
  taskId: string;
}

/** Requests about tasks, in the form of the client's revision. */
class Tasks {
  readonly #ask: Ask;
  readonly #requestId: string | undefined;
  /** Whether the client speaks revision 2026-07-28. */
  readonly isModern: () => boolean;

  constructor(ask: Ask, requestId: string | undefined, isModern: () => boolean) {
    this.#ask = ask;
    this.#requestId = requestId;
    this.isModern = isModern;
  }

  /** Revision 2025-11-25: a call that requests a task. */
  async create(name: string, args: unknown, { mcpReq: { signal } }: ServerContext) {
    if (name !== "call_operation") {
      throw new ProtocolError(MethodNotFound, "Only call_operation can be called as a task");
    }
    const sent = readArguments(callInput, args ?? {});
    if ("refusal" in sent) throw this.#refuse(sent.refusal);
    const call = sent.input;
    if (call.dry_run) throw this.#noTask("dry_run", "is answered at once");
    if (!canBeKept(call.fields)) {
      throw this.#noTask("fields", "of a task must be ASCII without spaces and commas");
    }
    if (crawlOperations.has(call.operation)) {
      throw this.#noTask("operation", `${call.operation} is answered at once`);
    }
    const submitted = await submitCall(this.#ask, call, { signal, keepsFields: true });
    if (submitted.kind === "refused") throw this.#refuse(submitted.refusal);
    if (submitted.kind !== "job") {
      if (submitted.answer.body.error) throw refusedBy(submitted.answer);
      throw this.#noTask("idempotency_key", "belongs to a call without a task");
    }
    return { ...noContent, task: in2025(submitted.state, idOf(submitted.job, call.max_chars)) };
  }

  #refuse(refusal: Refusal): ProtocolError {
    return protocolError(withId(refusal, this.#requestId));
  }

  #noTask(path: string, message: string): ProtocolError {
    const fault = { path, code: "no_task", message };
    return this.#refuse(wrongArguments([fault], "Send the same call without a task"));
  }

  async get({ taskId }: One, context: ServerContext) {
    if (this.isModern()) mustDeclare(context);
    const { job, most } = read(taskId);
    const state = await this.#jobOf(job, context);
    if (!this.isModern()) return in2025(state, taskId);
    const task = in2026(state, taskId);
    if (task.status !== "completed") return task;
    const { signal } = context.mcpReq;
    const answer = await this.#ask("GET", `/jobs/${job}/result`, { signal });
    return { ...task, result: resultOf(answer, job, most) };
  }

  async cancel({ taskId }: One, context: ServerContext) {
    const isModern = this.isModern();
    if (isModern) mustDeclare(context);
    const { job } = read(taskId);
    const { state } = await this.#jobOf(job, context);
    const ended = statuses[state];
    if (!isModern && ended !== "working") throw alreadyEnded(ended);
    const { signal } = context.mcpReq;
    const answer = await this.#ask("DELETE", `/jobs/${job}`, { signal });
    const hasEnded = answer.status === 409;
    if (isModern && hasEnded) return {};
    if (hasEnded) throw alreadyEnded(statuses[(await this.#jobOf(job, context)).state]);
    if (answer.body.error) throw refusedBy(answer);
    return isModern ? {} : in2025(answer.body.data as JobData, taskId);
  }

  async result({ taskId }: One, context: ServerContext) {
    const { job, most } = read(taskId);
    const answer = await waitForEnd(this.#ask, job, { seconds: Infinity }, context);
    const { error } = answer.body;
    if (answer.status === 404 && error?.request_id !== job) {
      const { state } = await this.#jobOf(job, context);
      if (state === "cancelled")
        throw new ProtocolError(InvalidParams, "The task was cancelled: it has no result");
    }
    return { ...resultOf(answer, job, most), _meta: { [RELATED_TASK_META_KEY]: { taskId } } };
  }

  async list({ cursor }: { cursor?: string | undefined }, { mcpReq: { signal } }: ServerContext) {
    const query = cursor === undefined ? "" : `?${new URLSearchParams({ cursor })}`;
    const answer = await this.#ask("GET", `/jobs${query}`, { signal });
    if (answer.body.error) throw refusedBy(answer);
    const { data, pagination } = answer.body;
    const { next_cursor: nextCursor } = pagination as { next_cursor: string | null };
    return {
      tasks: (data as JobData[]).map((job) => in2025(job, job.request_id)),
      nextCursor: nextCursor ?? undefined,
    };
  }

  /**
   * Revision 2026-07-28: answers to a task's questions. The gateway's tasks have none, so the input is ignored.
   */
  async update({ taskId }: One, context: ServerContext) {
    if (!this.isModern()) throw new ProtocolError(MethodNotFound, "Method not found");
    mustDeclare(context);
    await this.#jobOf(read(taskId).job, context);
    return {};
  }

  async #jobOf(id: string, { mcpReq: { signal } }: ServerContext): Promise<JobData> {
    const answer = await this.#ask("GET", `/jobs/${id}`, { signal });
    if (answer.status === 404) throw unknownTask();
    if (answer.body.error) throw refusedBy(answer);
    return answer.body.data as JobData;
  }
}

/** The answer of the call itself; throws when the request for the result failed. */
function resultOf(answer: Answer, job: string, most: number | undefined): CallToolResult {
  const { error } = answer.body;
  if (error && error.request_id !== job) throw refusedBy(answer);
  return answered(answer, job, { max_chars: most });
}

const alreadyEnded = (status: Status) =>
  new ProtocolError(InvalidParams, `Cannot cancel task: already in terminal status '${status}'`);
