import { readFileSync, readdirSync } from "node:fs";
import { join, parse } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { fieldsOf, membersOf } from "../../api/describe.ts";
import { visit } from "../../api/openapi/explained.ts";
import { decodeInput } from "../../api/input.ts";
import type { Json } from "../../api/openapi/json.ts";
import { openApi } from "../../api/openapi/openapi.ts";
import { partsOf } from "../../api/openapi/parts.ts";
import { bodyLimitOf } from "../../api/edge/size.ts";
import { glossary } from "../../contract/glossary/glossary.ts";
import { areas } from "../../contract/index.ts";
import { nearOperations } from "../../contract/search-operations.ts";
import { pathParameters, pools } from "../../contract/operation.ts";
import { browserConnector } from "../../worker/areas/browser/handlers.ts";
import { plainConnector } from "../../worker/areas/web/plain.ts";
import { webConnector } from "../../worker/areas/web/handlers.ts";
import { handlersOf } from "../../worker/handlers.ts";
import { exampleOf, requestOf } from "../operations/inputs.ts";
import { checkedLength, largestBody, textsWithoutLength } from "./largest-body.ts";
import { walkSchema } from "./walk.ts";

/** Areas of the catalogue without an implementation yet. */
const pending: string[] = [];

interface Parameter {
  name?: string;
  schema?: { pattern?: string };
}

const operations = areas.flatMap((area) => area.operations);
const read = (file: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8")) as Record<string, unknown>;

/** Operation id -> method, path, pool, least credits. */
const catalogue = read("catalogue.json");
const areaOf = (id: string) => id.slice(0, id.indexOf(".")).replaceAll("_", "-");

test("the operations are those of the catalogue, with its paths, pools and prices", () => {
  const built = Object.fromEntries(
    operations.map((op) => [op.id, [op.method, op.path, op.pool, op.minimum]]),
  );
  expect(operations.map((op) => op.id)).toHaveLength(Object.keys(built).length);
  const expected = Object.entries(catalogue).filter(
    ([id]) => id in built || !pending.includes(areaOf(id)),
  );
  expect(built).toEqual(Object.fromEntries(expected));
});

test("a complete area is not listed as pending", () => {
  const missing = Object.keys(catalogue).filter((id) => !operations.some((op) => op.id === id));
  expect(pending).toEqual([...new Set(missing.map(areaOf))].sort());
});

test("ids begin with their area, and no two operations share a method and path", () => {
  for (const op of operations) expect(areaOf(op.id), op.id).toBe(op.area);
  const places = operations.map((op) => `${op.method} ${op.path.replace(/\{\w+\}/g, "{}")}`);
  expect(places.filter((place, index) => places.indexOf(place) !== index)).toEqual([]);
});

test("every operation has exactly one handler", async () => {
  // Only the handlers use the pool; listing them does not.
  const handlers = await handlersOf(pools, [
    browserConnector(undefined as never),
    webConnector(undefined as never, undefined as never, undefined as never),
  ]);
  expect([...handlers.keys()].sort()).toEqual(operations.map((op) => op.id).sort());
});

test.each(pools.filter((pool) => pool !== "browser"))(
  "pool %s: a worker has handlers for all its operations, and of their areas only",
  async (pool) => {
    const own = operations.filter((op) => op.pool === pool);
    // The worker's start adds those of the area web that need no Chromium.
    const more = pool === "social" ? [plainConnector(undefined as never)] : [];
    const ids = [...(await handlersOf([pool], more)).keys()];
    expect(ids).toEqual(expect.arrayContaining(own.map((op) => op.id)));
    expect(new Set(ids.map(areaOf))).toEqual(new Set(own.map((op) => op.area)));
  },
);

test.each(operations)("$id: path and paging are fields of the input", (op) => {
  const names = Object.keys(op.input.shape);
  expect(names).toEqual(expect.arrayContaining(pathParameters(op.path)));
  if (op.paginated) {
    expect(names).toEqual(expect.arrayContaining(["cursor", "limit"]));
    expect(op.records.kind).toBe("list");
  }
});

test.each(operations)("$id: requests are closed, and answers describe their fields", (op) => {
  const open: string[] = [];
  walkSchema(op.input, (def, path) => {
    const closed = (def.catchall as { _zod?: { def: { type: string } } } | undefined)?._zod?.def;
    if (def.type === "object" && closed?.type !== "never") open.push(`input ${path}: not strict`);
    if (["any", "unknown", "custom"].includes(def.type)) open.push(`input ${path}: ${def.type}`);
  });
  walkSchema(op.data, (def, path) => {
    if (/(^|\.)extras\b/.test(path)) return;
    if (["any", "unknown", "custom", "transform"].includes(def.type)) {
      open.push(`data ${path}: ${def.type}`);
    }
  });
  expect(open).toEqual([]);
});

test.each(operations)("$id: its example decodes", (op) => {
  expect(decodeInput(op, requestOf(op, op.example))).toEqual(exampleOf(op));
});

test.each(operations.filter((op) => op.method === "POST"))(
  "$id: the body limit admits the largest body",
  (op) => {
    expect(largestBody(op)).toBeLessThanOrEqual(bodyLimitOf(op));
  },
);

test.each(operations)("$id: a text without a length has a check that refuses long ones", (op) => {
  for (const { name, inList } of textsWithoutLength(op)) {
    for (const start of ["", "https://example.com/", "2026-01-01"]) {
      const long = start.padEnd(checkedLength + 1, "a");
      const input = { ...op.example, [name]: inList ? [long] : long };
      const refused = op.input.safeParse(input).error?.issues.map((issue) => issue.path[0]) ?? [];
      expect(refused, `${name} of ${long.length} characters`).toContain(name);
    }
  }
});

/** Built once, because hundreds of operations are slow on a busy machine. */
let document: ReturnType<typeof openApi>;
beforeAll(() => {
  document = openApi(areas);
}, 120_000);

test("one component name stands for one shape, and extras are the only open objects", () => {
  const { components } = document as { components: { schemas: Record<string, unknown> } };
  const open: string[] = [];
  const walk = (node: unknown, path: string): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, properties, additionalProperties } = node as Record<string, unknown>;
    const named = properties !== undefined || typeof additionalProperties === "object";
    if (type === "object" && !named && !/\.extras\b/.test(path)) open.push(path);
    for (const [key, inner] of Object.entries(node)) walk(inner, `${path}.${key}`);
  };
  walk(components.schemas, "");
  expect(open).toEqual([]);
});

