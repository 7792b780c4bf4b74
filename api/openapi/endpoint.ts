import { type Endpoint, takesBody } from "../../contract/endpoint.ts";
import { errorEnvelope } from "../../contract/envelope.ts";
import { errorRefs, otherErrors } from "./errors.ts";
import { type Input, bodySchema, parameter, split } from "./fields.ts";
import { openHeaders, ownHeaders } from "./headers.ts";
import { type Json, headerRefs, jsonAnswer, ref } from "./json.ts";
import type { Schemas } from "./schemas.ts";

/** The part of the document to which an endpoint belongs: the gateway's own, or an area. */
export const tagOf = ({ id }: Pick<Endpoint, "id">): string => id.split(".", 1)[0] as string;

/** Describes one of the gateway's own endpoints: its input and its answers. */
export function describeEndpoint(endpoint: Endpoint, schemas: Schemas): Json {
  const { id, summary, description, open } = endpoint;
  const form = publishedForms[endpoint.path.split("/", 2)[1] as string];
  const parts = requestOf(endpoint, schemas, form);
  const responses = { responses: responsesOf(endpoint, schemas) };
  return {
    operationId: id,
    tags: [tagOf(endpoint)],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(open ? { security: [] } : {}),
    ...(endpoint.headers?.includes("Svc-Dry-Run")
      ? { "x-dry-run": ref("responses", "DryRun") }
      : {}),
    ...(form ? { ...responses, ...parts } : { ...parts, ...responses }),
  };
}

/**
 * By the first part of the path: endpoints that list their responses before their parameters, and write
 * parameters in a form of their own. The published document stays the same byte for byte.
 */
const publishedForms: Readonly<Record<string, (standard: Json) => Json>> = {
  account: ({ name, in: where, description, schema }) => ({
    name,
    in: where,
    schema: { ...(schema as Json), ...(description ? { description } : {}) },
  }),
  batches: ({ required, description, schema, ...rest }) =>
    rest.in === "path"
      ? { ...rest, required, schema: { type: "string" } }
      : { ...rest, description, schema },
};

function requestOf(
  endpoint: Endpoint,
  schemas: Schemas,
  published: (standard: Json) => Json = (standard) => standard,
): Json {
  const { path, items, headers = [] } = endpoint;
  const hasBody = takesBody(endpoint);
  const input = inputOf(endpoint, schemas);
  const { inPath, others } = split(path, input.properties);
  const parameters = [
    ...inPath.map((field) => parameter(field, "path", input)),
    ...(hasBody && !items ? [] : others.map((field) => parameter(field, "query", input))),
  ];
  const all = [...parameters.map(published), ...headers.map((name) => ref("parameters", name))];
  return {
    ...(all.length > 0 ? { parameters: all } : {}),
    ...(items ? { requestBody: bodyOfItems(items, schemas) } : {}),
    ...(hasBody && !items && others.length > 0 ? { requestBody: bodyOf(path, input) } : {}),
  };
}

/** For a body of many items, the options in the query. */
function inputOf({ input, items }: Endpoint, schemas: Schemas): Input {
  if (!items) return input ? (schemas.input(input) as Input) : { properties: {} };
  const { properties } = schemas.input(items.options) as Input;
  const described = Object.entries(properties).map(([name, field]) => {
    const description = `With NDJSON only; a member of the object in JSON. ${String(field.description)}`;
    return [name, { ...field, description }];
  });
  return { properties: Object.fromEntries(described) as Input["properties"] };
}

function bodyOf(path: string, input: Input): Json {
  const schema = bodySchema(path, input);
  return { required: "required" in schema, content: { "application/json": { schema } } };
}

function bodyOfItems(items: NonNullable<Endpoint["items"]>, schemas: Schemas): Json {
  const { item, most, options, example } = items;
  const one = schemas.input(item);
  const schema = {
    type: "object",
    required: ["items"],
    additionalProperties: false,
    properties: {
      items: { type: "array", minItems: 1, maxItems: most, items: one },
      ...(schemas.input(options) as Input).properties,
    },
  };
  return {
    required: true,
    content: {
      "application/json": { schema, example },
      "application/x-ndjson": { schema: one },
    },
  };
}

function responsesOf(endpoint: Endpoint, schemas: Schemas): Json {
  const { data, bare, paged, status = 200, success = "OK", alsoAs, answerHeaders, open } = endpoint;
  const schema = bare ? schemas.output(data) : schemas.envelope(data, { paged });
  const own = Object.entries(answerHeaders ?? {}).map(([name, description]) => [
    name,
    { description, schema: { type: "string" } },
  ]);
  const replayed = endpoint.headers?.includes("Idempotency-Key") ? ["Idempotency-Replayed"] : [];
  const usual = [...(open ? openHeaders : ownHeaders), ...replayed];
  return {
    [status]: {
      description: success,
      content: {
        [bare ?? "application/json"]: { schema },
        ...(alsoAs ? { [alsoAs]: { schema: { type: "string" } } } : {}),
      },
      headers: { ...headerRefs(usual), ...(Object.fromEntries(own) as Json) },
    },
    ...(open ? { "431": ref("responses", "OtherError"), ...otherErrors() } : errorRefs()),
    ...othersOf(endpoint, schemas),
  };
}

function othersOf({ others = {}, open }: Endpoint, schemas: Schemas): Json {
  return Object.fromEntries(
    Object.entries(others).map(([status, { description, headers = [], data }]) => {
      const { content } = jsonAnswer(description, schemas.output(data ?? errorEnvelope));
      const all = [...(open ? openHeaders : ownHeaders), ...headers];
      return [status, { description, headers: headerRefs(all), content }];
    }),
  );
}
