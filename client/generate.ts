import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@hey-api/openapi-ts";
import { openApi } from "../api/openapi/openapi.ts";
import { areas } from "../contract/index.ts";
import { type Area, type Operation, pathParameters } from "../contract/operation.ts";

/** Writes the types of every request and answer, and one file of methods per area. Returns the OpenAPI document as JSON. */
export async function generate(folder: string): Promise<string> {
  const document = openApi(areas);
  const text = JSON.stringify(document);
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, "areas"), { recursive: true });
  await createClient({
    input: document as never,
    output: { path: folder, clean: false },
    plugins: ["@hey-api/typescript"],
    logs: { level: "silent" },
  });
  await Promise.all(
    areas.map((area) => writeFile(join(folder, "areas", `${area.name}.ts`), areaFile(area))),
  );
  await writeFile(join(folder, "areas.ts"), indexFile());
  return text;
}

/** `shortclip.search_users` is `ShortclipSearchUsers` in the generated types. */
const typeName = (id: string) => words(id).map(capital).join("");
const words = (id: string) => id.split(/[^A-Za-z0-9]+/);
const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);
const camel = (name: string) => {
  const [first = "", ...rest] = words(name);
  return first + rest.map(capital).join("");
};

/** A step of an id: an operation, a group of further steps, or both (`search` and `search.users`). */
interface Step {
  op?: Operation;
  steps: Map<string, Step>;
}

/** The tree of methods, split at the dots of the ids: `geo.mentions.top_domains` is `geo.mentions.topDomains`. */
function stepsOf(area: Area): Step {
  const root: Step = { steps: new Map() };
  for (const op of area.operations) {
    let step = root;
    for (const name of op.id.split(".").map(camel)) {
      const next = step.steps.get(name) ?? { steps: new Map() };
      step.steps.set(name, next);
      step = next;
    }
    step.op = op;
  }
  return root;
}

function written({ steps }: Step, indent: string): string {
  return [...steps]
    .map(([name, step]) => {
      const members = `{\n${written(step, `${indent}  `)}${indent}}`;
      if (!step.op) return `${indent}${name}: ${members},\n`;
      const call = method(step.op, indent);
      const value = step.steps.size > 0 ? `Object.assign(${call}, ${members})` : call;
      return `${docOf(step.op, indent)}${indent}${name}: ${value},\n`;
    })
    .join("");
}

function docOf(op: Operation, indent: string): string {
  const minimum = op.minimum > 0 ? `, at least ${op.minimum} a call` : "";
  const lines = [op.summary, op.description, `One credit a record${minimum}. \`${op.id}\`.`]
    .filter((line) => line !== undefined)
    .map((line) => `${indent} * ${line.replaceAll("*/", "* /")}`)
    .join(`\n${indent} *\n`);
  return `${indent}/**\n${lines}\n${indent} */\n`;
}

function method(op: Operation, indent: string): string {
  const type = typeName(op.id);
  const isOptional =
    pathParameters(op.path).length === 0 &&
    Object.values(op.input.shape).every((field) => mayBeAbsent(field));
  const route = JSON.stringify({ method: op.method, path: op.path });
  return (
    `(input: Input<types.${type}Data>${isOptional ? " = {}" : ""}, options?: CallOptions) =>\n` +
    `${indent}  ${op.records.kind}<types.${type}Responses[200]>(transport, ${route}, input, options)`
  );
}

const mayBeAbsent = (field: unknown) =>
  (field as { safeParse(value: unknown): { success: boolean } }).safeParse(undefined).success;

function areaFile(area: Area): string {
  const root = stepsOf(area);
  const name = camel(area.name);
  const own = root.steps.get(name);
  if (!own || root.steps.size > 1) throw new Error(`${area.name}: has ids outside its own name`);
  const kinds = area.operations.map((op) => op.records.kind);
  return [
    `import { ${[...new Set(kinds)].toSorted().join(", ")} } from "../../calls.ts";`,
    `import type { Input } from "../../requests.ts";`,
    `import type { CallOptions, Transport } from "../../transport.ts";`,
    `import type * as types from "../types.gen.ts";`,
    "",
    `/** ${area.summary} */`,
    `export const ${name} = (transport: Transport) => ({`,
    `${written(own, "  ")}});`,
    "",
  ].join("\n");
}

function indexFile(): string {
  const names = areas.map(({ name }) => name);
  return [
    ...names.map((name) => `import { ${camel(name)} } from "./areas/${name}.ts";`),
    `import type { Transport } from "../transport.ts";`,
    "",
    "/** The methods of every area. */",
    "export const areas = (transport: Transport) => ({",
    ...names.map((name) => `  ${camel(name)}: ${camel(name)}(transport),`),
    "});",
    "",
  ].join("\n");
}
