import { setTimeout as sleep } from "node:timers/promises";
import type { ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import { faultsOfFields } from "../../contract/field-selection.ts";
import { dryRunHeader, maxCreditsHeader, neededFor } from "../../contract/pricing.ts";
import type { Issue } from "../../contract/errors.ts";
import { crawlOperations } from "../../contract/crawl-operations.ts";
import { operations } from "../../contract/index.ts";
import { type Operation, pathParameters } from "../../contract/operation.ts";
import type { JobData } from "../../contract/jobs.ts";
import { requestOf } from "../../contract/request.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import { translate } from "../input-issues.ts";
import {
  type Refusal,
  correctArguments,
  correctFields,
  defaultCharacters,
  unknownOperation,
  wrongArguments,
} from "./answers.ts";
import type { Answer, Ask } from "./gateway.ts";

/** The input of `call_operation`, and submitting it as a job. */

/** Seconds a tool waits for an operation before it answers with the job's id. */
export const defaultWaitSeconds = 25;

export const operationId = z.string().describe("Id of an operation, e.g. maps.search");

export const viewOptions = {
  fields: z
    .array(z.string())
    .min(1)
    .max(50)
    .optional()
    .describe("Only these members of each record; a.b for a member's member"),
  max_chars: z.int().min(200).max(200_000).optional().describe(`Default ${defaultCharacters}`),
};

export const callInput = z.strictObject({
  operation: operationId,
  input: z.record(z.string(), z.unknown()).describe("As describe_operation says"),
  ...viewOptions,
  wait_seconds: z.int().min(0).max(60).optional().describe(`Default ${defaultWaitSeconds}`),
  dry_run: z.boolean().optional().describe("Only its price; nothing runs, and it is free"),
  max_credits: z.int().min(1).optional().describe("The most it may cost; a list is cut there"),
  idempotency_key: z
    .string()
    .max(255)
    .refine((key) => /^[\x20-\x7e]+$/.test(key), "must be printable ASCII, as it becomes a header")
    .optional()
    .describe("Makes a repetition free, for 24 hours"),
});

type Submitted =
  | { kind: "job"; job: string; state: JobData }
  /** An immediate answer: a price, an error, or the stored answer of the key. */
  | { kind: "answered"; answer: Answer }
  /** An answer of an endpoint, which belongs to no job. */
  | { kind: "read"; answer: Answer }
  | { kind: "refused"; refusal: Refusal };

/** With `keepsFields` the job stores the fields, for readers of its result that do not name any. */
export async function submitCall(
  ask: Ask,
  call: z.output<typeof callInput>,
  { signal, keepsFields }: { signal: AbortSignal; keepsFields: boolean },
): Promise<Submitted> {
  const { operation, input, fields, max_credits: most, idempotency_key: key } = call;
  const crawl = crawlOperations.get(operation);
  const wrong = faultsOfAddress(crawl ?? operations.get(operation), input);
  if (wrong.length > 0) return { kind: "refused", refusal: wrongArguments(wrong, correctFields) };
  if (crawl) {
    // Cut to fields, the answer of a crawl that has begun would lack its id.
    if (fields && operation !== "web.crawl.pages")
      return refused("no_effect", ["is for pages of a crawl"]);
    return { kind: "read", answer: await askCrawl(ask, crawl, call, signal) };
  }
  const op = operations.get(operation);
  if (!op) return { kind: "refused", refusal: unknownOperation(operation) };
  const faults = fields ? faultsOfFields(op, fields) : [];
  if (faults.length > 0) return refused("unknown_member", faults);
  // The gateway would name its header, which no agent has sent.
  if (most !== undefined && most < neededFor(op)) {
    const message = `the call costs at least ${neededFor(op)} credits`;
    const fault = { path: "max_credits", code: "too_small", message };
    return { kind: "refused", refusal: wrongArguments([fault], correctArguments) };
  }
  const { method, path, body } = requestOf(op, input);
  const capped = most === undefined ? {} : { [maxCreditsHeader]: String(most) };
  if (call.dry_run) {
    const headers = { [dryRunHeader]: "true", ...capped };
    return { kind: "answered", answer: await ask(method, path, { body, signal, headers }) };
  }
  const answer = await ask(method, path, {
    body,
    signal,
    headers: {
      prefer: "respond-async",
      ...capped,
      ...(keepsFields && fields && fields.length > 0 ? { "svc-fields": fields.join(",") } : {}),
      ...(key === undefined ? {} : { "idempotency-key": key }),
    },
  });
  if (answer.status !== 202) return { kind: "answered", answer };
  const state = answer.body.data as JobData;
  return { kind: "job", job: state.request_id, state };
}

/**
 * Values that a path or a query cannot hold, and absent ones of a path. Written as texts, null would be the search for
 * the word null, and cost; nothing would be an id without characters.
 */
function faultsOfAddress(
  op: Operation | undefined,
  input: Readonly<Record<string, unknown>>,
): Issue[] {
  const inPath: unknown[] = pathParameters(op?.path ?? "");
  if (!op || (op.method === "POST" && inPath.length === 0)) return [];
  const locate = (name: unknown) =>
    inPath.includes(name) ? "path" : op.method === "POST" ? "body" : "query";
  const { error } = op.input.safeParse(input);
  const faults = error?.issues.flatMap((issue) => translate(issue, locate)) ?? [];
  return faults.filter(({ path }) => {
    const name = path.split(/[.[]/, 1)[0] ?? "";
    const place = locate(name);
    if (place === "path" && input[name] === undefined) return true;
    return place !== "body" && typeof input[name] === "object";
  });
}

function refused(code: string, messages: string[]): Submitted {
  const faults = messages.map((message) => ({ path: "fields", code, message }));
  const next = "Correct fields; describe_operation lists them";
  return { kind: "refused", refusal: wrongArguments(faults, next) };
}

/** Crawls run in the background by themselves: their endpoints answer at once. */
async function askCrawl(
  ask: Ask,
  op: Operation,
  { input, max_credits: most, idempotency_key: key, dry_run: isDry }: z.output<typeof callInput>,
  signal: AbortSignal,
): Promise<Answer> {
  const stated = input["max_credits"];
  const least = typeof stated === "number" ? Math.min(stated, most ?? stated) : most;
  const capped = least === undefined ? {} : { max_credits: least };
  const { method, path, body } = requestOf(op, { ...input, ...capped });
  const headers = {
    ...(isDry ? { [dryRunHeader]: "true" } : {}),
    ...(key === undefined ? {} : { "idempotency-key": key }),
  };
  const answer = await ask(method, path, { body, signal, headers });
  return answer.status === 202 ? { ...answer, status: 200 } : answer;
}

/** Whether a header can carry the fields: member names of some records hold other characters. */
export const canBeKept = (fields: readonly string[] = []): boolean =>
  fields.every((name) => /^[!-+\--~]+$/.test(name));

/**
 * Waits for the end of a job and reports its progress; returns its state if it has not ended. A refused poll
 * means nothing for the job: it is repeated, and `known` returned if it stays refused.
 */
export async function waitForEnd(
  ask: Ask,
  job: string,
  { seconds, known }: { seconds: number; known?: JobData },
  { mcpReq: { signal, notify, _meta } }: ServerContext,
): Promise<Answer> {
  const endsAt = monotonicNow() + seconds * 1000;
  const progressToken = _meta?.progressToken;
  for (let poll = 1; ; poll += 1) {
    const left = Math.max(0, Math.ceil((endsAt - monotonicNow()) / 1000));
    // A client that follows progress gets a notification every few seconds.
    const wait = progressToken === undefined ? Math.min(60, left) : Math.min(3, left);
    const result = await ask("GET", `/jobs/${job}/result?wait=${wait}`, { signal });
    const isRefused = isRefusedForNow(result, job);
    if (result.status !== 409 && !isRefused) return result;
    const latest = isRefused ? result : await ask("GET", `/jobs/${job}`, { signal });
    const isOver = monotonicNow() >= endsAt;
    if (isOver && !isRefusedForNow(latest, job)) return { ...latest, status: 202 };
    if (isOver) return known ? { ...latest, status: 202, body: { data: known } } : latest;
    if (isRefused)
      await sleep(1000 * Math.min(left, result.retryAfter ?? 1), undefined, { signal });
    if (progressToken !== undefined) {
      const { state: message } = (latest.body.data ?? {}) as { state?: string };
      await notify({
        method: "notifications/progress",
        params: { progressToken, progress: poll, message: message ?? "waiting" },
      });
    }
  }
}

/** Whether the poll itself was refused; an error of the job carries the job's id. */
function isRefusedForNow({ status, body: { error } }: Answer, job: string): boolean {
  return error !== undefined && error.request_id !== job && (status === 429 || status >= 500);
}
