import { setImmediate as nextLoop } from "node:timers/promises";
import { expect, test } from "vitest";
import { Documents } from "../../../api/openapi/document.ts";
import { openApi, openApiYielding } from "../../../api/openapi/openapi.ts";
import { areas } from "../../../contract/index.ts";

const forum = areas.filter(({ name }) => name === "forum");
const operations = forum.flatMap((area) => area.operations).length;

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
