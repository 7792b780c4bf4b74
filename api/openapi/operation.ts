import { priceOfEach } from "../../contract/dry-run.ts";
import { type Operation, pathParameters } from "../../contract/operation.ts";
import { shownAnswer, shownEnvelope } from "./answers.ts";
import { errorRefs } from "./errors.ts";
import { type Json, headerRefs, ref } from "./json.ts";
import type { Schemas } from "./schemas.ts";

/** One operation: what it takes, costs and answers. */
export function describeOperation(op: Operation, schemas: Schemas): Json {
  const input = inputOf(op, schemas);
  const price = `${priceOfEach(op)}.`;
  return {
    operationId: op.id,
    tags: [op.area],
    summary: op.summary,
    description: [op.description, price].filter(Boolean).join(" "),
    parameters: parameters(op, input),
    ...(op.method === "POST" ? { requestBody: requestBody(op, input) } : {}),
    "x-pool": op.pool,
    "x-minimum-credits": op.minimum,
    "x-credits-per-record": 1,
    // No answer of its own status, so that the types of callers stay what a call returns.
    "x-dry-run": ref("responses", "DryRun"),
    responses: {
      "200": success(op, schemas),
      "202": ref("responses", "202"),
      ...errorRefs(),
    },
  };
}

interface Input extends Json {
  properties: { [name: string]: Json };
  required?: string[];
}

/** All fields of its input, other names of the cursor included. */
function inputOf(op: Operation, schemas: Schemas): Input {
  const input = schemas.asked(op.input) as Input;
  const { properties } = input;
  for (const name of op.cursorAliases) {
    const description = "Another name of `cursor`";
    properties[name] = { ...properties.cursor, description, deprecated: true };
  }
  return input;
}

/** Fields in the path, of a GET also those in the query, and what every operation takes beside its input. */
function parameters(op: Operation, { properties, required = [] }: Input): Json[] {
  const example = op.example as Json;
  const inPath = pathParameters(op.path);
  const rest = Object.keys(properties).filter((name) => !inPath.includes(name));
  const parameter = (name: string, where: "path" | "query") => {
    const { description, deprecated, ...schema } = properties[name] as Json;
    return {
      name,
      in: where,
      required: where === "path" || required.includes(name),
      ...(description ? { description } : {}),
      ...(deprecated ? { deprecated } : {}),
      ...(schema.type === "array" ? { style: "form", explode: false } : {}),
      schema,
      ...(example[name] === undefined ? {} : { example: example[name] }),
    };
  };
  const isGet = op.method === "GET";
  const shared = [
    "Svc-Version",
    "Svc-Test-Scenario",
    ...(isGet && !rest.includes("fields") ? ["fields"] : []),
    "Svc-Fields",
    "Svc-Webhook-Url",
    "Svc-Dry-Run",
    "Svc-Max-Credits",
    "Prefer",
    ...(op.method === "POST" ? ["Idempotency-Key"] : []),
  ];
  return [
    ...inPath.map((name) => parameter(name, "path")),
    ...(isGet ? rest.map((name) => parameter(name, "query")) : []),
    ...shared.map((name) => ref("parameters", name)),
  ];
}

/** The fields that are not in the path. */
function requestBody(op: Operation, input: Input): Json {
  const inPath = new Set(pathParameters(op.path));
  const rest = (fields: Json) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !inPath.has(name)));
  const { properties, required } = input;
  const schema = {
    ...input,
    properties: rest(properties),
    ...(required ? { required: required.filter((name) => !inPath.has(name)) } : {}),
  };
  const example = rest(op.example as Json);
  return { required: true, content: { "application/json": { schema, example } } };
}

const answerHeaders = [
  "Svc-Version",
  "Svc-Request-Id",
  "Svc-Mode",
  "RateLimit",
  "RateLimit-Policy",
  "Svc-Budget",
  "Deprecation",
  "Sunset",
];

function success(op: Operation, schemas: Schemas): Json {
  const schema = schemas.envelope(op.data, { paged: op.paginated || op.onePage });
  const shown = shownAnswer(op);
  return {
    description: "The answer, charged as `billing` says",
    headers: headerRefs([
      ...answerHeaders,
      ...(op.method === "POST" ? ["Idempotency-Replayed"] : []),
    ]),
    content: {
      "application/json": { schema, ...(shown ? { example: shownEnvelope(op, shown) } : {}) },
    },
  };
}