test("every field and parameter has a description, and the glossary explains nothing else", () => {
  const { schemas } = document.components as { schemas: Record<string, object> };
  const silent: string[] = [];
  const names = new Set<string>();
  visit(document, (name, field) => {
    names.add(name);
    const target = schemas[String(field.$ref).split("/").at(-1) ?? ""] ?? {};
    if (!("description" in { ...target, ...field })) silent.push(name);
  });
  expect(names.size).toBeGreaterThan(800);
  expect(silent).toEqual([]);
  expect([...glossary.keys()].filter((name) => !names.has(name))).toEqual([]);
  const fields = operations.flatMap((op) => [...fieldsOf(op), ...membersOf(op)]);
  expect(fields.filter(({ description }) => description === "")).toEqual([]);
});

test("published patterns work in every regex engine, and admit the same values as the service", () => {
  const patterns = new Set<string>();
  const { schemas } = document.components as { schemas: Record<string, object> };
  const paths = document.paths as Record<string, object>;
  visit([paths, schemas], (_, field) => {
    const { pattern } = { ...field, ...(field.schema as object | undefined) } as {
      pattern?: string;
    };
    if (pattern !== undefined) patterns.add(pattern);
  });
  expect(patterns.size).toBeGreaterThan(30);
  // Go and Python lack lookaround or Unicode classes, and Go counts to 1,000.
  const odd = [...patterns].filter((one) => /\(\?[=!<]|\\[pPu1-9]|\d{4,}\}/.test(one));
  expect(odd).toEqual([]);

  let tried = 0;
  for (const op of operations) {
    const item = paths[op.path] as Record<string, { parameters: Parameter[] }>;
    for (const { name, schema } of item[op.method.toLowerCase()]?.parameters ?? []) {
      const given = (op.example as Record<string, unknown>)[name ?? ""];
      if (typeof given !== "string" || schema === undefined) continue;
      const upper = given.toUpperCase();
      for (const text of [
        given,
        upper,
        given.toLowerCase(),
        `@${given}`,
        `#${given}`,
        `u/${given}`,
        `r/${upper}`,
      ]) {
        const rule = op.input.shape[name as string] as {
          safeParse(value: string): { success: boolean };
        };
        if (!rule.safeParse(text).success) continue;
        tried += 1;
        const { pattern } = schema;
        if (pattern !== undefined)
          expect(text, `${op.id} ${name}`).toMatch(new RegExp(pattern, "u"));
      }
    }
  }
  expect(tried).toBeGreaterThan(100);
});

