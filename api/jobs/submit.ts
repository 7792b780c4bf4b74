import { GatewayError, invalid } from "../../contract/errors.ts";
import type { jobsEndpoints } from "../../contract/jobs.ts";
import { type Operation, pathParameters } from "../../contract/operation.ts";
import { neededFor } from "../../contract/pricing.ts";
import { noSuchOperation } from "../../contract/search-operations.ts";
import type { OlderVersion } from "../../contract/version.ts";
import { BatchOperations } from "../batches/item.ts";
import type { Request, Response } from "../call.ts";
import type { Query } from "../edge/text.ts";
import type { Asked } from "../endpoints.ts";
import { chosenForAll } from "../fields.ts";
import { readIdempotencyKey, readScenario } from "../headers.ts";
import type { RawInput } from "../input.ts";
import { leaving } from "../reply.ts";
import { upgradedInput } from "../version-changes.ts";
import type { Jobs } from "./jobs.ts";
import { preferred } from "./preferred.ts";

/** `POST /jobs`: a call of any operation, with its parameters in one object. */

type AskedSubmission = Asked<
  Extract<(typeof jobsEndpoints)[number], { id: "gateway.jobs.submit" }>
>;

interface Submitted {
  op: Operation;
  request: Request;
}

/** The call as its own path would have received it; throws that call's error, on fields of this body. */
export function callSubmitted(
  { input: body, caller, request, reply }: AskedSubmission,
  jobs: Jobs,
  older: OlderVersion | undefined,
): Submitted {
  const op = jobs.operation(body.operation);
  if (!op) throw unknownOperation(body.operation);
  const input = upgradedInput(op, body.input, older);
  const { id: requestId, version, arrivedAt, timeline, raw: message } = request;
  const scenario = readScenario(message, caller.mode);
  const { cursorSecret, dispatcher } = jobs.services;
  const common = { caller, version, scenario, arrivedAt };
  refuseInput(() => {
    const now = dispatcher.storeTime(arrivedAt);
    new BatchOperations([op]).callOf(op.id, requestId, input, common, cursorSecret, now);
  });
  const maxCredits = body.max_credits;
  const needed = neededFor(op);
  if (maxCredits !== undefined && maxCredits < needed) {
    const text = `max_credits: the call costs at least ${needed} credits`;
    throw invalid("body", "max_credits", "too_small", text);
  }
  const raw = rawOf(op, input);
  return {
    op,
    request: {
      ...common,
      requestId,
      // Part of the fingerprint: a key of this path never names a call of the operation's own path.
      method: "POST",
      path: `/jobs ${op.id} ${JSON.stringify(raw.path)}`,
      raw,
      idempotencyKey: readIdempotencyKey(message),
      maxCredits,
      fields: chosenForAll(body.fields, [op], { in: "body", path: "fields" }),
      gone: leaving(reply),
      timeline,
    },
  };
}

function unknownOperation(id: string): GatewayError {
  const message = `operation: ${noSuchOperation(id)}`;
  return invalid("body", "operation", "unknown_operation", message);
}

export async function submitted(
  { input, caller, request }: AskedSubmission,
  jobs: Jobs,
  call: Submitted,
): Promise<Response> {
  const { webhook_url: url } = input;
  const place = { in: "body", path: "webhook_url" } as const;
  if (url !== undefined) await jobs.services.webhooks.name(caller, request.id, url, place);
  const response = await preferred(jobs, call.op, call.request, { waitSeconds: 0 });
  // The key's answer is kept, and its job is not.
  if (response.status !== 202) throw new GatewayError("not_found", "The job was removed");
  return response;
}

function refuseInput(validate: () => void): void {
  try {
    validate();
  } catch (error) {
    if (!(error instanceof GatewayError) || !error.issues) throw error;
    const issues = error.issues.map(({ path, code, message }) => ({
      in: "body" as const,
      path: belowInput(path),
      code,
      message,
    }));
    const [first] = error.issues;
    // The message begins with the first field, or with the part of the request that is at fault as a whole.
    const name = first?.path || first?.in;
    const message =
      first && name && error.message.startsWith(name)
        ? `${belowInput(first.path)}${error.message.slice(name.length)}`
        : error.message;
    throw new GatewayError(error.type, message, { status: error.status, issues });
  }
}

const belowInput = (path: string): string =>
  path === "" || path.startsWith("[") ? `input${path}` : `input.${path}`;

/** Where each parameter of a valid input stands in a request to the operation's own path. */
function rawOf(op: Operation, input: Record<string, unknown>): RawInput {
  const inPath = pathParameters(op.path);
  const path = Object.fromEntries(inPath.map((name) => [name, String(input[name])]));
  const others = Object.entries(input).filter(([name]) => !inPath.includes(name));
  if (op.method === "POST")
    return { path, query: new URLSearchParams() as Query, body: Object.fromEntries(others) };
  const query = others.map(([name, value]) => [name, textOf(value)]);
  return { path, query: new URLSearchParams(query) as Query, body: undefined };
}

const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.join(",") : String(value as string | number | boolean);
