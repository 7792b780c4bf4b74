import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextLoop } from "node:timers/promises";
import Fastify from "fastify";
import { expect, test } from "vitest";
import * as z from "zod";
import type { Here } from "../../../api/docs/availability.ts";
import { markdownOf, pagesOf } from "../../../api/docs/pages.ts";
import { Documents } from "../../../api/openapi/document.ts";
import { storedDocument, storeDocument } from "../../../api/openapi/stored.ts";
import { openApi, openApiYielding } from "../../../api/openapi/openapi.ts";
import { areas } from "../../../contract/index.ts";
import { area, operation } from "../../../contract/operation.ts";
import { sourcesInWords } from "../../../contract/source.ts";

const forum = areas.filter(({ name }) => name === "forum");
const operations = forum.flatMap((area) => area.operations).length;

const source = {
  name: "Example data",
  url: "https://data.example",
  licence: "CC BY 4.0",
  terms: "https://data.example/terms",
};
const inWords =
  "Data of [Example data](https://data.example) ([CC BY 4.0](https://data.example/terms)).";

test("the documents of an operation name its open sources", () => {
  const of = (sources: readonly (typeof source)[]) =>
    area({
      name: "things",
      summary: "Things",
      pool: "social",
      operations: [
        operation({
          id: "things.get",
          method: "GET",
          path: "/things",
          summary: "A thing",
          input: z.strictObject({}),
          data: z.object({ id: z.string().describe("Its id") }).meta({ id: "Thing" }),
          records: { kind: "one" },
          sources,
          example: {},
        }),
      ],
    });
  const described = (sources: readonly (typeof source)[]) =>
    (openApi([of(sources)]).paths as Record<string, { get: object }>)["/things"]?.get;
  expect(described([source])).toMatchObject({
    description: `${inWords} 1 credit.`,
    "x-sources": [source],
  });
  expect(described([])).toMatchObject({ description: "1 credit." });
  expect(described([])).not.toHaveProperty("x-sources");
  const here: Here = { availabilityOf: () => "no_credential", evidenceOf: () => "none" };
  const text = pagesOf([of([source])])
    .filter(({ name }) => name === "things.get")
    .map((page) => markdownOf(page, here));
  expect(text.join()).toContain(inWords);
  expect(text.join()).toContain("no account at the provider");
  expect(sourcesInWords([{ ...source, attribution: "by Example" }])).toContain(
    ', with the attribution "by Example")',
  );
});

test("a document is made once, and other requests run between its operations", async () => {
  const documents = new Documents(areas);
  const made = documents.of("forum");
  expect(documents.of("forum")).toBe(made);
  let isMade = false;
  let turns = 0;
  void made.then(() => (isMade = true));
  while (!isMade) {
    await nextLoop();
    turns += 1;
  }
  expect(turns).toBeGreaterThan(operations);
});

test("a document made step by step is the same", async () => {
  expect(await openApiYielding(forum)).toEqual(openApi(forum));
});

test("a stored document is found while its sources have the same content", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stored-"));
  try {
    const place = { folder, file: join(folder, "stored"), sources: ["**/*.ts"] };
    expect(await storedDocument(place)).toBeUndefined();
    writeFileSync(join(folder, "a.ts"), "1");
    await storeDocument('{"a":"\\n"}', place);
    writeFileSync(join(folder, "a.ts"), "1");
    expect(await storedDocument(place)).toBe('{"a":"\\n"}');
    writeFileSync(join(folder, "b.ts"), "");
    expect(await storedDocument(place)).toBeUndefined();
    rmSync(join(folder, "b.ts"));
    writeFileSync(join(folder, "a.ts"), "2");
    expect(await storedDocument(place)).toBeUndefined();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the whole contract is served as stored, an area of it derived", async () => {
  const lengthOf = async (documents: Documents, area?: string) => {
    const app = Fastify();
    app.get("/", async (request, reply) => (await documents.of(area)).send(request, reply));
    return (await app.inject("/")).payload.length;
  };
  const stored = new Documents(forum, async () => "{}");
  const derived = JSON.stringify(openApi(forum)).length;
  expect(await lengthOf(stored)).toBe(2);
  expect(await lengthOf(stored, "forum")).toBe(derived);
  expect(await lengthOf(new Documents(forum))).toBe(derived);
});
