import { expect, test } from "vitest";
import { maxResultBytes, withinResultLimit } from "../../../../worker/browser/page/result-limit.ts";

/** Of `{"markdown":""}`, and of a comma that counts although it is not there. */
const frame = 16;

test.each([
  ["a", 1],
  ["—", 3],
  // Escaped in JSON.
  ["\u0001", 6],
])("a result of %j is measured in the bytes that are sent", (character, bytes) => {
  const most = Math.floor((maxResultBytes - frame) / bytes);
  const result = { markdown: character.repeat(most) };
  expect(withinResultLimit(result)).toBe(result);
  const larger = { markdown: character.repeat(most + 3) };
  expect(() => withinResultLimit(larger)).toThrow(
    "The page is over its limit: 32 MiB in the result",
  );
});

test("a result of many short values is measured whole", () => {
  const links = Array.from({ length: 400_000 }, (_, number) => `/${number}`.padEnd(80, "—"));
  expect(() => withinResultLimit({ links })).toThrow("over its limit");
  expect(withinResultLimit({ links: links.slice(0, 100_000) }).links).toHaveLength(100_000);
});
