import { setImmediate as nextLoop } from "node:timers/promises";
import type { Endpoint } from "../../contract/endpoint.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { errorEnvelope } from "../../contract/envelope.ts";
import type { Area } from "../../contract/operation.ts";
import { currentVersion } from "../../contract/version.ts";
import { describeEndpoint, tagOf } from "./endpoint.ts";
import { errorResponses } from "./errors.ts";
import { explain } from "./explained.ts";
import {
  acceptedAnswer,
  pricedAnswer,
  requestHeaders,
  responseHeaders,
  selectedAnswer,
} from "./headers.ts";
import type { Json } from "./json.ts";
import { describeOperation } from "./operation.ts";
import { Schemas } from "./schemas.ts";
import { webhooksSent } from "./webhooks-sent.ts";

/** The OpenAPI 3.1 document, derived from the contract alone. */
export function openApi(areas: readonly Area[]): Json {
  const draft = new Draft(areas);
  for (const step of draft.steps) step();
  const whole = draft.whole();
  for (const _step of explain(whole));
  return whole;
}

/** As `openApi`; other requests run between its steps, because all of them take a third of a second. */
export async function openApiYielding(areas: readonly Area[]): Promise<Json> {
  const draft = new Draft(areas);
  for (const step of draft.steps) {
    step();
    await nextLoop();
  }
  const whole = draft.whole();
  for (const _step of explain(whole)) await nextLoop();
  return whole;
}

/** A document, complete but for the meaning of its fields once every step has run. */
class Draft {
  /** A step describes one operation or endpoint. */
  readonly steps: readonly (() => void)[];
  readonly #areas: readonly Area[];
  readonly #schemas = new Schemas();
  readonly #paths: { [path: string]: Json } = {};

  constructor(areas: readonly Area[]) {
    this.#areas = areas;
    const schemas = this.#schemas;
    this.steps = [
      ...areas
        .flatMap((area) => area.operations)
        .map((op) => () => this.#add(op, describeOperation(op, schemas))),
      ...endpoints
        .filter((endpoint) => this.#has(tagOf(endpoint)))
        .map((endpoint) => () => this.#add(endpoint, describeEndpoint(endpoint, schemas))),
    ];
  }

  /** An area may have endpoints beside its operations, such as the crawls of `web`. */
  #has(tag: string): boolean {
    return tag === "gateway" || this.#areas.some(({ name }) => name === tag);
  }

  #add({ path, method }: Pick<Endpoint, "path" | "method">, described: Json): void {
    Object.assign((this.#paths[path] ??= {}), { [method.toLowerCase()]: described });
  }

  whole(): Json {
    const schemas = this.#schemas;
    const webhooks = webhooksSent(schemas);
    const responses = {
      AcceptedJob: acceptedAnswer(schemas),
      DryRun: pricedAnswer(schemas),
      SelectedMembers: selectedAnswer(schemas),
      ...errorResponses(schemas.output(errorEnvelope)),
    };
    return {
      openapi: "3.1.0",
      info: {
        title: "Public-Data Gateway",
        version: currentVersion,
        summary: "Public data from many providers in one response contract",
        description:
          "Every answer is one envelope. Each delivered record costs one credit; errors are free. HEAD is answered wherever GET is: HEAD of an operation only validates and prices the call, runs nothing and is free.",
        license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
      },
      servers: [{ url: "/", description: "This gateway" }],
      security: [{ key: [] }],
      tags: [
        ...this.#areas.map((area) => ({ name: area.name, description: area.summary })),
        { name: "gateway", description: "The gateway's own free endpoints" },
      ],
      paths: this.#paths,
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
    };
  }
}
