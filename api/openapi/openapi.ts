import { errorEnvelope } from "../../contract/envelope.ts";
import type { Area } from "../../contract/operation.ts";
import { currentVersion } from "../../contract/version.ts";
import { accepted, jobHeaders, preferHeader } from "../jobs/openapi.ts";
import { webhooksSent } from "../webhooks/openapi.ts";
import { errorResponses } from "./errors.ts";
import { explain } from "./explained.ts";
import { pricedAnswer, requestHeaders, responseHeaders } from "./headers.ts";
import type { Json } from "./json.ts";
import { describeOperation } from "./operation.ts";
import { ownPaths } from "./own-paths.ts";
import { Schemas } from "./schemas.ts";

/** The OpenAPI 3.1 document, derived from the contract alone. */
export function openApi(areas: readonly Area[]): Json {
  const schemas = new Schemas();
  const paths: { [path: string]: Json } = {};
  for (const op of areas.flatMap((area) => area.operations)) {
    const item = (paths[op.path] ??= {});
    item[op.method.toLowerCase()] = describeOperation(op, schemas);
  }
  Object.assign(paths, ownPaths(schemas));
  const webhooks = webhooksSent(schemas);
  const responses = {
    "202": accepted(schemas),
    DryRun: pricedAnswer(schemas),
    ...errorResponses(schemas.answered(errorEnvelope)),
  };
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
    webhooks,
    components: {
      securitySchemes: {
        key: {
          type: "http",
          scheme: "bearer",
          description: "A gateway key: svc_live_… or svc_test_…",
        },
      },
      // Behind everything that names one.
      schemas: schemas.named(),
      headers: { ...responseHeaders, ...jobHeaders },
      parameters: { ...requestHeaders, Prefer: preferHeader },
      responses,
    },
  });
}
