import type * as z from "zod";
import {
  accountData,
  catalogueData,
  liveData,
  readyData,
  usageData,
  usageInput,
} from "../../contract/own.ts";
import { alertInput } from "../../contract/webhook-endpoints.ts";
import { batchesOpenApi } from "../batches/openapi.ts";
import { jobOpenApi } from "../jobs/openapi.ts";
import { webhookOpenApi } from "../webhooks/openapi.ts";
import { errorRefs } from "./errors.ts";
import { type Json, jsonAnswer, ref } from "./json.ts";
import type { Schemas } from "./schemas.ts";

type Paths = { [path: string]: Json };

/** The gateway's own endpoints. */
export function ownPaths(schemas: Schemas): Paths {
  return {
    ...batchesOpenApi(schemas),
    ...webhookOpenApi(schemas),
    ...jobOpenApi(schemas),
    ...accountPaths(schemas),
    ...openPaths(schemas),
  };
}

/** What a caller asks with its key about its account, and about what there is. */
function accountPaths(schemas: Schemas): Paths {
  const own = (id: string, summary: string, data: z.ZodType): Json => ({
    operationId: id,
    tags: ["gateway"],
    summary,
    responses: { "200": jsonAnswer("OK", schemas.envelope(data)), ...errorRefs() },
  });
  const usageFields = schemas.asked(usageInput).properties as Json;
  return {
    "/account": {
      get: own("gateway.account", "Balance, limits and mode of the caller's key", accountData),
      patch: {
        ...own("gateway.account.change", "Changes settings of the account", accountData),
        requestBody: {
          required: true,
          content: { "application/json": { schema: schemas.asked(alertInput) } },
        },
      },
    },
    "/account/usage": {
      get: {
        ...own("gateway.usage", "Calls by day, area and operation", usageData),
        parameters: Object.entries(usageFields).map(([name, schema]) => ({
          name,
          in: "query",
          schema,
        })),
      },
    },
    "/operations": {
      get: own("gateway.operations", "Every operation with its price", catalogueData),
    },
  };
}

/** Open to everyone. */
function openPaths(schemas: Schemas): Paths {
  const open = (id: string, summary: string, answer: Json, more: Json = {}): Json => ({
    operationId: id,
    tags: ["gateway"],
    summary,
    security: [],
    responses: { "200": answer, ...more, "431": ref("responses", "400") },
  });
  const ready = schemas.answered(readyData);
  const page = { description: "OK", content: { "text/html": { schema: { type: "string" } } } };
  return {
    "/openapi.json": {
      get: open("gateway.openapi", "This document", jsonAnswer("OK", { type: "object" })),
    },
    "/docs": {
      get: open(
        "gateway.docs",
        "Pages to read: a start, each area, each operation; /docs/try to try it, /llms.txt for programs",
        page,
      ),
    },
    "/health/live": {
      get: open(
        "gateway.health.live",
        "The process runs",
        jsonAnswer("OK", schemas.answered(liveData)),
      ),
    },
    "/health/ready": {
      get: open("gateway.health.ready", "The gateway takes calls", jsonAnswer("OK", ready), {
        "503": jsonAnswer("It does not", ready),
      }),
    },
  };
}