interface Described {
  responses: Record<string, { $ref?: string }>;
}

test("every component has an identifier as its name, as generators make names of them", () => {
  const components = document.components as Record<string, object>;
  const names = Object.values(components).flatMap((all) => Object.keys(all));
  expect(names.length).toBeGreaterThan(200);
  expect(names.filter((name) => !/^[A-Za-z][A-Za-z0-9]*$/.test(name))).toEqual([]);
});

test("an operation's only success is its answer, and every other status has the error envelope", () => {
  const components = document.components as { responses: Record<string, object> };
  const paths = document.paths as Record<string, Record<string, Described>>;
  const whole = operations.map(({ path, method }) => paths[path]?.[method.toLowerCase()]);
  for (const described of whole)
    expect(Object.keys(described?.responses ?? {}).filter((status) => status < "4")).toEqual([
      "200",
    ]);
  const all = Object.values(paths).flatMap((item) => Object.values(item));
  const others = new Set(all.map(({ responses }) => responses["default"]?.$ref));
  expect([...others]).toEqual(["#/components/responses/OtherError"]);
  expect(components.responses["OtherError"]).toHaveProperty(
    ["content", "application/json", "schema", "$ref"],
    "#/components/schemas/ErrorEnvelope",
  );
});

test("no schema of an answer has a default, which generators read as a value that is absent", () => {
  const { schemas } = document.components as { schemas: Record<string, unknown> };
  const seen = new Set<unknown>();
  const found: string[] = [];
  const look = (node: unknown, path: string): void => {
    if (typeof node !== "object" || node === null || seen.has(node)) return;
    seen.add(node);
    const { $ref, properties, type, default: value } = node as Record<string, unknown>;
    if (typeof type === "string" && properties === undefined && value !== undefined)
      found.push(path);
    if (typeof $ref === "string" && $ref.includes("/schemas/"))
      look(schemas[$ref.split("/").at(-1) as string], $ref);
    for (const [key, inner] of Object.entries(node))
      if (!key.startsWith("example")) look(inner, `${path}.${key}`);
  };
  const paths = document.paths as Record<string, Record<string, Described>>;
  for (const [path, item] of Object.entries(paths))
    for (const { responses } of Object.values(item)) look(responses, path);
  expect(found).toEqual([]);
});

/** Renew with: npm run -s openapi -- test/contract/openapi && npx oxfmt test/contract/openapi */
test("the OpenAPI document is the committed one", () => {
  const made = partsOf(JSON.parse(JSON.stringify(document)) as Json);
  const committed = readdirSync(join(import.meta.dirname, "openapi")).map(
    (file) => [parse(file).name, read(join("openapi", file))] as const,
  );
  expect(Object.fromEntries(made), "renew with the command above this test").toEqual(
    Object.fromEntries(committed),
  );
});

test("a misspelt id is answered with the id that differs in the fewest letters", () => {
  const misspelt = {
    "mpas.search": "maps.search",
    "shortclip.user.folowers": "shortclip.users.followers",
    "video-site.videos.get": "videosite.videos.get",
    "seo.backlnks.sumary": "seo.backlinks.summary",
  };
  for (const [name, meant] of Object.entries(misspelt)) {
    expect(operations.map(({ id }) => id)).toContain(meant);
    expect(nearOperations(name)[0], name).toBe(meant);
  }
  expect(nearOperations("restaurants near me")).toContain("maps.search");
});
