import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

/**
 * Holds answers against the committed OpenAPI document. A file of it is read when an answer of its area comes,
 * and a schema is compiled when its status comes, so that a test pays for what it calls.
 */

interface Ref {
  $ref: string;
}
interface Response {
  headers?: Record<string, object>;
  content?: Record<string, { schema: object }>;
}
type Method = Record<string, unknown> & { responses: Record<string, Response | Ref> };
interface Part {
  info?: { version: string };
  paths: Record<string, Record<string, Method>>;
  components: Record<string, Record<string, object>>;
}

export interface Exchange {
  method: string;
  /** With its query. */
  path: string;
  sent: Headers;
  status: number;
  headers: Headers;
  text: string;
}

const folder = join(import.meta.dirname, "contract", "openapi");
const fileOf = (name: string) => join(folder, `${name}.json`);
const read = (name: string) => JSON.parse(readFileSync(fileOf(name), "utf8")) as Part;

/** Headers of HTTP itself and of CORS, which no document lists. */
const unlisted =
  /^(access-control-.*|allow|connection|content-(encoding|length|security-policy|type)|date|keep-alive|transfer-encoding|vary)$/;

let own: Part | undefined;
const areas = new Map<string, Area>();

/** The paths of one area and of the gateway itself. */
class Area {
  readonly #paths: [RegExp, Part["paths"][string]][];
  readonly #part: Part;
  readonly #ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    logger: false,
    code: { optimize: false },
  });
  readonly #compiled = new Map<object, ValidateFunction>();

  constructor(name: string) {
    const shared = (own ??= read("own"));
    const { paths, components } = name === "own" ? shared : read(name);
    const { schemas } = shared.components;
    this.#part = {
      paths: { ...shared.paths, ...paths },
      components: { ...shared.components, schemas: { ...schemas, ...components["schemas"] } },
    };
    this.#ajv.addSchema(
      { $id: "document", components: this.#part.components },
      undefined,
      false,
      false,
    );
    this.#paths = Object.entries(this.#part.paths)
      // A path without parameters goes before one with them.
      .toSorted(([one], [other]) => Number(one.includes("{")) - Number(other.includes("{")))
      .map(([path, item]) => [new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`), item]);
  }

  find(method: string, path: string): Method | undefined {
    const found = this.#paths.find(([shape]) => shape.test(path));
    return found?.[1][method.toLowerCase()];
  }

  response(found: Response | Ref): Response {
    if (!("$ref" in found)) return found;
    return this.#part.components["responses"]?.[found.$ref.split("/").at(-1) ?? ""] as Response;
  }

  faults(schema: object, text: string): string | undefined {
    let validate = this.#compiled.get(schema);
    if (!validate) {
      const pointed = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
      validate = this.#ajv.compile(JSON.parse(pointed) as object);
      this.#compiled.set(schema, validate);
    }
    return validate(JSON.parse(text)) ? undefined : this.#ajv.errorsText(validate.errors);
  }
}

/** Why an answer is not as the document says; undefined when it is, or when the document has no such path. */
export function undocumented(exchange: Exchange): string | undefined {
  const { method, status, headers, text } = exchange;
  const path = exchange.path.split("?", 1)[0] as string;
  const first = path.split("/", 2)[1] as string;
  const name = existsSync(fileOf(first)) ? first : "own";
  const area = areas.get(name) ?? new Area(name);
  areas.set(name, area);
  const described = area.find(method, path);
  const version = headers.get("svc-version");
  // Answers of older versions have other shapes; without a version the answer is a proxy's.
  if (!described || status === 304 || version !== own?.info?.version) return undefined;
  const response = responseTo(exchange, described, area);
  if (!response) return `status ${status} is not in the document`;
  const type = (headers.get("content-type") ?? "").split(";", 1)[0] as string;
  const { schema } = response.content?.[type] ?? {};
  if (text !== "" && !schema) return `status ${status}: ${type} is not in the document`;
  const listed = new Set(Object.keys(response.headers ?? {}).map((header) => header.toLowerCase()));
  const further = [...headers.keys()].filter((one) => !listed.has(one) && !unlisted.test(one));
  if (further.length > 0)
    return `status ${status}: header ${further.join(", ")} is not in the document`;
  return schema && type === "application/json" ? area.faults(schema, text) : undefined;
}

/** An answer to a request header of its own shape is described beside the responses. */
function responseTo(exchange: Exchange, described: Method, area: Area): Response | undefined {
  const { status, headers, sent, path } = exchange;
  const { responses } = described;
  const beside = (name: string) => {
    const found = described[name] as Ref | undefined;
    return found && area.response(found);
  };
  if (headers.has("svc-dry-run")) return beside("x-dry-run") ?? listedOf();
  if (status === 202 && !("202" in responses)) return beside("x-respond-async");
  const isSelected = sent.has("svc-fields") || /[?&]fields=/.test(path);
  if (status === 200 && isSelected) return beside("x-selected-members") ?? listedOf();
  return listedOf();

  function listedOf(): Response | undefined {
    const found = responses[String(status)] ?? (status >= 400 ? responses["default"] : undefined);
    return found && area.response(found);
  }
}
