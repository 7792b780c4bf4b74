import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { configurationPage } from "../../../local/docs/configuration.ts";
import { variablesOf } from "../../../local/docs/variables.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const page = read("docs/configuration.md");

/** Variables of the system that programs pass on or search. */
const systems = new Set(["PATH"]);

/** How production code names a variable that it reads. */
const reads = [
  /\benv(?:\.|\["|\?\.)([A-Z][A-Z0-9_]+)/g,
  /\(\s*(?:process\.)?env,\s*"([A-Z][A-Z0-9_]+)"/g,
  /\benv: "([A-Z][A-Z0-9_]+)"/g,
];
const destructured =
  /\{([^{}]*)\}\s*(?::\s*(?:NodeJS\.ProcessEnv|Environment|(?:Readonly<)?Record<string, string \| undefined>)|=\s*(?:process\.)?env\b)/g;
const member = /(?:^|[{,\s])([A-Z][A-Z0-9_]+)\s*(?=[:,=}\s]|$)/g;

/** The names of the variables that a program reads. */
function variablesIn(source: string): string[] {
  const plain = reads.flatMap((pattern) =>
    [...source.matchAll(pattern)].map((found) => found[1] as string),
  );
  const members = [...source.matchAll(destructured)].flatMap(([, inner = ""]) =>
    [...inner.matchAll(member)].map((found) => found[1] as string),
  );
  return [...new Set([...plain, ...members])].filter((name) => !systems.has(name));
}

const missingIn = (names: readonly string[]) =>
  names.filter((name) => !page.includes(`\`${name}\``));

test("docs/configuration.md is what the schemas say", () => {
  const hint = "run `npm run docs:configuration` and commit docs/configuration.md";
  expect(page, hint).toBe(configurationPage());
});

test("every variable that production code reads is in docs/configuration.md", () => {
  const files = globSync(
    "{api,cli,client/src,contract,dashboards,db,deploy,local,runtime,worker}/**/*.{ts,mjs}",
    { cwd: root },
  );
  const found = files.flatMap((file) =>
    missingIn(variablesIn(read(file))).map((name) => `${file} reads ${name}`),
  );
  expect(found, "describe it in its schema, or in local/docs/processes.ts").toEqual([]);
});

test("every variable that docker-compose.yml takes is in docs/configuration.md", () => {
  const compose = read("docker-compose.yml");
  const names = [...compose.matchAll(/\$\{([A-Z0-9_]+)/g)].map((found) => found[1] as string);
  expect(names.length).toBeGreaterThan(20);
  expect(missingIn(names)).toEqual([]);
});

test("the search finds each way to read a variable", () => {
  const source = `
    process.env["ONE_A"]; env.ONE_B; given(env, "ONE_C"); const { ONE_D, ONE_E: e } = process.env;
    const baseUrl = { env: "ONE_F", default: "" }; process.env.ONE_G;
    function f({ ONE_H: h }: Record<string, string | undefined>, other = "ONE_Z") {}`;
  expect(variablesIn(source).toSorted()).toEqual(
    ["A", "B", "C", "D", "E", "F", "G", "H"].map((letter) => `ONE_${letter}`),
  );
});

test("a variable without a description, or without words on its absence, is refused", () => {
  expect(() => variablesOf(z.object({ NEW: z.string() }))).toThrow(/NEW has no description/);
  const optional = z.object({ NEW: z.string().optional().describe("Something new.") });
  expect(() => variablesOf(optional)).toThrow(/NEW is optional/);
});

test("a row has the default, the values and the meaning of its schema", () => {
  const schema = z.object({
    SECONDS: z.coerce.number().int().min(1).max(9).default(3).describe("Seconds to wait."),
    SECRET: z.string().min(8).describe("A secret."),
    KIND: z.enum(["a", "b"]).optional().meta({ description: "A kind.", absent: "none" }),
  });
  expect(variablesOf(schema, ["SECRET"])).toEqual([
    { name: "SECONDS", default: "`3`", values: "1 to 9", meaning: "Seconds to wait." },
    {
      name: "SECRET",
      default: "required",
      values: "8 characters or more",
      meaning: "A secret.",
      file: true,
    },
    { name: "KIND", default: "none", values: "a, b", meaning: "A kind." },
  ]);
});
