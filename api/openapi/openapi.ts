import * as z from "zod";
import { priceOfEach } from "../../contract/dry-run.ts";
import { billing, errorEnvelope, pagination, requestId } from "../../contract/envelope.ts";
import { type ErrorType, errorStatus } from "../../contract/errors.ts";
import { isNormalised } from "../../contract/fields.ts";
import { type Area, type Operation, pathParameters } from "../../contract/operation.ts";
import {
  accountData,
  catalogueData,
  liveData,
  readyData,
  usageData,
  usageInput,
} from "../../contract/own.ts";
import { currentVersion } from "../../contract/version.ts";
import { shownAnswer, shownEnvelope } from "./answers.ts";
import { explain } from "./explained.ts";
import { batchesOpenApi } from "../batches/openapi.ts";
import { accepted, jobHeaders, jobOpenApi, preferHeader } from "../jobs/openapi.ts";

import { alertInput } from "../../contract/webhook-endpoints.ts";
import { pricedAnswer, requestHeaders, responseHeaders } from "./headers.ts";
import { webhookOpenApi, webhooksSent } from "../webhooks/openapi.ts";

type Json = { [key: string]: unknown };

/** The OpenAPI 3.1 document, derived from the contract alone. */
export function openApi(areas: readonly Area[]): Json {
  const components: Json = {};
  const paths: { [path: string]: Json } = {};
  for (const op of areas.flatMap((area) => area.operations)) {
    const item = (paths[op.path] ??= {});
    item[op.method.toLowerCase()] = describe(op, components);
  }
  const errorRef = schemaOf(errorEnvelope, "output", components);
  Object.assign(paths, ownPaths(components));
  const dryRun = pricedAnswer((data) => wrappedIn(data, components));
  return explain({
    openapi: "3.1.0",
    info: {
      title: "Public-Data Gateway",
      version: currentVersion,
      summary: "Public data from many providers in one response contract",
      description:
        "Every answer is one envelope. Billed are the records delivered, one credit each; errors are free.",
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [{ url: "/", description: "This gateway" }],
    security: [{ key: [] }],
    tags: [
      ...areas.map((area) => ({ name: area.name, description: area.summary })),
      { name: "gateway", description: "The gateway's own free endpoints" },
    ],
    paths,
    webhooks: webhooksSent((schema) => schemaOf(schema, "output", components)),
    components: {
      securitySchemes: {
        key: {
          type: "http",
          scheme: "bearer",
          description: "A gateway key: svc_live_… or svc_test_…",
        },
      },
      schemas: sorted(components),
      headers: { ...responseHeaders, ...jobHeaders },
      parameters: { ...requestHeaders, Prefer: preferHeader },
      responses: {
        "202": accepted((data) => wrappedIn(data, components)),
        DryRun: dryRun,
        ...errorResponses(errorRef),
      },
    },
  });
}

function describe(op: Operation, components: Json): Json {
  const shown = shownAnswer(op);
  const input = schemaOf(op.input, "input", components);
  const properties = input.properties as Record<string, Json>;
  for (const name of op.cursorAliases) {
    const description = "Another name of `cursor`";
    properties[name] = { ...properties.cursor, description, deprecated: true };
  }
  const required = new Set((input.required ?? []) as string[]);
  const inPath = pathParameters(op.path);
  const example = op.example as Json;
  const price = `${priceOfEach(op)}.`;
  const parameter = (name: string, where: "path" | "query") => {
    const { description, deprecated, ...schema } = properties[name] as Json;
    return {
      name,
      in: where,
      required: where === "path" || required.has(name),
      ...(description ? { description } : {}),
      ...(deprecated ? { deprecated } : {}),
      ...(schema.type === "array" ? { style: "form", explode: false } : {}),
      schema,
      ...(example[name] === undefined ? {} : { example: example[name] }),
    };
  };
  const names = Object.keys(properties).filter((name) => !inPath.includes(name));
  const shared = (name: string) => ({ $ref: `#/components/parameters/${name}` });
  const paged = op.paginated || op.onePage;
  const data = {
    type: "object",
    required: ["request_id", "data", "billing", ...(paged ? ["pagination"] : [])],
    properties: {
      request_id: schemaOf(requestId, "output", components),
      data: schemaOf(op.data, "output", components),
      ...(paged ? { pagination: schemaOf(pagination, "output", components) } : {}),
      billing: schemaOf(billing, "output", components),
    },
  };
  return {
    operationId: op.id,
    tags: [op.area],
    summary: op.summary,
    description: [op.description, price].filter(Boolean).join(" "),
    parameters: [
      ...inPath.map((name) => parameter(name, "path")),
      ...(op.method === "GET" ? names.map((name) => parameter(name, "query")) : []),
      shared("Svc-Version"),
      shared("Svc-Test-Scenario"),
      ...(op.method === "GET" && !names.includes("fields") ? [shared("fields")] : []),
      shared("Svc-Fields"),
      shared("Svc-Webhook-Url"),
      shared("Svc-Dry-Run"),
      shared("Svc-Max-Credits"),
      shared("Prefer"),
      ...(op.method === "POST" ? [shared("Idempotency-Key")] : []),
    ],
    ...(op.method === "POST"
      ? {
          requestBody: {
            required: true,
            content: {
              "application/json": {
                schema: without(input, inPath),
                example: Object.fromEntries(
                  Object.entries(example).filter(([name]) => !inPath.includes(name)),
                ),
              },
            },
          },
        }
      : {}),
    "x-pool": op.pool,
    "x-minimum-credits": op.minimum,
    "x-credits-per-record": 1,
    // No answer of its own status, so that the types of callers stay what a call returns.
    "x-dry-run": { $ref: "#/components/responses/DryRun" },
    responses: {
      "200": success(
        data,
        shown && shownEnvelope(op, shown),
        op.method === "POST" ? ["Idempotency-Replayed"] : [],
      ),
      "202": { $ref: "#/components/responses/202" },
      ...errorRefs(),
    },
  };
}

function success(schema: Json, example: object | undefined, more: string[]): Json {
  const names = [
    "Svc-Version",
    "Svc-Request-Id",
    "Svc-Mode",
    "RateLimit",
    "RateLimit-Policy",
    "Svc-Budget",
    "Deprecation",
    "Sunset",
    ...more,
  ];
  return {
    description: "The answer, charged as `billing` says",
    headers: Object.fromEntries(
      names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
    content: { "application/json": { schema, ...(example ? { example } : {}) } },
  };
}

const statuses: Record<string, ErrorType[]> = {
  "400": ["validation_error", "invalid_id"],
  "422": ["validation_error"],
};
for (const [type, status] of Object.entries(errorStatus)) {
  if (status !== 400) (statuses[status] ??= []).push(type as ErrorType);
}
statuses["504"] = ["upstream_unavailable"];

function errorRefs(): Json {
  return Object.fromEntries(
    Object.keys(statuses).map((status) => [status, { $ref: `#/components/responses/${status}` }]),
  );
}

function errorResponses(schema: Json): Json {
  return Object.fromEntries(
    Object.entries(statuses).map(([status, types]) => [
      status,
      {
        description: types.join(" or "),
        headers: {
          "Svc-Version": { $ref: "#/components/headers/Svc-Version" },
          "Svc-Request-Id": { $ref: "#/components/headers/Svc-Request-Id" },
          "Svc-Mode": { $ref: "#/components/headers/Svc-Mode" },
          ...(["402", "429", "503", "504"].includes(status)
            ? { "Retry-After": { $ref: "#/components/headers/Retry-After" } }
            : {}),
        },
        content: { "application/json": { schema } },
      },
    ]),
  );
}

/** The success envelope around this data. */
function wrappedIn(data: z.ZodType, components: Json): Json {
  const made = (schema: z.ZodType) => schemaOf(schema, "output", components);
  return {
    type: "object",
    required: ["request_id", "data", "billing"],
    properties: { request_id: made(requestId), data: made(data), billing: made(billing) },
  };
}

/** The gateway's own endpoints. */
function ownPaths(components: Json): { [path: string]: Json } {
  const made = (schema: z.ZodType) => schemaOf(schema, "output", components);
  const wrapped = (data: z.ZodType) => wrappedIn(data, components);
  const answer = (description: string, schema: Json): Json => ({
    description,
    content: { "application/json": { schema } },
  });
  const own = (id: string, summary: string, schema: Json): Json => ({
    operationId: id,
    tags: ["gateway"],
    summary,
    responses: { "200": answer("OK", schema), ...errorRefs() },
  });
  const open = (id: string, summary: string, schema: Json, more: Json = {}): Json => ({
    operationId: id,
    tags: ["gateway"],
    summary,
    security: [],
    responses: {
      "200": answer("OK", schema),
      ...more,
      "431": { $ref: "#/components/responses/400" },
    },
  });
  const ready = made(readyData);
  const usageFields = schemaOf(usageInput, "input", components).properties as Json;
  const describing = {
    made,
    asked: (schema: z.ZodType) => schemaOf(schema, "input", components),
    wrapped,
    errors: errorRefs,
  };
  return {
    ...batchesOpenApi(describing),
    ...webhookOpenApi(describing),
    ...jobOpenApi({ ...describing, error: made(errorEnvelope) }),
    "/account": {
      get: own(
        "gateway.account",
        "Balance, limits and mode of the caller's key",
        wrapped(accountData),
      ),
      patch: {
        ...own("gateway.account.change", "Changes settings of the account", wrapped(accountData)),
        requestBody: {
          required: true,
          content: { "application/json": { schema: schemaOf(alertInput, "input", components) } },
        },
      },
    },
    "/account/usage": {
      get: {
        ...own("gateway.usage", "Calls by day, area and operation", wrapped(usageData)),
        parameters: Object.entries(usageFields).map(([name, schema]) => ({
          name,
          in: "query",
          schema,
        })),
      },
    },
    "/operations": {
      get: own("gateway.operations", "Every operation with its price", wrapped(catalogueData)),
    },
    "/openapi.json": { get: open("gateway.openapi", "This document", { type: "object" }) },
    "/docs": {
      get: open(
        "gateway.docs",
        "Pages to read: a start, each area, each operation; /docs/try to try it, /llms.txt for programs",
        {},
        {
          "200": { description: "OK", content: { "text/html": { schema: { type: "string" } } } },
        },
      ),
    },
    "/health/live": { get: open("gateway.health.live", "The process runs", made(liveData)) },
    "/health/ready": {
      get: open("gateway.health.ready", "The gateway takes calls", ready, {
        "503": answer("It does not", ready),
      }),
    },
  };
}

/** JSON Schema of a zod schema; named parts move to `components`. */
function schemaOf(schema: z.ZodType, io: "input" | "output", components: Json): Json {
  const made = z.toJSONSchema(schema, {
    io,
    target: "draft-2020-12",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const { pattern } = jsonSchema;
      if (pattern !== undefined && (isNormalised(zodSchema) || !isPortable(pattern)))
        delete jsonSchema.pattern;
      // Answers may grow fields within a version; requests may not.
      if (io === "output" && jsonSchema.additionalProperties === false) {
        delete jsonSchema.additionalProperties;
      }
      // The safe-integer bounds that zod adds say nothing to a reader.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  }) as Json;
  const { $schema: _schema, $defs, id: _id, ...rest } = made;
  for (const [name, part] of Object.entries(($defs ?? {}) as Json)) {
    const { id: _partId, ...body } = part as Json;
    components[name] = relocated(body);
  }
  const name = z.globalRegistry.get(schema)?.id;
  if (name === undefined) return relocated(rest) as Json;
  components[name] ??= relocated(rest);
  return { $ref: `#/components/schemas/${name}` };
}

/** Read alike by every engine: ECMA-262, Python, Go. What is not is told by the description. */
function isPortable(pattern: string): boolean {
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].flatMap(([, ...found]) => found);
  return (
    !/\(\?[=!<]|\\[pPukxc1-9]/.test(pattern) && counts.every((count) => Number(count ?? 0) <= 1000)
  );
}

function relocated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relocated);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === "$ref" && typeof inner === "string"
        ? inner.replace("#/$defs/", "#/components/schemas/")
        : relocated(inner),
    ]),
  );
}

function without(schema: Json, names: string[]): Json {
  if (names.length === 0) return schema;
  const drop = new Set(names);
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(schema.properties as Json).filter(([name]) => !drop.has(name)),
    ),
    ...(schema.required
      ? { required: (schema.required as string[]).filter((name) => !drop.has(name)) }
      : {}),
  };
}

function sorted(object: Json): Json {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
