import type { Endpoint } from "../../contract/endpoint.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { errorEnvelope } from "../../contract/envelope.ts";
import type { Area } from "../../contract/operation.ts";
import { currentVersion } from "../../contract/version.ts";
import { describeEndpoint } from "./endpoint.ts";
import { errorResponses } from "./errors.ts";
import { explain } from "./explained.ts";
import { acceptedAnswer, pricedAnswer, requestHeaders, responseHeaders } from "./headers.ts";
import type { Json } from "./json.ts";
import { describeOperation } from "./operation.ts";
import { Schemas } from "./schemas.ts";
import { webhooksSent } from "./webhooks-sent.ts";

/** The OpenAPI 3.1 document, derived from the contract alone. */
export function openApi(areas: readonly Area[]): Json {
  const schemas = new Schemas();
  const paths: { [path: string]: Json } = {};
  const add = ({ path, method }: Pick<Endpoint, "path" | "method">, described: Json) =>
    Object.assign((paths[path] ??= {}), { [method.toLowerCase()]: described });
  for (const op of areas.flatMap((area) => area.operations))
    add(op, describeOperation(op, schemas));
  for (const endpoint of endpoints) add(endpoint, describeEndpoint(endpoint, schemas));
  const webhooks = webhooksSent(schemas);
  const responses = {
    "202": acceptedAnswer(schemas),
    DryRun: pricedAnswer(schemas),
    ...errorResponses(schemas.output(errorEnvelope)),
  };
  return explain({
    openapi: "3.1.0",
    info: {
      title: "Public-Data Gateway",
      version: currentVersion,
      summary: "Public data from many providers in one response contract",
      description:
        "Every answer is one envelope. Each delivered record costs one credit; errors are free.",
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [{ url: "/", description: "This gateway" }],
    security: [{ key: [] }],
    tags: [
      ...areas.map((area) => ({ name: area.name, description: area.summary })),
      { name: "gateway", description: "The gateway's own free endpoints" },
    ],
    paths,
    webhooks,
    components: {
      securitySchemes: {
        key: {
          type: "http",
          scheme: "bearer",
          description: "A gateway key: svc_live_… or svc_test_…",
        },
      },
      // Last, because every part above may name a schema.
      schemas: schemas.named(),
      headers: responseHeaders,
      parameters: requestHeaders,
      responses,
    },
  });
}
