import { expect, test } from "vitest";
import { groups, recorded } from "./proven.ts";

test("the record of passes holds each group and no other", () => {
  expect(Object.keys(recorded)).toEqual(groups);
  for (const hash of Object.values(recorded)) expect(hash).toMatch(/^[0-9a-f]{16}$/);
});
