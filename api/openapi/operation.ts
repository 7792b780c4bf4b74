import { evidenceOf } from "../../contract/evidence.ts";
import { priceOfEach } from "../../contract/pricing.ts";
import type { Operation } from "../../contract/operation.ts";
import { sourcesInWords } from "../../contract/source.ts";
import { shownAnswer, shownEnvelope } from "./answers.ts";
import { errorRefs } from "./errors.ts";
import { answerHeaders } from "./headers.ts";
import { type Input, bodySchema, parameter, split } from "./fields.ts";
import { type Json, headerRefs, ref } from "./json.ts";
import type { Schemas } from "./schemas.ts";

/** Describes one operation: its input, price and answer. */
export function describeOperation(op: Operation, schemas: Schemas): Json {
  const input = inputOf(op, schemas);
  const price = `${priceOfEach(op)}.`;
  return {
    operationId: op.id,
    tags: [op.area],
    summary: op.summary,
    description: [op.description, sourcesInWords(op.sources), price].filter(Boolean).join(" "),
    parameters: parameters(op, input),
    ...(op.method === "POST" ? { requestBody: requestBody(op, input) } : {}),
    "x-pool": op.pool,
    "x-minimum-credits": op.minimum,
    "x-credits-per-record": 1,
    ...(op.sources.length > 0 ? { "x-sources": op.sources } : {}),
    "x-evidence": evidenceOf(op),
    // Not among the responses, so that the types of generated clients stay the result of a call.
    "x-dry-run": ref("responses", "DryRun"),
    "x-selected-members": ref("responses", "SelectedMembers"),
    "x-respond-async": ref("responses", "AcceptedJob"),
    responses: { "200": success(op, schemas), ...errorRefs() },
  };
}

/** All fields of its input, including the aliases of the cursor. */
function inputOf(op: Operation, schemas: Schemas): Input {
  const input = schemas.input(op.input) as Input;
  const { properties } = input;
  for (const name of op.cursorAliases) {
    const description = "Another name of `cursor`";
    properties[name] = { ...properties.cursor, description, deprecated: true };
  }
  return input;
}

/** Fields in the path, those in the query of a GET, and the parameters that every operation shares. */
function parameters(op: Operation, input: Input): Json[] {
  const example = op.example as Json;
  const { inPath, others } = split(op.path, input.properties);
  const isGet = op.method === "GET";
  const shared = [
    "Svc-Version",
    "Svc-Test-Scenario",
    ...(isGet && !others.some(([name]) => name === "fields") ? ["fields"] : []),
    "Svc-Fields",
    "Svc-Webhook-Url",
    "Svc-Dry-Run",
    "Svc-Max-Credits",
    "Prefer",
    "Idempotency-Key",
  ];
  return [
    ...inPath.map((field) => parameter(field, "path", input, example[field[0]])),
    ...(isGet ? others.map((field) => parameter(field, "query", input, example[field[0]])) : []),
    ...shared.map((name) => ref("parameters", name)),
  ];
}

/** The fields outside the path. */
function requestBody({ path, example }: Operation, input: Input): Json {
  const schema = bodySchema(path, input);
  const shown = Object.fromEntries(split(path, example as Json).others);
  return { required: true, content: { "application/json": { schema, example: shown } } };
}

function success(op: Operation, schemas: Schemas): Json {
  const schema = schemas.envelope(op.data, { paged: op.paginated || op.onePage });
  const shown = shownAnswer(op);
  return {
    description: "The answer, charged as `billing` says",
    headers: headerRefs(answerHeaders),
    content: {
      "application/json": { schema, ...(shown ? { example: shownEnvelope(op, shown) } : {}) },
    },
  };
}
